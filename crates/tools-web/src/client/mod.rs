//! The HTTP client: it connects to vetted addresses only, checks the certificate for the host of
//! the URL, sends one request and reads a bounded body. No HTTP library above it resolves names,
//! follows redirects, reads proxy variables or keeps connections.

mod body;
mod exchange;
mod request;
mod web_client;

pub use body::Body;
pub use request::Request;
#[cfg(any(test, feature = "test-support"))]
pub use tools_egress::dial::Dialer;
pub use web_client::{Fetched, WebClient};
