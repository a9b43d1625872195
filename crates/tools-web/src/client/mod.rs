//! The connection itself: dialled to a vetted address only, TLS to the name that was asked for, one
//! request, a bounded body. There is no HTTP library above it that resolves names, follows
//! redirects, reads proxy variables or keeps connections.

mod body;
mod exchange;
mod request;
mod web_client;

pub use body::Body;
pub use request::Request;
#[cfg(any(test, feature = "test-support"))]
pub use tools_egress::dial::Dialer;
pub use web_client::{Fetched, WebClient};
