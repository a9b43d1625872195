//! Texts of a session that a client can list and read: what a host offers beside its tools.

use async_trait::async_trait;
use thiserror::Error;
use tools_core::{SessionId, ToolCall};

/// Resources that a session can list and read. Called for the requests `resources/*` and
/// `completion/complete`. Implemented by hosts.
///
/// # Security
/// Every method has to answer for its session alone: a URI of another session is
/// [`ResourceError::NotFound`], like one that never was.
#[async_trait]
pub trait Resources: Send + Sync {
    /// One page of what the session can read. `cursor` is [`ResourcePage::next`] of the page
    /// before, `None` for the first.
    ///
    /// # Errors
    /// [`ResourceError::Invalid`] for a cursor that no page gave.
    async fn list(&self, session: &SessionId, cursor: Option<&str>) -> Result<ResourcePage, ResourceError>;

    /// The URIs with variables that can be read besides those that are listed.
    fn templates(&self) -> Vec<ResourceTemplate>;

    /// Target of a URI.
    ///
    /// # Errors
    /// [`ResourceError::NotFound`] where the session has nothing of this name.
    async fn find(&self, session: &SessionId, uri: &str) -> Result<ResourceTarget, ResourceError>;

    /// Whether what a URI names changes with the calls of its session. If so, subscribers are
    /// notified after each call; about other resources they get no notification.
    fn changes(&self, uri: &str) -> bool;

    /// Values of `variable` in the template `template` that begin with `begun`, at most 100. `None`
    /// where there is no such template or variable.
    async fn complete(
        &self,
        session: &SessionId,
        template: &str,
        variable: &str,
        begun: &str,
    ) -> Result<Option<Vec<String>>, ResourceError>;

    /// The resource that holds the stored output `reference` of a call, for a link in its result;
    /// `None` for none.
    async fn stored(&self, session: &SessionId, reference: &str) -> Option<Resource>;
}

/// One resource in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its name for requests; the same for as long as the session lasts.
    pub uri: String,
    /// A short name.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// Its MIME type.
    pub mime: &'static str,
    /// Its size in bytes; `None` where it is not known.
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

/// A form of URIs (RFC 6570).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceTemplate {
    /// The form, with variables in braces.
    pub uri: &'static str,
    /// A short name.
    pub name: &'static str,
    /// Description of the resource and its variables.
    pub description: &'static str,
    /// The MIME type of all resources of this form.
    pub mime: &'static str,
}

/// Target of a URI.
#[derive(Debug, Clone)]
pub enum ResourceTarget {
    /// This.
    Contents(Contents),
    /// The text of the result of this call, which goes through the stack: it is judged and recorded
    /// like a call of the client's.
    Call {
        /// The call.
        call: ToolCall,
        /// The beginning of the URI of the next page: the byte at which the result says that it
        /// goes on is appended.
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
    /// The URI of the next page; `None` at the end. Clients find it as `haft/next` in `_meta`.
    pub next: Option<String>,
}

/// The bytes of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Text.
    Text(String),
    /// Anything else.
    Bytes(Vec<u8>),
}

/// Reason why a resource is not listed or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ResourceError {
    /// The session has nothing of this name.
    #[error("there is no such resource")]
    NotFound,
    /// The request itself is wrong.
    #[error("{0}")]
    Invalid(String),
    /// The store failed; the client reads this text.
    #[error("{0}")]
    Failed(String),
}
