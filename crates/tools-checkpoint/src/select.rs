//! Selects calls: the last ones, or those with certain numbers.

use crate::{error::CheckpointError, record::Checkpoint};

/// Calls of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoSelection {
    /// The last ones that were not undone, of one session or of all. Calls whose undo could not
    /// restore everything are skipped, so that they do not block others.
    Last {
        /// The number of calls.
        count: usize,
        /// The session; `None` for all.
        session: Option<String>,
    },
    /// Calls with these numbers.
    Numbers(Vec<u64>),
}

impl From<usize> for UndoSelection {
    fn from(count: usize) -> Self {
        Self::Last { count, session: None }
    }
}

impl UndoSelection {
    /// The selected records, the last one first.
    ///
    /// # Errors
    /// [`CheckpointError::NoSuchCall`].
    pub(crate) fn of(&self, all: Vec<Checkpoint>) -> Result<Vec<Checkpoint>, CheckpointError> {
        let standing = all.into_iter().rev().filter(|checkpoint| !checkpoint.undone && checkpoint.undoes.is_none());
        match self {
            Self::Last { count, session } => {
                let is_meant = |checkpoint: &Checkpoint| {
                    !checkpoint.tried && session.as_ref().is_none_or(|session| checkpoint.session == *session)
                };
                Ok(standing.filter(is_meant).take(*count).collect())
            }
            Self::Numbers(numbers) => {
                let found: Vec<_> = standing.filter(|checkpoint| numbers.contains(&checkpoint.number)).collect();
                match numbers.iter().find(|number| !found.iter().any(|checkpoint| checkpoint.number == **number)) {
                    Some(number) => Err(CheckpointError::NoSuchCall { number: *number }),
                    None => Ok(found),
                }
            }
        }
    }
}
