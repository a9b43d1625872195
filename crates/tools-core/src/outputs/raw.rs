//! Access to the bytes of a command as they come, unchanged and without a limit.

use std::fmt;

use crate::OutputStream;

/// Takes the output of a running command byte for byte. Called by the tool that runs it; may block,
/// which also blocks the command.
pub trait ByteTap: Send + Sync {
    /// Whether the tap takes this stream; other streams go to the events.
    fn takes(&self, stream: OutputStream) -> bool;
    /// Takes the next bytes of a stream.
    fn take(&self, stream: OutputStream, bytes: &[u8]);
}

impl fmt::Debug for dyn ByteTap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ByteTap")
    }
}
