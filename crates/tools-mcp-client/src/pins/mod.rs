//! Accepted definitions of tools and changes since: the file `mcp.lock.json`, the comparison, and
//! signs of suspicious definitions. Does not communicate with servers.

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
