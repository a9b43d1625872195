//! A memory: its text, owner, origin and validity.

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

/// A memory to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMemory {
    /// The content.
    pub content: String,
    /// Its kind.
    pub kind: MemoryKind,
    /// Additional search words.
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
    /// Whether it may contain text from outside.
    pub untrusted: bool,
    /// Expiry; `None` for never.
    pub expires_at: Option<Timestamp>,
    /// The memory that it replaces.
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
    /// Additional search words.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The session or person that saved it.
    #[serde(default)]
    pub origin: String,
    /// The call that saved it.
    pub call: Option<String>,
    /// The session that saved it.
    pub session: Option<String>,
    /// Whether it may contain text from outside.
    pub untrusted: bool,
    /// Time when it was saved.
    pub created_at: Timestamp,
    /// Expiry; `None` for never.
    pub expires_at: Option<Timestamp>,
    /// The memory that replaced it; a replaced memory is not found by searching.
    pub superseded_by: Option<String>,
    /// Number of times it was found.
    #[serde(default)]
    pub uses: u64,
    /// Time when it was last found.
    pub last_used_at: Option<Timestamp>,
}
