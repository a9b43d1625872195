//! What a command is found to do: the facts that gates, filters and questions are made from.

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
        /// Its path, as it is written.
        path: Value,
        /// Kind of the access.
        access: Access,
        /// Whether everything below is meant too.
        is_tree: bool,
    },
    /// A host, an address or a URL is reached.
    Host(Value),
    /// The network is needed, for hosts that are not named.
    Network,
    /// Something that concerns more than the files of the workspace.
    Is {
        /// What.
        kind: Consequence,
        /// A clause that follows the command.
        why: Cow<'static, str>,
    },
    /// It cannot be seen through: a clause that says what.
    Hidden(Cow<'static, str>),
    /// Another command is run.
    Words {
        /// Its words.
        words: Vec<Value>,
        /// Further words from elsewhere.
        more: Option<More>,
        /// Whether assignments may stand in front of the program.
        has_variables: bool,
    },
    /// What is put into the commands that follow, as far as it is known: names, or patterns of
    /// them.
    Fills(Vec<Value>),
    /// A name is made that leads to something else.
    Links {
        /// The name.
        link: Value,
        /// What it leads to, from the folder that the command runs in.
        target: Value,
    },
    /// A line for a shell is run.
    Line(Value),
    /// Another command is run on another machine or in a container: its words.
    WordsThere(Vec<Value>),
    /// A line for a shell is run there.
    LineThere(Value),
    /// A file of code is run.
    Script(Value),
    /// Files of these names, where they exist, decide what the program does and may make it run
    /// anything. The names are read as in `Does::Obeys`.
    Obeys {
        /// The names, separated by blanks.
        names: &'static str,
        /// The folder in which it looks for them.
        folder: Value,
        /// Whether they list all that it runs, as in `Does::Follows`.
        is_recipe: bool,
    },
    /// Files of any name come to be in a folder.
    Unpacks(Value),
    /// Code is run.
    Code(Language, Value),
    /// A variable is set for what it starts, or by a builtin for the shell itself.
    Sets(String, Value),
    /// An argument that is not wholly known before it runs, and the part of it that may change what
    /// the program does.
    MayDecide(Value, Doubt),
    /// A text is evaluated by the shell as an expression.
    Evaluates(Value),
    /// Commands that it starts work in this folder.
    StartsIn(Value),
    /// The shell's folder changes; `None` where it cannot be told to which.
    Folder(Option<Value>),
    /// The shell goes to the user's home.
    Home,
}

impl Effect {
    /// It cannot be seen through.
    pub fn hidden(why: impl Into<Cow<'static, str>>) -> Self {
        Self::Hidden(why.into())
    }

    /// A consequence in its usual words.
    pub(crate) fn is(kind: Consequence) -> Self {
        Self::Is { kind, why: kind.clause().into() }
    }

    /// A consequence in words of its own.
    pub(crate) fn says(kind: Consequence, why: impl Into<Cow<'static, str>>) -> Self {
        Self::Is { kind, why: why.into() }
    }

    /// Another command, as its words stand.
    pub fn runs(words: Vec<Value>) -> Self {
        Self::Words { words, more: None, has_variables: false }
    }

    /// Whether it is told of the command itself; everything else is told of what it runs or of the
    /// line.
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
