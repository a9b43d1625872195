//! MCP over streamable HTTP, for clients that are not children of this process or are on other
//! machines.
//!
//! Every request needs the token of a guest. Each guest has a separate server
//! ([`tools_mcp::McpServer`]), with its own tools, roots and rules: no session of one can be
//! reached with the token of another. Both revisions of the protocol are served. With the
//! handshake, each client has a session; since 2026-07-28, without sessions in the protocol, the
//! requests of a guest share one.
//!
//! Requests from web pages (`Origin`) and for other hosts (`Host`) are refused, and unencrypted
//! connections are accepted on loopback addresses only.

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
