//! Resources of a session that a client can list and read, offered by a host besides its tools.

use async_trait::async_trait;
use thiserror::Error;
use tools_core::{SessionId, ToolCall};

/// Resources that a session can list and read. Called for the requests `resources/*` and
/// `completion/complete`. Implemented by hosts.
///
/// # Security
/// Every method must answer for its own session only: a URI of another session is
/// [`ResourceError::NotFound`], like one that never existed.
#[async_trait]
pub trait Resources: Send + Sync {
    /// One page of what the session can read. `cursor` is [`ResourcePage::next`] of the previous
    /// page, `None` for the first.
    ///
    /// # Errors
    /// [`ResourceError::Invalid`] for a cursor that no page returned.
    async fn list(&self, session: &SessionId, cursor: Option<&str>) -> Result<ResourcePage, ResourceError>;

    /// Templates of URIs that can be read besides the listed ones.
    fn templates(&self) -> Vec<ResourceTemplate>;

    /// Target of a URI.
    ///
    /// # Errors
    /// [`ResourceError::NotFound`] if the session has no such resource.
    async fn find(&self, session: &SessionId, uri: &str) -> Result<ResourceTarget, ResourceError>;

    /// Whether the content of a URI changes with the calls of its session. If so, subscribers are
    /// notified after each call; otherwise never.
    fn changes(&self, uri: &str) -> bool;

    /// Values of `variable` in the template `template` that begin with `begun`, at most 100. `None`
    /// if there is no such template or variable.
    async fn complete(
        &self,
        session: &SessionId,
        template: &str,
        variable: &str,
        begun: &str,
    ) -> Result<Option<Vec<String>>, ResourceError>;

    /// The resource with the stored output `reference` of a call, for a link in its result; `None`
    /// if there is none.
    async fn stored(&self, session: &SessionId, reference: &str) -> Option<Resource>;
}

/// One resource in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its URI in requests; stable for as long as the session lasts.
    pub uri: String,
    /// A short name.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// Its MIME type.
    pub mime: &'static str,
    /// Its size in bytes; `None` if unknown.
    pub bytes: Option<u64>,
}

/// A page of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResourcePage {
    /// The resources.
    pub resources: Vec<Resource>,
    /// The cursor of the next page; `None` at the end.
    pub next: Option<String>,
}

/// A template of URIs (RFC 6570).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceTemplate {
    /// The template, with variables in braces.
    pub uri: &'static str,
    /// A short name.
    pub name: &'static str,
    /// Description of the resource and its variables.
    pub description: &'static str,
    /// The MIME type of all resources of this template.
    pub mime: &'static str,
}

/// Target of a URI.
#[derive(Debug, Clone)]
pub enum ResourceTarget {
    /// These contents.
    Contents(Contents),
    /// The text of the result of this call, which goes through the stack: it is judged and recorded
    /// like a call of the client.
    Call {
        /// The call.
        call: ToolCall,
        /// Prefix of the URI of the next page: the byte offset at which the result continues is
        /// appended.
        next: String,
        /// The MIME type.
        mime: &'static str,
    },
}

/// Contents of a resource, or one page of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// The MIME type.
    pub mime: &'static str,
    /// The bytes.
    pub body: Body,
    /// The URI of the next page; `None` at the end. Clients get it as `haft/next` in `_meta`.
    pub next: Option<String>,
}

/// The bytes of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Text.
    Text(String),
    /// Binary data.
    Bytes(Vec<u8>),
}

/// Reason why a resource is not listed or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ResourceError {
    /// The session has no such resource.
    #[error("there is no such resource")]
    NotFound,
    /// The request itself is invalid.
    #[error("{0}")]
    Invalid(String),
    /// The store failed; the client reads this text.
    #[error("{0}")]
    Failed(String),
}
