//! JSON-RPC 2.0 over lines: messages, identifiers, errors, and the sender.

mod error;
mod lines;
mod message;
mod peer;

pub(crate) use error::RpcError;
pub(crate) use lines::{Line, Lines, MAX_MESSAGE_BYTES};
pub(crate) use message::{IncomingMessage, RequestId};
pub(crate) use peer::{AskError, Peer, write_all};
