//! Lifetime of a connection: what ends it, and what it waits for at the end.

use std::time::Duration;

use tokio::time::{sleep, timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Time for calls to answer after the client closed its end. A client that pipes requests and
/// closes still gets answers, and one that is gone does not keep work alive.
const LINGER: Duration = Duration::from_millis(200);
/// Additional time for calls that wait for the server to be built.
const SETTING_UP: Duration = Duration::from_secs(5);
/// Time for a cancelled call to record itself before its future is dropped.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// The end of a connection, and the calls that run on it. Clones share both.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lifetime {
    /// Cancelled when nobody waits for answers of this connection any more.
    pub(crate) ended: CancellationToken,
    /// Cancelled when the server is built, or its building has failed.
    pub(crate) ready: CancellationToken,
    /// Calls that were read and not answered: each holds a token.
    pub(crate) calls: TaskTracker,
}

impl Lifetime {
    /// Called when the client will send nothing more. Calls may still answer for a short time, then
    /// they are cancelled.
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

    /// Cancels running calls and waits for them, with a time limit.
    pub(crate) async fn shut_down(&self) {
        self.calls.close();
        self.ended.cancel();
        // A call that outlives this drops its future itself; one that blocks a thread cannot be
        // ended.
        let _ = timeout(PATIENCE + LINGER, self.calls.wait()).await;
    }
}
