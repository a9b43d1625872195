//! What each session last read of a file, so that it does not overwrite what it has not seen. Compared by content: times
//! lie after a checkout, a formatter or a touch.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use tools_core::SessionId;

use crate::digest::{Digest, Key};

/// The longest content that is kept whole, to say what changed; of longer ones only the digest is kept.
pub(crate) const KEPT: usize = 1024 * 1024;
/// All contents together.
const TOTAL: usize = 32 * 1024 * 1024;
/// All entries together.
const ENTRIES: usize = 4096;

/// What one session saw of one file.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    digest: u64,
    length: u64,
    content: Option<Arc<[u8]>>,
    age: u64,
}

impl Seen {
    pub(crate) fn content(&self) -> Option<&[u8]> {
        self.content.as_deref()
    }
}

/// The memory of all sessions of a host; forgets the oldest first.
#[derive(Debug, Default)]
pub(crate) struct ReadMemory {
    key: Key,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    seen: HashMap<SessionId, HashMap<PathBuf, Seen>>,
    clock: u64,
    entries: usize,
    bytes: usize,
}

impl ReadMemory {
    /// For taking in a content that is read piece by piece.
    pub(crate) fn digest(&self) -> Digest {
        Digest::new(self.key)
    }

    /// Notes that the session saw a file whole. `content` is kept if it is short enough.
    pub(crate) fn saw(&self, session: &SessionId, path: &Path, content: &[u8]) {
        let kept = (content.len() <= KEPT).then(|| Arc::from(content));
        self.note(session, path, Digest::of(self.key, content), content.len() as u64, kept);
    }

    /// Notes that the session saw a file whose content is too long to keep.
    pub(crate) fn saw_digest(&self, session: &SessionId, path: &Path, digest: &Digest) {
        self.note(session, path, digest.finish(), digest.length(), None);
    }

    /// Notes the session's own change, if it had read the file before.
    pub(crate) fn wrote(&self, session: &SessionId, path: &Path, content: &[u8]) {
        if self.knows(session, path) {
            self.saw(session, path, content);
        }
    }

    /// What the session saw, when that is not what is there now.
    pub(crate) fn stale(&self, session: &SessionId, path: &Path, now: &[u8]) -> Option<Seen> {
        let seen = self.with(|state| state.seen.get(session)?.get(path).cloned())?;
        let same = seen.length == now.len() as u64 && seen.digest == Digest::of(self.key, now);
        (!same).then_some(seen)
    }

    /// Whether the session has seen the file.
    pub(crate) fn knows(&self, session: &SessionId, path: &Path) -> bool {
        self.with(|state| state.seen.get(session).is_some_and(|files| files.contains_key(path)))
    }

    /// Whether the session saw something else than what has this digest.
    pub(crate) fn stale_digest(&self, session: &SessionId, path: &Path, now: &Digest) -> bool {
        let seen = self.with(|state| state.seen.get(session)?.get(path).cloned());
        seen.is_some_and(|seen| (seen.length, seen.digest) != (now.length(), now.finish()))
    }

    fn note(&self, session: &SessionId, path: &Path, digest: u64, length: u64, content: Option<Arc<[u8]>>) {
        self.with(|state| {
            state.clock += 1;
            let size = content.as_ref().map_or(0, |content| content.len());
            let seen = Seen { digest, length, content, age: state.clock };
            let old = state.seen.entry(session.clone()).or_default().insert(path.to_path_buf(), seen);
            state.bytes += size;
            match old {
                Some(old) => state.bytes -= old.content.map_or(0, |content| content.len()),
                None => state.entries += 1,
            }
            while state.entries > ENTRIES || state.bytes > TOTAL {
                state.forget_oldest();
            }
        });
    }

    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl State {
    fn forget_oldest(&mut self) {
        let all =
            self.seen.iter().flat_map(|(session, files)| files.iter().map(move |(path, seen)| (seen, session, path)));
        let Some((session, path)) =
            all.min_by_key(|(seen, ..)| seen.age).map(|(_, session, path)| (session.clone(), path.clone()))
        else {
            (self.entries, self.bytes) = (0, 0);
            return;
        };
        if let Some(files) = self.seen.get_mut(&session) {
            if let Some(seen) = files.remove(&path) {
                self.entries -= 1;
                self.bytes -= seen.content.map_or(0, |content| content.len());
            }
            if files.is_empty() {
                self.seen.remove(&session);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_session_that_read_the_file_is_told_that_it_changed() {
        let (memory, mine, other) = (ReadMemory::default(), SessionId::generate(), SessionId::generate());
        let path = Path::new("/f");
        assert!(memory.stale(&mine, path, b"a").is_none());
        memory.wrote(&mine, path, b"never read");
        assert!(memory.stale(&mine, path, b"a").is_none());
        memory.saw(&mine, path, b"a");
        assert!(memory.stale(&mine, path, b"a").is_none());
        assert_eq!(memory.stale(&mine, path, b"b").unwrap().content(), Some(&b"a"[..]));
        assert!(memory.stale(&other, path, b"b").is_none());
        memory.wrote(&mine, path, b"b");
        assert!(memory.stale(&mine, path, b"b").is_none());
    }

    #[test]
    fn the_oldest_is_forgotten_when_there_is_too_much() {
        let (memory, session) = (ReadMemory::default(), SessionId::generate());
        let big = vec![b'x'; KEPT];
        for n in 0..40 {
            memory.saw(&session, Path::new(&format!("/{n}")), &big);
        }
        assert!(memory.stale(&session, Path::new("/0"), b"changed").is_none());
        assert!(memory.stale(&session, Path::new("/39"), b"changed").is_some());
        assert!(memory.with(|state| state.bytes <= TOTAL && state.entries <= 32));
    }
}
