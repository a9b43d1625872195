//! The result of an analysis: commands with their words as values, redirections, and the parts that
//! stayed opaque.

use std::path::Path;

use crate::effect::Effect;
use crate::grammar::{Part, Word};
use crate::plain_path;
use crate::registry::Canonical;

/// A word, as far as its value is known before the run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Value {
    /// The value if it is exact, otherwise the word as written.
    pub text: String,
    /// Whether the value is certain.
    pub is_exact: bool,
    /// Whether the word contains a pattern that matches file names.
    pub has_pattern: bool,
}

impl Value {
    /// A path relative to a folder, in its plainest form; unchanged where the path or the folder is
    /// not known.
    #[must_use]
    pub fn placed(&self, folder: Option<&str>) -> Self {
        match folder {
            Some(folder) if self.is_exact => {
                let text = plain_path(&Path::new(folder).join(&self.text)).to_string_lossy().into_owned();
                Self { text, ..self.clone() }
            }
            _ => self.clone(),
        }
    }

    /// A file in this folder; an empty folder is the current one.
    pub(crate) fn beneath(&self, name: &str) -> Self {
        let folder = self.text.trim_end_matches('/');
        let text = if self.text.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        Self { text, ..self.clone() }
    }

    /// The known beginning of the value; `None` if the whole value is known.
    pub(crate) fn start(&self) -> Option<String> {
        if self.is_exact {
            return self.text.find(PLACEHOLDER).map(|at| self.text[..at].to_owned());
        }
        // A process substitution: its value is a path in `/dev/fd`.
        if self.text.starts_with("<(") || self.text.starts_with(">(") {
            return None;
        }
        let known = self.text.split(['$', '`', '*', '?', '[', '{']).next().unwrap_or_default();
        Some(known.replace(['"', '\'', '\\'], ""))
    }

    /// An exact value.
    pub fn exact(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_exact: true, has_pattern: false }
    }

    /// The value of a word in these surroundings. `known` gives the value of a variable, by its
    /// name and whether it is quoted.
    pub(crate) fn of<'a>(word: &Word, around: &Surroundings, known: impl Fn(&str, bool) -> Option<&'a str>) -> Self {
        let mut value = Self { text: String::new(), is_exact: !word.has_braces, has_pattern: false };
        for part in &word.parts {
            match part {
                Part::Text { text, .. } => value.text.push_str(text),
                Part::Variable { name, .. } if name == "HOME" => value.text.push_str(&around.home),
                Part::Variable { name, .. } if name == "PWD" => value.text.push_str(&around.workdir),
                Part::Variable { name, quoted } => match known(name, *quoted) {
                    Some(text) => value.text.push_str(text),
                    None => value.is_exact = false,
                },
                Part::Output { text, quoted } if text.trim() == "pwd" => match known(OWN_FOLDER, *quoted) {
                    Some(folder) => value.text.push_str(folder),
                    None => value.is_exact = false,
                },
                Part::Tilde(name) if name.is_empty() => value.text.push_str(&around.home),
                Part::Tilde(name) if name == "+" => value.text.push_str(&around.workdir),
                Part::Glob(character) => {
                    value.text.push(*character);
                    value.has_pattern = true;
                }
                _ => value.is_exact = false,
            }
        }
        if !value.is_exact {
            value.text.clone_from(&word.source);
        }
        value
    }
}

/// Name under which [`Value::of`] asks for the output of `pwd`.
pub(super) const OWN_FOLDER: &str = "$(pwd)";
/// Placeholder for a word, or a part of one, that is filled in at run time.
pub(crate) const PLACEHOLDER: &str = "{}";
/// Placeholder for any number of arguments from elsewhere, in the syntax of a shell.
pub(crate) const ELSEWHERE: &str = "$@";

/// Arguments that come from elsewhere.
pub(super) fn elsewhere() -> Value {
    Value { text: ELSEWHERE.to_owned(), is_exact: false, has_pattern: false }
}

/// Environment in which a line would run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The user's home; empty when there is none.
    pub home: String,
    /// The absolute path of the folder the line starts in, without a `/` at its end.
    pub workdir: String,
}

/// Source of a command's standard input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Input {
    /// No input.
    #[default]
    None,
    /// A known text.
    Text(String),
    /// An unknown source.
    Unknown,
}

/// One command that would run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// The command's source text, without the wrappers it is run through.
    pub line: String,
    /// The program as it is called.
    pub program: Value,
    /// Its arguments.
    pub args: Vec<Value>,
    /// Commands that run it, outermost first.
    pub via: Vec<String>,
    /// Source of its standard input.
    pub input: Input,
    /// The folder that the command runs in, after any `cd` before it; `None` where that is not
    /// known.
    pub folder: Option<String>,
    /// Whether a program that runs the command fills in some of its arguments.
    pub is_open: bool,
    /// The effects of the command itself, as far as its program is described; the commands that it
    /// runs are among the commands of the analysis.
    pub effects: Vec<Effect>,
    /// Files of code that the command runs or that say what it runs, as written: relative to the
    /// folder that it runs in.
    pub scripts: Vec<Value>,
    /// The words that rules are compared with; `None` where the program is not described.
    pub canonical: Option<Canonical>,
    /// Whether `effects` name everything that the command reads and changes.
    pub is_exhaustive: bool,
}

impl Command {
    /// The last part of the program's path.
    pub fn name(&self) -> &str {
        self.program.text.rsplit('/').next().unwrap_or_default()
    }

    /// Whether the command's input may hold commands.
    pub(crate) fn has_input(&self) -> bool {
        match &self.input {
            Input::None => false,
            Input::Text(text) => !text.trim().is_empty(),
            Input::Unknown => true,
        }
    }

    /// Whether one of these short options is set, alone or in a cluster, up to `--`.
    pub(crate) fn has_short(&self, options: &str) -> bool {
        self.options().any(|option| !option.starts_with("--") && option.chars().skip(1).any(|c| options.contains(c)))
    }

    /// The exact arguments that begin with a dash, up to `--`.
    pub(crate) fn options(&self) -> impl Iterator<Item = &str> {
        let options = self.args.iter().take_while(|arg| arg.text != "--");
        options.map(|arg| arg.text.as_str()).filter(|text| text.len() > 1 && text.starts_with('-'))
    }

    /// The arguments that are not options.
    pub fn operands(&self) -> Vec<&Value> {
        let mut after = false;
        let mut found = Vec::new();
        for arg in &self.args {
            if !after && arg.text == "--" {
                after = true;
            } else if after || arg.text.len() < 2 || !arg.text.starts_with('-') {
                found.push(arg);
            }
        }
        found
    }
}

/// Everything found in a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Analysis {
    /// Every command, in the order in which it is found.
    pub commands: Vec<Command>,
    /// Parts that could not be analysed, one sentence each.
    pub opaque: Vec<String>,
    /// Files that redirections read, as written; inexact ones are known only at run time.
    pub reads: Vec<Value>,
    /// Files that redirections write, in the same way.
    pub writes: Vec<Value>,
    /// Targets of network redirections, as `host:port`.
    pub connects: Vec<Value>,
    /// Functions that start another instance of themselves in a pipe or in the background.
    pub bombs: Vec<String>,
    /// The parts of the last pipeline at the top level of the text, outside compound commands.
    pub last_pipeline: Vec<String>,
}
