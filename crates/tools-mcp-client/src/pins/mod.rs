//! What definitions of tools were accepted, and what has changed since: the file `mcp.lock.json`,
//! the comparison, and the signs by which a definition looks suspicious. Nothing here talks to a
//! server.

mod compare;
mod definition;
mod difference;
mod lock;
mod signs;

pub use compare::{Finding, Found, compare};
pub(crate) use definition::hexadecimal;
pub use definition::{Definition, digest};
pub use difference::difference;
pub use lock::{LockFile, LockStore, ServerPins};
pub use signs::{Sign, Surroundings};
pub(crate) use signs::{signs, skeleton};
