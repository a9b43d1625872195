//! Walks down and up a tree by handle with few directories open, so that a deep tree does not use
//! up the descriptors of the process.

use std::io;

use tools_sandbox::{Directory, FileId};

/// Maximum number of directories kept open on the way down.
const OPEN: usize = 8;

/// The path from the top of a tree to the current directory of a walk.
#[derive(Debug, Default)]
pub(crate) struct Trail {
    levels: Vec<Level>,
}

#[derive(Debug)]
struct Level {
    id: FileId,
    /// `None` when it was closed on the way down. On the way up it is reopened as the parent of the
    /// directory below it.
    open: Option<Directory>,
}

impl Trail {
    pub(crate) fn new(top: Directory) -> io::Result<Self> {
        let mut trail = Self::default();
        trail.down(top)?;
        Ok(trail)
    }

    /// The current directory; `None` above the top.
    pub(crate) fn here(&self) -> Option<&Directory> {
        self.levels.last()?.open.as_ref()
    }

    pub(crate) fn down(&mut self, directory: Directory) -> io::Result<()> {
        let id = directory.metadata()?.id;
        if let Some(level) = self.levels.len().checked_sub(OPEN) {
            self.levels[level].open = None;
        }
        self.levels.push(Level { id, open: Some(directory) });
        Ok(())
    }

    /// Leaves the current directory.
    ///
    /// # Errors
    /// The directory above had to be reopened and is no longer the same.
    pub(crate) fn up(&mut self) -> io::Result<()> {
        let Some(Level { open: Some(left), .. }) = self.levels.pop() else {
            return Ok(());
        };
        if let Some(level) = self.levels.last_mut()
            && level.open.is_none()
        {
            level.open = Some(left.parent(level.id)?);
        }
        Ok(())
    }
}
