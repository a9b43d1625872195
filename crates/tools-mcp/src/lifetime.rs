//! How long a connection lives: what ends it, and what is waited for then.

use std::time::Duration;

use tokio::time::{sleep, timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How long calls may still answer after the client closed its end. A client that pipes requests
/// into the server and closes gets its answers; one that is gone does not keep work alive.
const LINGER: Duration = Duration::from_millis(200);
/// How much longer they may wait for what they will run with.
const SETTING_UP: Duration = Duration::from_secs(5);
/// How long a cancelled call may take to put itself on record before its future is dropped.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// The end of a connection, and the calls that run on it. Clones share both.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lifetime {
    /// Cancelled when nobody waits for any answer of this connection any more.
    pub(crate) ended: CancellationToken,
    /// Cancelled when there is something to run calls with, or never will be.
    pub(crate) ready: CancellationToken,
    /// The calls that were read and not answered: each holds a token.
    pub(crate) calls: TaskTracker,
}

impl Lifetime {
    /// The client will send nothing more: calls may still answer for a moment, then they are
    /// cancelled.
    pub(crate) fn client_left(&self) {
        self.calls.close();
        let lifetime = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = lifetime.calls.wait() => {}
                () = lifetime.overdue() => {}
            }
            lifetime.ended.cancel();
        });
    }

    async fn overdue(&self) {
        let _ = timeout(SETTING_UP, self.ready.cancelled()).await;
        sleep(LINGER).await;
    }

    /// Cancels what runs and waits until it is gone, but not for ever.
    pub(crate) async fn wind_up(&self) {
        self.calls.close();
        self.ended.cancel();
        // A call that outlives this drops its future itself; one that blocks a thread is beyond
        // reach.
        let _ = timeout(PATIENCE + LINGER, self.calls.wait()).await;
    }
}
