//! The bytes of a command for whoever wants them as they come, unchanged and without a limit.

use std::{fmt, sync::Arc};

use crate::OutputStream;

/// Takes what a command prints byte for byte, while it runs. Called by the tool that runs it; may
/// block, which holds the command up.
pub trait ByteTap: Send + Sync {
    /// Whether it takes this stream; what it does not take goes to the events.
    fn takes(&self, stream: OutputStream) -> bool;
    /// Takes the next bytes of a stream that it takes.
    fn take(&self, stream: OutputStream, bytes: &[u8]);
}

/// A tap that a call context carries.
#[derive(Clone)]
pub(crate) struct TapExtension(pub(crate) Arc<dyn ByteTap>);

impl fmt::Debug for TapExtension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TapExtension").finish_non_exhaustive()
    }
}
