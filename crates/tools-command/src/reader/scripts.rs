//! Scripts that a line runs, and whether the line may have written them.

use std::path::Path;

use super::command::{Command, Value};
use super::line::{Reader, last_part};
use crate::effect::Effect;
use crate::excerpt::shorten;
use crate::grammar::parse_word;
use crate::plain_path;
use crate::registry;

impl Reader<'_> {
    /// Objects to a script if its name may denote another text than the file's, or if the line may
    /// write the file.
    pub(super) fn script(&mut self, file: &Value, command: &Command) {
        if let Some(why) = self.script_objection(file, command) {
            self.opaque(&why);
        }
    }

    /// Reason to object to a script; `None` if there is none.
    pub(super) fn script_objection(&self, file: &Value, command: &Command) -> Option<String> {
        let name = file.text.as_str();
        if !file.is_exact {
            // A loop over the files of a folder is the usual case.
            let computed = name.contains(['(', '`'])
                || command.has_input()
                || !self.written.is_empty()
                || parse_word(name).is_none_or(|word| self.may_be_option(&word));
            return computed.then(|| "a script whose name is known only when it runs".to_owned());
        }
        if self.is_descriptor(name) || name == "-" && command.has_input() {
            return Some("a script read from a descriptor".to_owned());
        }
        let is_own = self.is_written(&format!("./{name}")) || self.is_filled(file) || self.is_touched(name, command);
        is_own.then(|| format!("the script `{}` is written by this very line", shorten(name)))
    }

    /// Whether a path denotes a device or a descriptor, in any spelling.
    fn is_descriptor(&self, name: &str) -> bool {
        let special = |path: &str| ["/dev", "/proc"].iter().any(|folder| Path::new(path).starts_with(folder));
        match &self.folder {
            Some(folder) => special(&plain_path(&Path::new(folder).join(name)).to_string_lossy()),
            None => {
                special(&plain_path(Path::new(name)).to_string_lossy())
                    || last_part(name) == "stdin"
                    || name.contains("fd/")
            }
        }
    }

    /// Whether an earlier command of the line names this file and may change it.
    pub(super) fn is_touched(&self, file: &str, command: &Command) -> bool {
        let name = last_part(file);
        let names = |text: &str| {
            text.match_indices(name).any(|(at, _)| {
                let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
                !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
            })
        };
        let is_within = |at: usize, earlier: &Command| {
            let before = earlier.args.strip_suffix(command.args.as_slice());
            let is_guess = at >= self.begun
                && before.is_some_and(|before| before.ends_with(std::slice::from_ref(&command.program)));
            self.containing.contains(&at) || is_guess || earlier == command
        };
        let earlier = self.found.commands.iter().enumerate();
        let earlier = earlier.filter(|(at, earlier)| !is_within(*at, earlier)).map(|(_, earlier)| earlier);
        !name.is_empty()
            && earlier
                .filter(|earlier| !only_looks(earlier))
                .any(|earlier| earlier.args.iter().any(|arg| names(&arg.text) && !is_script(arg, earlier)))
    }

    pub(super) fn is_written(&self, file: &str) -> bool {
        // Only the last parts are compared: the folder may have changed in between.
        let name = last_part(file);
        self.written.iter().any(|written| {
            if !written.contains(['$', '*', '?', '`']) {
                return last_part(written) == name;
            }
            // The text after a variable is known.
            let tail = written.rsplit(['$', '}', '"', '*', '?']).next().unwrap_or_default();
            let tail = tail.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
            file.contains('/') && name.ends_with(tail)
        })
    }
}

/// Programs that only read the files in their arguments, although their descriptions do not say so.
const LOOKS: [&str; 12] =
    ["shellcheck", "shfmt", "pylint", "mypy", "pyright", "flake8", "ruff", "eslint", "bat", "batcat", "tree", "hexyl"];
/// Subcommands of `git` that change no file in the working tree.
const GIT_LOOKS: [&str; 9] = ["add", "diff", "log", "status", "show", "blame", "commit", "ls-files", "grep"];

/// Whether a command leaves the text of the files it names unchanged, except for the files in its
/// effects.
fn only_looks(command: &Command) -> bool {
    let subcommand = command.canonical.as_ref().and_then(|canonical| canonical.words.get(1));
    match command.name() {
        "git" => subcommand.is_some_and(|subcommand| GIT_LOOKS.contains(&subcommand.as_str())),
        name => command.is_exhaustive || LOOKS.contains(&name),
    }
}

/// Whether an argument is a script that the command runs itself.
fn is_script(arg: &Value, command: &Command) -> bool {
    let effects = registry::describe(command).map(|described| described.effects).unwrap_or_default();
    effects.iter().any(|effect| matches!(effect, Effect::Script(file) if file == arg))
}
