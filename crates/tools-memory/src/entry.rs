//! A memory: what is said, whose it is, where it comes from, and how long it counts.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Scope of a memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// In the project it was saved in.
    #[default]
    Project,
    /// In every project of the user.
    User,
    /// In the session it was saved in.
    Session,
}

impl Scope {
    /// Its name, as it is serialized.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
            Self::Session => "session",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Project, Self::User, Self::Session].into_iter().find(|scope| scope.as_str() == text)
    }
}

/// Kind of a memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryKind {
    /// Something that is so.
    #[default]
    Fact,
    /// A preference.
    Preference,
    /// A decision and its reason.
    Decision,
    /// A procedure.
    Procedure,
}

impl MemoryKind {
    /// Its name, as it is serialized.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fact => "fact",
            Self::Preference => "preference",
            Self::Decision => "decision",
            Self::Procedure => "procedure",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Fact, Self::Preference, Self::Decision, Self::Procedure].into_iter().find(|kind| kind.as_str() == text)
    }
}

/// A memory that is to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMemory {
    /// The content.
    pub content: String,
    /// Its kind.
    pub kind: MemoryKind,
    /// Words it is found by as well.
    pub tags: Vec<String>,
    /// Its scope.
    pub scope: Scope,
    /// The project or the session it belongs to; empty for the user's own.
    pub owner: String,
    /// The session or person that saved it: `memory_save`, `import`, or what a host says.
    pub origin: String,
    /// The call that saved it.
    pub call: Option<String>,
    /// The session that saved it.
    pub session: Option<String>,
    /// Whether text from outside may be in it.
    pub untrusted: bool,
    /// When it stops counting; `None` for never.
    pub expires_at: Option<Timestamp>,
    /// The memory that it takes the place of.
    pub supersedes: Option<String>,
}

/// A stored memory. This is also a line of `haft memory export`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Its identifier.
    pub id: String,
    /// Its scope.
    pub scope: Scope,
    /// The project or the session it belongs to; empty for the user's own.
    pub owner: String,
    /// Its kind.
    pub kind: MemoryKind,
    /// The content.
    pub content: String,
    /// Words it is found by as well.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The session or person that saved it.
    #[serde(default)]
    pub origin: String,
    /// The call that saved it.
    pub call: Option<String>,
    /// The session that saved it.
    pub session: Option<String>,
    /// Whether text from outside may be in it.
    pub untrusted: bool,
    /// When it was saved.
    pub created_at: Timestamp,
    /// When it stops counting; `None` for never.
    pub expires_at: Option<Timestamp>,
    /// The memory that took its place; such a one is not found by searching.
    pub superseded_by: Option<String>,
    /// Number of times it was found.
    #[serde(default)]
    pub uses: u64,
    /// When it was found last.
    pub last_used_at: Option<Timestamp>,
}
