//! All that a command prints, both streams as they came: held while it is short, given to whoever
//! takes long text when it is not.

use std::sync::Arc;

use tools_core::{Digest, Gap, Intake};

use crate::capture::HeadTail;
use crate::spool::Spool;

/// So much is held.
const HELD: usize = 1 << 20;

/// The output of a command.
pub(crate) struct Whole {
    /// Its ends; all of it as long as it is held.
    ends: HeadTail,
    /// Bytes of it that are for the model where nobody takes it.
    shown: usize,
    intake: Option<Arc<dyn Intake>>,
    spool: Option<Spool>,
}

/// The output of a command that has ended.
#[derive(Debug)]
pub(crate) enum CommandOutput {
    /// It was held: all of it, or its ends where nobody takes long text.
    Held(HeadTail),
    /// It was taken; the ends beside it.
    Taken(HeadTail, Box<Digest>),
}

impl Whole {
    /// Nothing yet. Of what nobody takes `shown` bytes are kept.
    pub(crate) fn new(shown: usize, intake: Option<Arc<dyn Intake>>) -> Self {
        let most = if intake.is_some() { shown.max(HELD) } else { shown };
        Self { ends: HeadTail::new(most), shown, intake, spool: None }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.spool.is_none()
            && let Some(intake) = self.intake.as_ref().filter(|_| !self.ends.has_room(bytes.len()))
        {
            let mut spool = Spool::open(intake.as_ref());
            let (head, tail) = self.ends.slices();
            spool.push(head);
            for part in tail {
                spool.push(part);
            }
            self.ends = self.ends.narrowed(self.shown);
            self.spool = Some(spool);
        }
        if let Some(spool) = &mut self.spool {
            spool.push(bytes);
        }
        self.ends.push(bytes);
    }

    /// Whether the command should wait.
    pub(crate) fn is_full(&self) -> bool {
        self.spool.as_ref().is_some_and(Spool::is_full)
    }

    /// Waits until there is room. Can be dropped.
    pub(crate) async fn room(&self) {
        if let Some(spool) = &self.spool {
            spool.room().await;
        }
    }

    /// What it was, once the command has ended with this code.
    pub(crate) async fn finish(self, exit: Option<i32>) -> CommandOutput {
        match self.spool {
            None => CommandOutput::Held(self.ends),
            Some(spool) => match spool.finish(exit).await {
                Some(digest) => CommandOutput::Taken(self.ends, Box::new(digest)),
                // Whoever took it failed: the ends are left.
                None => CommandOutput::Held(self.ends),
            },
        }
    }
}

impl CommandOutput {
    /// About how many bytes it takes.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Held(kept) => kept.total() - kept.lost(),
            Self::Taken(_, digest) => (digest.head.len() + digest.tail.len()) as u64,
        }
    }

    /// The text that is held, and what is missing of it.
    pub(crate) fn into_parts(self) -> (String, Option<Gap>) {
        match self {
            Self::Held(kept) | Self::Taken(kept, _) => kept.into_parts(),
        }
    }
}
