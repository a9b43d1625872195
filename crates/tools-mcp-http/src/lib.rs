//! MCP over streamable HTTP, for clients that are no children of this process and on other
//! machines.
//!
//! Every request needs the token of a guest. Each guest has a server of its own
//! ([`tools_mcp::McpServer`]), with its own tools, roots and rules: no session of one can be
//! reached with the token of another. Both revisions of the protocol are served: with the
//! handshake, each client has a session; since 2026-07-28, which knows none, the requests of a
//! guest share one.
//!
//! Requests from pages of the web (`Origin`) and for other hosts than this one (`Host`) are
//! refused, and nothing is served unencrypted but on a loopback address.

mod error;
mod events;
mod guest;
#[cfg(feature = "guest-file")]
mod guest_file;
mod guest_list;
mod headers;
mod listener;
mod open_requests;
mod refusal;
mod server_name;
mod sessions;
mod settings;
mod tls;

pub use error::HttpError;
pub use guest::{Guest, MIN_TOKEN_CHARS, new_token};
#[cfg(feature = "guest-file")]
pub use guest_file::{GuestsError, HttpGuest};
pub use guest_list::GuestList;
pub use headers::SERVER_HEADER;
pub use listener::HttpServer;
pub use settings::HttpSettings;
pub use tls::Tls;
pub use tools_core::{ServerName, ServerNameError};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
