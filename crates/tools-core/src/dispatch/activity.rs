//! What runs at this moment, for people who look on from another process.

use std::{path::Path, sync::Arc};

use crate::{CallerId, SessionId};

/// Shows people what runs. Called for calls that take long, and for jobs; never for the others,
/// which have ended before anybody could look.
pub trait ActivityBoard: Send + Sync {
    /// Shows an activity until the returned value is dropped. Returns `None` where it cannot be
    /// shown, which is no fault of the activity.
    fn show(&self, activity: &Activity<'_>) -> Option<Box<dyn Send + Sync>>;
}

/// A call or a job that runs.
#[derive(Debug, Clone)]
pub struct Activity<'a> {
    /// The tool that was called.
    pub tool: &'a str,
    /// The session of the call.
    pub session: &'a SessionId,
    /// Caller, where it is known.
    pub caller: Option<&'a CallerId>,
    /// The folder in which it works.
    pub workdir: &'a Path,
    /// The job; `None` for a call.
    pub job: Option<&'a str>,
    /// Subject of the call, such as a command line.
    pub title: String,
}

/// A board that a layer or a table carries; none where nobody can look on.
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
