//! Calls that change a workspace, and the way back: through the layer and the store, as a host uses
//! them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod support;
mod undo;
