//! Commands that a command carries in its arguments: those run on another machine or in a
//! container, and those that an unknown program may run.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::lookup::{describe, find};
use super::programs::PROGRAMS;
use super::spec::{Does, Program, Rule, Subcommand};
use super::spellings::command;
use crate::effect::Effect;
use crate::reader::commands_there;

/// Maximum number of words of an unknown program that are tried as the start of a command.
const MAX_GUESSES: usize = 6;

/// The commands that a command carries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Carried {
    /// Each command as its program and arguments.
    pub commands: Vec<Vec<String>>,
    /// Whether the commands are certainly run; otherwise any one of them may be, or none.
    pub is_certain: bool,
}

/// Finds the commands that a program with these arguments carries; usually none.
pub fn carried_commands(program: &str, arguments: &[String]) -> Carried {
    let name = program.rsplit('/').next().unwrap_or_default();
    let Some(description) = find(name) else {
        return Carried { commands: guesses(arguments), is_certain: false };
    };
    if !runs_elsewhere(description) {
        return Carried { commands: Vec::new(), is_certain: true };
    }
    let effects = describe(&command(program, arguments)).map(|described| described.effects).unwrap_or_default();
    let there = effects.iter().filter(|effect| matches!(effect, Effect::WordsThere(_) | Effect::LineThere(_)));
    let words = |found: crate::Command| {
        let args = found.args.into_iter().map(|arg| arg.text);
        std::iter::once(found.program.text).chain(args).collect()
    };
    Carried { commands: there.flat_map(commands_there).map(words).collect(), is_certain: true }
}

/// The arguments of an unknown program from each of the first words on.
fn guesses(arguments: &[String]) -> Vec<Vec<String>> {
    let from = |at: usize| {
        let (word, rest) = arguments[at..].split_first()?;
        // The value of an option may be a program too.
        let word = if word.starts_with('-') { word.split_once('=')?.1 } else { word };
        Some(std::iter::once(word.to_owned()).chain(rest.iter().cloned()).collect())
    };
    (0..arguments.len().min(MAX_GUESSES)).filter_map(from).collect()
}

/// Whether a program may run something elsewhere. The names are cached, because this is asked for
/// each command that a rule allows.
fn runs_elsewhere(program: &'static Program) -> bool {
    static NAMES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
        let all = PROGRAMS.iter().copied().flatten();
        all.filter(|program| has_rule(program.rules, program.subcommands))
            .map(|program| program.all_names()[0])
            .collect()
    });
    NAMES.contains(program.all_names()[0])
}

fn has_rule(rules: &[Rule], subcommands: &[Subcommand]) -> bool {
    rules.iter().any(|rule| matches!(rule.does, Does::RunsThere(_) | Does::RunsLineThere(_)))
        || subcommands.iter().any(|one| has_rule(one.rules, one.subcommands))
}

#[cfg(test)]
mod tests {
    use super::carried_commands;

    #[test]
    fn what_runs_elsewhere_is_carried_and_unknown_programs_are_guessed_at() {
        let check = |line: &str, is_certain: bool, expected: &[&str]| {
            let mut words = line.split(' ').map(str::to_owned);
            let program = words.next().expect("a program");
            let found = carried_commands(&program, &words.collect::<Vec<_>>());
            let commands: Vec<_> = found.commands.iter().map(|words| words.join(" ")).collect();
            assert_eq!(found.is_certain, is_certain, "{line}");
            assert_eq!(commands.as_slice(), expected, "{line}");
        };
        check("docker exec -it web rm -rf x", true, &["rm -rf x"]);
        check("ssh host rm -rf x; ls", true, &["rm -rf x", "ls"]);
        check("docker ps", true, &[]);
        check("rm x", true, &[]);
        check("frob --with=a b", false, &["a b", "b"]);
    }
}
