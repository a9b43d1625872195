//! The bytes of a command for whoever wants them as they come, unchanged and without a limit.

use std::fmt;

use crate::OutputStream;

/// Takes what a command prints byte for byte, while it runs. Called by the tool that runs it; may
/// block, which holds the command up.
pub trait ByteTap: Send + Sync {
    /// Whether it takes this stream; what it does not take goes to the events.
    fn takes(&self, stream: OutputStream) -> bool;
    /// Takes the next bytes of a stream that it takes.
    fn take(&self, stream: OutputStream, bytes: &[u8]);
}

impl fmt::Debug for dyn ByteTap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ByteTap")
    }
}
