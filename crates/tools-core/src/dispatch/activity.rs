//! Display of running calls and jobs for people in another process.

use std::{path::Path, sync::Arc};

use crate::{CallerId, SessionId};

/// Displays running activities. Called for long calls and for jobs, never for short calls, which
/// end before anybody could look.
pub trait ActivityBoard: Send + Sync {
    /// Shows an activity until the returned value is dropped. `None` if it cannot be shown, which
    /// is not an error of the activity.
    fn show(&self, activity: &Activity<'_>) -> Option<Box<dyn Send + Sync>>;
}

/// A running call or job.
#[derive(Debug, Clone)]
pub struct Activity<'a> {
    /// The tool that was called.
    pub tool: &'a str,
    /// The session of the call.
    pub session: &'a SessionId,
    /// Caller; `None` if unknown.
    pub caller: Option<&'a CallerId>,
    /// Working directory of the activity.
    pub workdir: &'a Path,
    /// The job; `None` for a call.
    pub job: Option<&'a str>,
    /// Subject of the call, such as a command line.
    pub title: String,
}

/// Optional board in a layer or a table; none if nobody can look on.
#[derive(Clone, Default)]
pub struct OptionalBoard(Option<Arc<dyn ActivityBoard>>);

impl OptionalBoard {
    /// This board.
    pub fn new(board: Arc<dyn ActivityBoard>) -> Self {
        Self(Some(board))
    }

    /// Whether there is one.
    pub fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// [`ActivityBoard::show`], `None` without a board.
    pub fn show(&self, activity: &Activity<'_>) -> Option<Box<dyn Send + Sync>> {
        self.0.as_ref()?.show(activity)
    }
}

impl std::fmt::Debug for OptionalBoard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("OptionalBoard").field(&self.is_some()).finish()
    }
}
