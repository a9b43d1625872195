//! Interface of a resolver of names. It does not judge the answers.

use std::net::IpAddr;

use async_trait::async_trait;
use thiserror::Error;

/// Looks names up. Called by [`super::Guard`] once for each connection; implemented by
/// [`super::SystemResolver`], and by tests with scripted answers.
///
/// Whatever it answers is judged: a resolver cannot make an address public.
#[async_trait]
pub trait HostResolver: Send + Sync {
    /// All addresses of a normalised name (ASCII, no trailing dot).
    ///
    /// # Errors
    /// If no server answered. A name without addresses is an empty answer.
    async fn lookup(&self, name: &str) -> Result<Answer, LookupError>;
}

/// Addresses of a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The addresses, of both families.
    pub addresses: Vec<IpAddr>,
    /// Names in the alias chain of the name, in order; empty if there are none.
    pub aliases: Vec<String>,
}

impl From<Vec<IpAddr>> for Answer {
    fn from(addresses: Vec<IpAddr>) -> Self {
        Self { addresses, aliases: Vec::new() }
    }
}

/// A name could not be looked up.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct LookupError(pub String);
