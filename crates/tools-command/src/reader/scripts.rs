//! Scripts that a line runs, and whether it may have written them itself.

use std::path::Path;

use super::command::{Command, Value};
use super::line::{Reader, last_part};
use super::programs;
use super::shells;
use crate::plain_path;
use crate::registry::shorten;

impl Reader<'_> {
    /// Objects to a script that another text than that of a file stands for, or that this line may write.
    pub(super) fn script(&mut self, file: &Value, command: &Command) {
        let name = file.text.as_str();
        if !file.is_exact {
            // A loop over the files of a folder is the everyday use.
            let computed = name.contains(['(', '`']) || shells::has_input(command) || !self.written.is_empty();
            if computed {
                self.opaque("a script whose name is known only when it runs");
            }
        } else if self.is_descriptor(name) {
            self.opaque("a script read from a descriptor");
        } else if self.is_written(&format!("./{name}")) || self.is_touched(name, command) {
            self.opaque(&format!("the script `{}` is written by this very line", shorten(name)));
        }
    }

    /// Whether a name is that of a device or a descriptor, however it is spelt.
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

    /// Whether an earlier command of the line, other than one that only looks, names this file.
    fn is_touched(&self, file: &str, command: &Command) -> bool {
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
            && earlier.filter(|earlier| !programs::only_looks(earlier)).any(|earlier| {
                let is_own_script = shells::is_shell(earlier.name()) || shells::language(earlier.name()).is_some();
                let own = if is_own_script { earlier.operands().first().map(|own| own.text.clone()) } else { None };
                earlier
                    .args
                    .iter()
                    .filter(|arg| Some(&arg.text) != own.as_ref() || arg.text.contains(' '))
                    .any(|arg| names(&arg.text))
            })
    }

    pub(super) fn is_written(&self, file: &str) -> bool {
        // By its last part alone: what folder the name is in may have changed in between.
        let name = last_part(file);
        self.written.iter().any(|written| {
            // What comes after a variable is known.
            let tail = written.rsplit(['$', '}', '"', '*', '?']).next().unwrap_or_default();
            let is_known = !written.contains(['$', '*', '?', '`']);
            if is_known {
                last_part(written) == name
            } else {
                file.contains('/')
                    && name.ends_with(tail.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_'))
            }
        })
    }

    /// Files that programs write by being what they are.
    pub(super) fn remember_writes(&mut self, command: &Command) {
        let operands = command.operands();
        match command.name() {
            "tee" | "sponge" => self.written.extend(operands.iter().map(|file| file.text.clone())),
            "cp" | "mv" | "ln" | "install" => self.written.extend(operands.iter().map(|file| file.text.clone())),
            "dd" => {
                let target = command.args.iter().find_map(|arg| arg.text.strip_prefix("of="));
                self.written.extend(target.map(str::to_owned));
            }
            _ => {}
        }
    }
}
