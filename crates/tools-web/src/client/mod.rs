//! The connection itself: dialled to a vetted address only, TLS to the name that was asked for, one
//! request, a bounded body. There is no HTTP library above it that resolves names, follows
//! redirects, reads proxy variables or keeps connections.

mod body;
mod exchange;
mod web_client;

pub use body::Body;
#[cfg(any(test, feature = "test-support"))]
pub use tools_egress::dial::Dialer;
pub use web_client::{Fetched, Request, WebClient};
