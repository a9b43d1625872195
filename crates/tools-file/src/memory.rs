//! The content of each file that a session last read or wrote, so that it does not overwrite
//! changes it has not seen. Contents are compared, because time stamps are unreliable after a
//! checkout, a formatter or a touch.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tools_core::{Locked as _, SessionId};

use crate::digest::{Digest, Key};

/// Maximum length of content kept whole, to show what changed; for longer content only the digest
/// is kept.
pub(crate) const MAX_KEPT_BYTES: usize = 1024 * 1024;
/// Maximum size of all contents together in bytes.
const TOTAL: usize = 32 * 1024 * 1024;
/// Maximum number of entries.
const ENTRIES: usize = 4096;

/// Reason why a session knows a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Knowledge {
    /// The session was shown the file, or how it changed.
    Read,
    /// The session wrote the file, or a part of it, without having read it.
    Written,
}

/// The content of one file as a session saw it.
#[derive(Debug, Clone)]
pub(crate) struct FileSighting {
    knowledge: Knowledge,
    digest: u64,
    length: u64,
    content: Option<Arc<[u8]>>,
    age: u64,
}

impl FileSighting {
    pub(crate) fn content(&self) -> Option<&[u8]> {
        self.content.as_deref()
    }
}

/// Files that the sessions of a host read and wrote, shared by its clones. An edit uses it to
/// notice a change by someone else.
#[derive(Debug, Clone, Default)]
pub struct SeenFiles(pub(crate) Arc<ReadMemory>);

impl SeenFiles {
    /// Forgets a session that has ended. If the session continues, it counts as having read
    /// nothing.
    pub fn forget(&self, session: &SessionId) {
        self.0.forget(session);
    }
}

/// The memory of all sessions of a host; drops the oldest entries first.
#[derive(Debug, Default)]
pub(crate) struct ReadMemory {
    key: Key,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    seen: HashMap<SessionId, HashMap<PathBuf, FileSighting>>,
    clock: u64,
    entries: usize,
    bytes: usize,
}

impl ReadMemory {
    /// A digest for content that is read piece by piece.
    pub(crate) fn digest(&self) -> Digest {
        Digest::new(self.key)
    }

    /// Records that the session saw a whole file. `content` is kept if it is short enough.
    pub(crate) fn record_read(&self, session: &SessionId, path: &Path, content: &[u8]) {
        let kept = (content.len() <= MAX_KEPT_BYTES).then(|| Arc::from(content));
        let length = content.len() as u64;
        let digest = Digest::of(self.key, content);
        self.note(session, path, FileSighting { knowledge: Knowledge::Read, digest, length, content: kept, age: 0 });
    }

    /// Records that the session saw a file whose content is too long to keep.
    pub(crate) fn record_read_digest(&self, session: &SessionId, path: &Path, digest: &Digest) {
        let (digest, length) = (digest.finish(), digest.length());
        self.note(session, path, FileSighting { knowledge: Knowledge::Read, digest, length, content: None, age: 0 });
    }

    /// Records the session's own change. A session that had read the file still knows it.
    pub(crate) fn record_write(&self, session: &SessionId, path: &Path, content: &[u8]) {
        let known = self.with(|state| state.seen.get(session)?.get(path).map(|seen| seen.knowledge));
        let kept = (content.len() <= MAX_KEPT_BYTES).then(|| Arc::from(content));
        let (digest, length) = (Digest::of(self.key, content), content.len() as u64);
        let knowledge = known.unwrap_or(Knowledge::Written);
        self.note(session, path, FileSighting { knowledge, digest, length, content: kept, age: 0 });
    }

    /// The content that the session read or wrote, if the file is different now.
    pub(crate) fn stale(&self, session: &SessionId, path: &Path, now: &[u8]) -> Option<FileSighting> {
        let seen = self.with(|state| state.seen.get(session)?.get(path).cloned())?;
        let same = seen.length == now.len() as u64 && seen.digest == Digest::of(self.key, now);
        (!same).then_some(seen)
    }

    /// The content that the session read, if the file is different now. Content that it only wrote
    /// does not count: an edit replaces text that it finds, and several sessions may edit one file.
    pub(crate) fn stale_reading(&self, session: &SessionId, path: &Path, now: &[u8]) -> Option<FileSighting> {
        self.stale(session, path, now).filter(|seen| seen.knowledge == Knowledge::Read)
    }

    /// Whether the session has seen the file.
    pub(crate) fn knows(&self, session: &SessionId, path: &Path) -> bool {
        self.with(|state| state.seen.get(session).is_some_and(|files| files.contains_key(path)))
    }

    /// Whether the session saw content with another digest.
    pub(crate) fn stale_digest(&self, session: &SessionId, path: &Path, now: &Digest) -> bool {
        let seen = self.with(|state| state.seen.get(session)?.get(path).cloned());
        seen.is_some_and(|seen| (seen.length, seen.digest) != (now.length(), now.finish()))
    }

    fn note(&self, session: &SessionId, path: &Path, seen: FileSighting) {
        self.with(|state| {
            state.clock += 1;
            let size = seen.content.as_ref().map_or(0, |content| content.len());
            let seen = FileSighting { age: state.clock, ..seen };
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

    fn forget(&self, session: &SessionId) {
        self.with(|state| {
            let files = state.seen.remove(session).unwrap_or_default();
            state.entries -= files.len();
            state.bytes -= files.values().filter_map(FileSighting::content).map(<[u8]>::len).sum::<usize>();
        });
    }

    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.state.locked())
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
    fn a_session_is_told_of_changes_to_what_it_read_or_wrote() {
        let (memory, mine, other) = (ReadMemory::default(), SessionId::generate(), SessionId::generate());
        let path = Path::new("/f");
        assert!(memory.stale(&mine, path, b"a").is_none());
        memory.record_write(&mine, path, b"never read");
        assert!(memory.stale(&mine, path, b"never read").is_none());
        assert_eq!(memory.stale(&mine, path, b"a").unwrap().content(), Some(&b"never read"[..]));
        assert!(memory.stale_reading(&mine, path, b"a").is_none());
        memory.record_read(&mine, path, b"a");
        assert!(memory.stale(&mine, path, b"a").is_none());
        assert_eq!(memory.stale_reading(&mine, path, b"b").unwrap().content(), Some(&b"a"[..]));
        assert!(memory.stale(&other, path, b"b").is_none());
        memory.record_write(&mine, path, b"b");
        assert!(memory.stale(&mine, path, b"b").is_none());
        assert!(memory.stale_reading(&mine, path, b"c").is_some());
    }

    #[test]
    fn nothing_is_left_of_a_session_that_ended() {
        let (memory, mine, other) = (ReadMemory::default(), SessionId::generate(), SessionId::generate());
        for session in [&mine, &other] {
            memory.record_read(session, Path::new("/a"), b"12345");
            memory.record_read(session, Path::new("/b"), b"123");
        }
        memory.forget(&mine);
        assert!(!memory.knows(&mine, Path::new("/a")) && memory.knows(&other, Path::new("/a")));
        memory.with(|state| assert_eq!((state.entries, state.bytes, state.seen.len()), (2, 8, 1)));
        memory.forget(&mine);
        memory.forget(&other);
        memory.with(|state| assert_eq!((state.entries, state.bytes, state.seen.len()), (0, 0, 0)));
    }

    #[test]
    fn the_oldest_is_forgotten_when_there_is_too_much() {
        let (memory, session) = (ReadMemory::default(), SessionId::generate());
        let big = vec![b'x'; MAX_KEPT_BYTES];
        for n in 0..40 {
            memory.record_read(&session, Path::new(&format!("/{n}")), &big);
        }
        assert!(memory.stale(&session, Path::new("/0"), b"changed").is_none());
        assert!(memory.stale(&session, Path::new("/39"), b"changed").is_some());
        assert!(memory.with(|state| state.bytes <= TOTAL && state.entries <= 32));
    }
}
