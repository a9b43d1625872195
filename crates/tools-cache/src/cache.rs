//! What is kept for whom, and when it still holds. Runs nothing and asks the system nothing: how files are now comes with
//! the question.

use std::{
    collections::HashMap,
    fmt,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use jiff::{SignedDuration, Timestamp};
use tools_core::{Clock, FileState, SessionId, SystemClock};

use crate::{CacheConfig, flight::Flights, kept::Kept, lru::Lru};

/// A file that changed less than this before it was read may change again without its times telling: kernels count time
/// in ticks of at most ten milliseconds.
const TICK: SignedDuration = SignedDuration::from_millis(20);

/// Sessions that are remembered without anything kept for them.
const SESSIONS: usize = 1024;

/// What is asked, by whom and from where.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Question {
    pub(crate) session: SessionId,
    pub(crate) tool: String,
    /// Canonical: two texts are equal exactly when the parameters are.
    pub(crate) params: String,
    pub(crate) workdir: Arc<Path>,
}

/// Keeps results for sessions.
pub struct ToolResultCache {
    enabled: bool,
    ttl: Option<SignedDuration>,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
    pub(crate) flights: Flights<Question>,
}

struct State {
    entries: Lru<Question, Entry>,
    sessions: HashMap<SessionId, Writes>,
    /// Never given out twice.
    last_epoch: u64,
    /// The number of sessions that have none: higher than any that was given out before they lost it.
    floor: u64,
    metrics: Metrics,
}

struct Entry {
    kept: Kept,
    epoch: u64,
    /// The files it depends on, as they were.
    files: Vec<FileState>,
    until: Option<Timestamp>,
}

/// What a session changed.
#[derive(Debug, Clone, Copy, Default)]
struct Writes {
    epoch: u64,
    under_way: u32,
}

/// What the cache did since it was last cleared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Metrics {
    /// Calls that were served from it.
    pub hits: u64,
    /// Calls that might have been and were not.
    pub misses: u64,
    /// Results that a changed file, a change by their session or their age made unusable.
    pub stale: u64,
    /// Results that went to make room.
    pub evicted: u64,
    /// Results it holds now.
    pub entries: usize,
    /// About how many bytes they take.
    pub bytes: usize,
}

impl ToolResultCache {
    /// An empty cache.
    pub fn new(config: &CacheConfig) -> Self {
        Self::with_clock(config, Arc::new(SystemClock))
    }

    /// The same with another clock.
    pub fn with_clock(config: &CacheConfig, clock: Arc<dyn Clock>) -> Self {
        let seconds = i64::try_from(config.ttl_secs).unwrap_or(i64::MAX);
        let state = State {
            entries: Lru::new(config.max_bytes),
            sessions: HashMap::new(),
            last_epoch: 0,
            floor: 0,
            metrics: Metrics::default(),
        };
        Self {
            enabled: config.enabled,
            ttl: (seconds > 0).then(|| SignedDuration::from_secs(seconds)),
            clock,
            state: Mutex::new(state),
            flights: Flights::default(),
        }
    }

    /// Whether anything is kept at all.
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Drops everything and sets the counters to nought (`/clear`).
    pub fn clear(&self) {
        let mut state = self.state();
        state.entries.retain(|_| false);
        state.metrics = Metrics::default();
    }

    /// Drops what is kept for a session that has ended.
    pub fn forget(&self, session: &SessionId) {
        let mut state = self.state();
        state.entries.retain(|question| question.session != *session);
        if state.sessions.get(session).is_some_and(|writes| writes.under_way == 0) {
            state.change(session, |_| {});
        }
    }

    /// What it did, and what it holds.
    pub fn metrics(&self) -> Metrics {
        let state = self.state();
        Metrics { entries: state.entries.len(), bytes: state.entries.bytes(), ..state.metrics }
    }

    /// The time by which files are judged.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// What is kept for this question, if every file is as it was and the session changed nothing since. Drops what does
    /// not hold any more.
    pub(crate) fn get(&self, question: &Question, files: &[FileState]) -> Option<Kept> {
        let mut state = self.state();
        let now = self.clock.now();
        let epoch = state.epoch(&question.session);
        let found = state.entries.get(question);
        let holds = found.map(|entry| {
            Some(entry.epoch) == epoch && entry.files == files && entry.until.is_none_or(|until| now < until)
        });
        match holds {
            Some(true) => {
                state.metrics.hits += 1;
                return state.entries.get(question).map(|entry| entry.kept.clone());
            }
            Some(false) => {
                state.entries.remove(question);
                state.metrics.stale += 1;
            }
            None => {}
        }
        state.metrics.misses += 1;
        None
    }

    /// The number of the session's last change; `None` while it changes something.
    pub(crate) fn epoch(&self, session: &SessionId) -> Option<u64> {
        self.state().epoch(session)
    }

    /// Keeps a result of a call that began at `began`, when `epoch` was the session's last change.
    pub(crate) fn put(
        &self,
        question: &Arc<Question>,
        files: Vec<FileState>,
        (began, epoch): (Timestamp, u64),
        kept: Kept,
    ) {
        if !files.iter().all(|file| is_settled(file, began)) {
            return;
        }
        let mut state = self.state();
        if state.epoch(&question.session) != Some(epoch) {
            return;
        }
        let bytes = kept.bytes() + question.params.len();
        let until = self.ttl.and_then(|ttl| began.checked_add(ttl).ok());
        let entry = Entry { kept, epoch, files, until };
        state.metrics.evicted += state.entries.insert(Arc::clone(question), entry, bytes);
    }

    /// Notes that the session begins to change something. What is kept for it goes now, and what is read before the guard
    /// goes is not kept.
    pub(crate) fn writing(&self, session: &SessionId) -> Writing<'_> {
        self.state().change(session, |writes| writes.under_way += 1);
        Writing { cache: self, session: session.clone() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics half-way through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for ToolResultCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolResultCache").field("metrics", &self.metrics()).finish_non_exhaustive()
    }
}

/// Whether another change of the file would show in its times.
fn is_settled(file: &FileState, at: Timestamp) -> bool {
    let (seconds, nanoseconds) = file.changed;
    let changed = Timestamp::new(seconds, i32::try_from(nanoseconds).unwrap_or(0));
    changed.is_ok_and(|changed| at.duration_since(changed) > TICK)
}

impl State {
    fn epoch(&self, session: &SessionId) -> Option<u64> {
        let none = Writes { epoch: self.floor, under_way: 0 };
        let writes = self.sessions.get(session).copied().unwrap_or(none);
        (writes.under_way == 0).then_some(writes.epoch)
    }

    fn change(&mut self, session: &SessionId, change: impl FnOnce(&mut Writes)) {
        if self.sessions.len() >= SESSIONS && !self.sessions.contains_key(session) {
            self.forget_quiet_sessions();
        }
        self.last_epoch += 1;
        let writes = self.sessions.entry(session.clone()).or_default();
        writes.epoch = self.last_epoch;
        change(writes);
        self.entries.retain(|question| question.session != *session);
    }

    /// Forgets sessions that change nothing now, and with them all that is kept.
    fn forget_quiet_sessions(&mut self) {
        self.last_epoch += 1;
        self.floor = self.last_epoch;
        self.sessions.retain(|_, writes| writes.under_way > 0);
        self.entries.retain(|_| false);
    }
}

/// A change under way; the session's results are unusable until it goes, and those from before for ever.
pub(crate) struct Writing<'a> {
    cache: &'a ToolResultCache,
    session: SessionId,
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        self.cache.state().change(&self.session, |writes| writes.under_way = writes.under_way.saturating_sub(1));
    }
}
