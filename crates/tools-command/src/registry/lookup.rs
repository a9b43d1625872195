//! Looks up the description of a command's program, and applies it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

use super::apply;
use super::parsed::Parsed;
use super::programs::{BUILTINS, PROGRAMS};
use super::spec::{Prints, Program};
use crate::effect::Effect;
use crate::reader::{Command, Value};

/// The registry's description of a command.
#[derive(Debug)]
pub(crate) struct CommandDescription {
    /// Its program.
    pub(crate) program: &'static Program,
    /// Its effects.
    pub(crate) effects: Vec<Effect>,
    /// The words that rules are compared with, besides those as typed.
    pub(crate) canonical: Canonical,
}

/// A command in its canonical form: the program without its folder and by its first name, then the
/// subcommand by its first name without the options before it, then the rest as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canonical {
    /// The words.
    pub words: Vec<String>,
    /// Whether everything that was left out is known, so that a rule that allows these words allows
    /// the command.
    pub is_certain: bool,
}

/// The description of a program, by its name without the folder.
pub(crate) fn find(name: &str) -> Option<&'static Program> {
    static BY_NAME: LazyLock<HashMap<&'static str, &'static Program, BuildHasherDefault<NameHasher>>> =
        LazyLock::new(|| {
            // Counting first is cheaper than growing the map.
            let mut by_name = HashMap::with_capacity_and_hasher(named().count(), BuildHasherDefault::default());
            by_name.extend(named());
            by_name
        });
    static BY_BEGINNING: LazyLock<Vec<(&'static str, &'static Program)>> =
        LazyLock::new(|| named().filter_map(|(name, program)| Some((name.strip_suffix('*')?, program))).collect());
    let by_beginning = || BY_BEGINNING.iter().find(|(start, _)| name.starts_with(start)).map(|(_, program)| *program);
    BY_NAME.get(name).copied().or_else(by_beginning)
}

/// Subcommands of a program that do the same work whatever arguments follow: `build` of `cargo`.
pub fn general_subcommands(program: &str) -> impl Iterator<Item = &'static str> {
    find(program).into_iter().flat_map(|program| program.general.split_ascii_whitespace())
}

/// FNV-1a. The names are constants, so an attacker cannot choose colliding ones.
struct NameHasher(u64);

impl Default for NameHasher {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The output of a program, by its name without the folder.
pub(crate) fn prints(name: &str) -> Prints {
    let listed = find(name).into_iter().flat_map(|program| program.prints);
    let mut own = listed.filter(|(names, _)| names.split_ascii_whitespace().any(|one| one == name));
    own.next().map_or(Prints::Anything, |(_, prints)| *prints)
}

/// Every name with its description.
fn named() -> impl Iterator<Item = (&'static str, &'static Program)> {
    let programs = PROGRAMS.iter().flat_map(|file| file.iter());
    programs.flat_map(|program| program.all_names().iter().map(move |name| (*name, program)))
}

/// Describes a command by the registry; `None` if the program is not described.
pub(crate) fn describe(command: &Command) -> Option<CommandDescription> {
    // A path does not call a builtin of the shell: `./fc`.
    let is_named = !command.program.text.starts_with('.') || !command.program.text.contains('/');
    let Some(program) = find(command.name()) else { return describe_versioned(command) };
    let parsed = (is_named || !is_builtin(program)).then(|| Parsed::of(program, command))?;
    Some(CommandDescription { program, effects: apply::effects(&parsed), canonical: canonical(&parsed) })
}

/// The same for a package that is named with its version: `npx prettier@3`. A rule that allows the
/// program does not allow this, as `prettier@npm:other` is another one.
fn describe_versioned(command: &Command) -> Option<CommandDescription> {
    let (name, _) = command.name().split_once('@').filter(|(name, _)| !name.is_empty())?;
    let plain = Command { program: Value::exact(name), ..command.clone() };
    let mut described = describe(&plain)?;
    described.canonical.is_certain = false;
    Some(described)
}

fn is_builtin(program: &Program) -> bool {
    BUILTINS.iter().flat_map(|file| file.iter()).any(|builtin| std::ptr::eq(builtin, program))
}

/// Positions of the arguments that are values of options.
pub(crate) fn positions_of_values(command: &Command) -> Vec<usize> {
    find(command.name()).map(|program| Parsed::of(program, command).positions_of_values()).unwrap_or_default()
}

/// The canonical form of a parsed command.
pub(super) fn canonical(parsed: &Parsed<'_>) -> Canonical {
    let first = parsed.program.names.first().filter(|name| !name.ends_with('*'));
    let mut words = vec![first.map_or_else(|| parsed.command.name().to_owned(), |name| (*name).to_owned())];
    for (one, name) in parsed.path.iter().zip(&parsed.names) {
        match one.is {
            Some(other) => {
                words.truncate(1);
                words.extend(other.split(' ').map(str::to_owned));
            }
            None => words.push((*name).to_owned()),
        }
    }
    let from = parsed.words.last().map_or(0, |at| at + 1);
    if let Some((word, _)) = &parsed.unlisted {
        words.push(word.text.clone());
    }
    words.extend(parsed.command.args[from..].iter().map(|arg| arg.text.clone()));
    Canonical { words, is_certain: parsed.unknown.as_ref().is_none_or(|unknown| !unknown.hides_subcommand) }
}
