//! Work in progress on a connection: unread answers, running calls, and their ids. A client that
//! sends faster than it reads has to wait, and an id can be used by one call at a time.

use std::collections::HashSet;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rmcp::model::RequestId;
use tokio::sync::Notify;
use tools_core::Locked as _;

/// Maximum number of bytes of waiting answers before reading from the client stops.
const MAX_WAITING_BYTES: usize = 4 << 20;
/// Maximum number of calls that run at once. Far more than any host starts, and few enough that
/// their answers fit into memory.
const MAX_CALLS: usize = 1024;

#[derive(Debug, Default)]
pub(crate) struct Backlog {
    bytes: AtomicUsize,
    calls: Mutex<HashSet<RequestId>>,
    changed: Notify,
}

impl Backlog {
    /// Whether another message can be taken.
    pub(crate) fn has_room(&self) -> bool {
        self.bytes.load(Ordering::Acquire) < MAX_WAITING_BYTES && self.calls.locked().len() < MAX_CALLS
    }

    /// Waits until another message can be taken.
    pub(crate) async fn room(&self) {
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            if self.has_room() {
                return;
            }
            changed.await;
        }
    }

    /// Whether a call with this id is still running.
    pub(crate) fn is_running(&self, id: &RequestId) -> bool {
        self.calls.locked().contains(id)
    }

    /// Begins a call. No other running call may have its id.
    pub(crate) fn begin(self: &Arc<Self>, id: &RequestId) -> Arc<RunningCall> {
        self.calls.locked().insert(id.clone());
        Arc::new(RunningCall { backlog: Arc::clone(self), id: id.clone() })
    }

    /// Registers a waiting answer for the lifetime of the returned value.
    pub(crate) fn waits(self: &Arc<Self>, bytes: usize) -> QueuedAnswer {
        self.bytes.fetch_add(bytes, Ordering::AcqRel);
        QueuedAnswer { backlog: Arc::clone(self), bytes }
    }
}

/// A call that has not ended.
#[derive(Debug)]
pub(crate) struct RunningCall {
    backlog: Arc<Backlog>,
    id: RequestId,
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.backlog.calls.locked().remove(&self.id);
        self.backlog.changed.notify_one();
    }
}

/// An answer that has not been written.
#[derive(Debug)]
pub(crate) struct QueuedAnswer {
    backlog: Arc<Backlog>,
    bytes: usize,
}

impl Drop for QueuedAnswer {
    fn drop(&mut self) {
        self.backlog.bytes.fetch_sub(self.bytes, Ordering::AcqRel);
        self.backlog.changed.notify_one();
    }
}
