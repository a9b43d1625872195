//! What is kept for whom, and when it still holds. Runs nothing and asks the system nothing: how
//! files are now comes with the question, or is looked at by whoever asked before it is served.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use jiff::{SignedDuration, Timestamp};
use tools_core::{AnswerBudget, Basis, Clock, FileState, Locked as _, SessionId, Subject, SystemClock};

use crate::{CacheConfig, cached_result::CachedResult, flight::Flights, lru::Lru};

/// A file that changed less than this before it was read may change again without its times
/// telling: kernels count time in ticks of at most ten milliseconds.
const TICK: SignedDuration = SignedDuration::from_millis(20);
/// The same where times are kept in whole seconds, as in the small inodes of older ext file
/// systems.
const SECOND: SignedDuration = SignedDuration::from_millis(1020);

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
    /// How much the answer may hold: a tool fills it, and the layers inside cut to it.
    pub(crate) answer: AnswerBudget,
}

/// What the answer depends on, as it is when the question is asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Dependence {
    /// What the parameters mean.
    pub(crate) subjects: Vec<Subject>,
    /// The files it depends on; `None` when that is known only of an answer.
    pub(crate) files: Option<Vec<FileState>>,
}

/// What is kept for a question.
pub(crate) struct Candidate {
    pub(crate) kept: CachedResult,
    /// To be looked at before it is served.
    pub(crate) basis: Option<Arc<Basis>>,
    epoch: u64,
}

/// The result of a call that ran.
pub(crate) struct Answer {
    pub(crate) depends: Dependence,
    pub(crate) basis: Option<Basis>,
    /// When the call began.
    pub(crate) began: Timestamp,
    /// The session's last change before it did.
    pub(crate) epoch: u64,
    pub(crate) kept: CachedResult,
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
    /// The number of sessions that have none: higher than any that was given out before they lost
    /// it.
    floor: u64,
    metrics: Metrics,
}

struct Entry {
    kept: CachedResult,
    epoch: u64,
    depends: Dependence,
    /// What it came from, where that was not known beforehand.
    basis: Option<Arc<Basis>>,
    until: Option<Timestamp>,
}

/// What a session changed.
#[derive(Debug, Clone, Copy, Default)]
struct Writes {
    epoch: u64,
    under_way: u32,
}

/// Figures of the cache since it was last cleared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Metrics {
    /// Calls that were served from it.
    pub hits: u64,
    /// Calls that might have been and were not.
    pub misses: u64,
    /// Results that a changed file, a change by their session or their age made unusable.
    pub stale: u64,
    /// Results that were not kept, because nobody could tell what they came from or it had changed
    /// only just before.
    pub unkept: u64,
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
    pub(crate) fn is_enabled(&self) -> bool {
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

    /// Figures and content of the cache.
    pub fn metrics(&self) -> Metrics {
        let state = self.state();
        Metrics { entries: state.entries.len(), bytes: state.entries.bytes(), ..state.metrics }
    }

    /// The time by which files are judged.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// What is kept for this question, if the session changed nothing since and what is known
    /// beforehand is as it was. Drops what does not hold any more.
    pub(crate) fn look(&self, question: &Question, depends: &Dependence) -> Option<Candidate> {
        let mut state = self.state();
        let now = self.clock.now();
        let epoch = state.epoch(&question.session);
        let found = state.entries.get(question)?;
        let holds =
            Some(found.epoch) == epoch && found.depends == *depends && found.until.is_none_or(|until| now < until);
        if holds {
            return Some(Candidate { kept: found.kept.clone(), basis: found.basis.clone(), epoch: found.epoch });
        }
        state.drop_stale(question);
        None
    }

    /// Counts what was found as served, if the session has changed nothing while its basis was
    /// looked at.
    pub(crate) fn serve(&self, question: &Question, found: &Candidate) -> bool {
        let mut state = self.state();
        let holds = state.epoch(&question.session) == Some(found.epoch);
        state.metrics.hits += u64::from(holds);
        holds
    }

    /// Drops what was found, because its basis has changed.
    pub(crate) fn drop_stale(&self, question: &Question) {
        self.state().drop_stale(question);
    }

    /// Counts a call that has to run.
    pub(crate) fn missed(&self) {
        self.state().metrics.misses += 1;
    }

    /// The number of the session's last change; `None` while it changes something.
    pub(crate) fn epoch(&self, session: &SessionId) -> Option<u64> {
        self.state().epoch(session)
    }

    /// Keeps a result, where it can be told later whether it still holds.
    pub(crate) fn put(&self, question: &Arc<Question>, answer: Answer) {
        let Answer { depends, basis, began, epoch, kept } = answer;
        let before = depends.files.iter().flatten().copied();
        let after = basis.iter().flat_map(Basis::files).map(|(_, file)| file);
        let is_known = depends.files.is_some() || basis.is_some();
        if !(is_known && before.chain(after).all(|file| is_settled(&file, began))) {
            let size = basis.as_ref().map_or(0, |basis| basis.files().len());
            tracing::debug!(tool = question.tool, is_known, size, "a result cannot be served again");
            self.state().metrics.unkept += 1;
            return;
        }
        let mut state = self.state();
        if state.epoch(&question.session) != Some(epoch) {
            return;
        }
        let bytes = kept.bytes() + question.params.len() + basis.as_ref().map_or(0, Basis::bytes);
        let until = self.ttl.and_then(|ttl| began.checked_add(ttl).ok());
        let entry = Entry { kept, epoch, depends, basis: basis.map(Arc::new), until };
        state.metrics.evicted += state.entries.insert(Arc::clone(question), entry, bytes);
    }

    /// Notes that the session begins to change something. What is kept for it goes now, and what is
    /// read before the guard goes is not kept.
    pub(crate) fn writing(&self, session: &SessionId) -> WriteGuard<'_> {
        self.state().change(session, |writes| writes.under_way += 1);
        WriteGuard { cache: self, session: session.clone() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics half-way through a change.
        self.state.locked()
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
    let tick = if nanoseconds == 0 { SECOND } else { TICK };
    changed.is_ok_and(|changed| at.duration_since(changed) > tick)
}

impl State {
    fn epoch(&self, session: &SessionId) -> Option<u64> {
        let none = Writes { epoch: self.floor, under_way: 0 };
        let writes = self.sessions.get(session).copied().unwrap_or(none);
        (writes.under_way == 0).then_some(writes.epoch)
    }

    fn drop_stale(&mut self, question: &Question) {
        self.entries.remove(question);
        self.metrics.stale += 1;
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

/// A change under way; the session's results are unusable until it goes, and those from before for
/// ever.
pub(crate) struct WriteGuard<'a> {
    cache: &'a ToolResultCache,
    session: SessionId,
}

impl Drop for WriteGuard<'_> {
    fn drop(&mut self) {
        self.cache.state().change(&self.session, |writes| writes.under_way = writes.under_way.saturating_sub(1));
    }
}
