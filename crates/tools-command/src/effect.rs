//! The effects of a command: the facts that gates, filters and questions are made from.

use std::borrow::Cow;

use tools_core::Access;

use crate::code::Language;
use crate::reader::Value;
use crate::registry::{Consequence, Doubt, More};

/// One thing that a command does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// A file or folder is touched.
    Path {
        /// The path as it is written.
        path: Value,
        /// Kind of the access.
        access: Access,
        /// Whether the access covers everything below the path too.
        is_tree: bool,
    },
    /// A host, an address or a URL is reached.
    Host(Value),
    /// The network is needed, but the hosts are not named.
    Network,
    /// A consequence beyond the files of the workspace.
    Is {
        /// Kind of the consequence.
        kind: Consequence,
        /// A clause that follows the command in a message.
        why: Cow<'static, str>,
    },
    /// The command cannot be seen through. The clause says why.
    Hidden(Cow<'static, str>),
    /// Another command is run.
    Words {
        /// Its words.
        words: Vec<Value>,
        /// Source of further words; `None` where there are none.
        more: Option<More>,
        /// Whether assignments may precede the program.
        has_variables: bool,
    },
    /// Values put into the commands that follow, as far as they are known: names or name patterns.
    Fills(Vec<Value>),
    /// A link is made.
    Links {
        /// Path of the link.
        link: Value,
        /// Target of the link, relative to the folder that the command runs in.
        target: Value,
    },
    /// A shell line is run.
    Line(Value),
    /// Another command is run on another machine or in a container: its words.
    WordsThere(Vec<Value>),
    /// A shell line is run on another machine or in a container.
    LineThere(Value),
    /// A file of code is run.
    Script(Value),
    /// Files with these names, where they exist, decide what the program does and may make it run
    /// anything. The names are read as in `Does::Obeys`.
    Obeys {
        /// The names, separated by blanks.
        names: &'static str,
        /// The folder in which the program looks for them.
        folder: Value,
        /// Whether the files list everything that the program runs, as in `Does::Follows`.
        is_recipe: bool,
    },
    /// Files of any name are created in a folder.
    Unpacks(Value),
    /// Code is run.
    Code(Language, Value),
    /// A variable is set for the commands that this one starts, or by a builtin for the shell
    /// itself.
    Sets(String, Value),
    /// An argument whose value is not fully known before the run, and the part of it that may
    /// change what the program does.
    MayDecide(Value, Doubt),
    /// The shell evaluates a text as an expression.
    Evaluates(Value),
    /// The commands that this one starts run in this folder.
    StartsIn(Value),
    /// The shell changes its folder; `None` where the new folder is not known.
    Folder(Option<Value>),
    /// The shell goes to the user's home.
    Home,
}

impl Effect {
    /// A command that cannot be seen through.
    pub fn hidden(why: impl Into<Cow<'static, str>>) -> Self {
        Self::Hidden(why.into())
    }

    /// A consequence with its usual clause.
    pub(crate) fn is(kind: Consequence) -> Self {
        Self::Is { kind, why: kind.clause().into() }
    }

    /// A consequence with a clause of its own.
    pub(crate) fn says(kind: Consequence, why: impl Into<Cow<'static, str>>) -> Self {
        Self::Is { kind, why: why.into() }
    }

    /// Another command with exactly these words.
    pub fn runs(words: Vec<Value>) -> Self {
        Self::Words { words, more: None, has_variables: false }
    }

    /// Whether the effect is recorded with the command itself; the others concern what it runs, or
    /// the whole line.
    pub(crate) fn is_lasting(&self) -> bool {
        matches!(self, Self::Path { .. } | Self::Host(_) | Self::Network | Self::Is { .. })
    }

    /// Files of the current folder decide what the program does.
    pub(crate) fn obeys(names: &'static str, is_recipe: bool) -> Self {
        Self::Obeys { names, folder: Value::exact(""), is_recipe }
    }

    /// The files of code that are run, or that say what is run.
    pub(crate) fn scripts(&self) -> Vec<Value> {
        match self {
            Self::Script(file) => vec![file.clone()],
            Self::Obeys { names, folder, is_recipe: true } => {
                names.split_ascii_whitespace().map(|name| folder.beneath(name)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// A file that is read, written or removed.
    pub fn path(path: Value, access: Access) -> Self {
        Self::Path { path, access, is_tree: false }
    }
}
