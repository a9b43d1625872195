//! The index of one workspace: the names in each file, and the passages of files that a query
//! needed. A new file is only scanned for names; a query parses it when needed, because parsing
//! everything would be slower than reading the disk. Files are identified by a content hash, so
//! that no hit refers to other content.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use globset::GlobSet;
use tools_core::{FileState, Locked as _, ToolError, ToolErrorCategory};

use crate::config::IndexPolicy;
use crate::languages::{Form, form_of};
use crate::parse::{Parsed, parse};
use crate::passages::Passages;
use crate::redacted_text::blank_credentials;
use crate::vocabulary::{Posting, Vocabulary};
use crate::watch::Watch;
use crate::weight::weight;
use crate::words::words;
use tools_sandbox::FileAccess;

/// A file modified less than this time before it was read may change again without a change of its
/// time stamps.
const UNSETTLED: Duration = Duration::from_millis(100);
/// Number of threads that parse.
const THREADS: usize = 4;
/// Number of bytes at the beginning of a file that decide whether it is text.
const PROBE: usize = 8000;

/// State of a file whose time stamps are not known: the next walk reads it again.
pub(crate) const UNKNOWN: FileState = FileState { id: (0, 0), size: 0, modified: (0, 0), changed: (0, 0) };

/// The index of one workspace. Shared by calls.
#[derive(Debug, Default)]
pub(crate) struct Index {
    state: Mutex<State>,
    /// Held while files are scanned, so that two calls do not repeat the work.
    pub(crate) syncing: Mutex<Watch>,
    doubtful: Mutex<BTreeSet<PathBuf>>,
    is_doubtful: AtomicBool,
    /// Gives the same hashes in every process, because vector stores keep them.
    hasher: BuildHasherDefault<DefaultHasher>,
}

/// The state of all files.
#[derive(Debug, Default)]
pub(crate) struct State {
    by_path: HashMap<Arc<Path>, u32>,
    /// Files by number. A number is valid while the lock is held; a changed or removed file leaves
    /// its place empty.
    files: Vec<Option<File>>,
    live: usize,
    pub(crate) vocabulary: Vocabulary,
    /// Number of names in all files.
    total_words: u64,
    generation: u64,
    parsed_bytes: usize,
    clock: u64,
    /// Files whose parsing exceeded the time limit.
    gave_up: HashSet<Arc<Path>>,
    /// Number of files that exceeded the memory limit.
    full: u64,
    /// Files that exceeded the size limit when they were checked.
    long: BTreeSet<Arc<Path>>,
}

/// One indexed file.
#[derive(Debug, Clone)]
pub(crate) struct File {
    pub(crate) path: Arc<Path>,
    pub(crate) form: FormName,
    state: FileState,
    settled: bool,
    pub(crate) hash: u64,
    /// Number of names in it.
    pub(crate) length: u32,
    /// Weight of its passages in the ranking.
    pub(crate) weight: f32,
    seen: u64,
    passages: Option<(Arc<Passages>, u64)>,
}

/// The name of a language or text form.
pub(crate) type FormName = &'static str;

/// The names of a text, each with its count and whether it may be defined there.
struct NameScan<'a> {
    names: HashMap<&'a str, (u16, bool)>,
    length: u32,
}

/// A file and its passages.
pub(crate) type IndexedFile = (Arc<Path>, Arc<Passages>);

/// A file that was just read again.
pub(crate) struct RereadFile {
    pub(crate) text: Vec<u8>,
    pub(crate) hash: u64,
    pub(crate) passages: Arc<Passages>,
}

impl Index {
    /// Takes the files whose indexed state may be wrong.
    pub(crate) fn doubtful(&self) -> BTreeSet<PathBuf> {
        std::mem::take(&mut self.doubtful.locked())
    }

    fn doubt(&self, path: &Path) {
        self.doubtful.locked().insert(path.to_owned());
    }

    /// Whether the indexed set of files may differ from that of a full walk. Resets the mark.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.is_doubtful.swap(false, Ordering::Relaxed)
    }

    pub(crate) fn doubt_everything(&self) {
        self.is_doubtful.store(true, Ordering::Relaxed);
    }

    /// Removes a file that could not be read. If it still exists, it may be readable later.
    pub(crate) fn forget_unreadable(&self, path: &Path) {
        self.state().drop_path(path);
        if std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
            self.doubt(path);
        }
    }

    pub(crate) fn take_in(
        &self,
        (sight, path): (&dyn FileAccess, &Path),
        form: Form,
        found: FileState,
        text: &[u8],
        generation: u64,
        policy: &IndexPolicy,
    ) {
        if is_binary(text) {
            self.state().drop_path(path);
            return;
        }
        let hash = self.hasher.hash_one(text);
        let searched = blank_credentials(sight, path, text);
        let lossy = String::from_utf8_lossy(&searched);
        let scanned = NameScan::of(&lossy);
        let settled = is_settled(&found);
        let mut state = self.state();
        if let Some(file) = state.file_mut(path).filter(|file| file.hash == hash) {
            (file.state, file.settled, file.seen) = (found, settled, generation);
            return;
        }
        state.drop_path(path);
        if state.bytes() > policy.memory_bytes {
            state.full += 1;
            return;
        }
        let path: Arc<Path> = path.into();
        let file = File {
            weight: weight(&path, form, text),
            path,
            form: form.name(),
            state: found,
            settled,
            hash,
            length: scanned.length,
            seen: generation,
            passages: None,
        };
        state.add(file, &scanned);
    }

    /// The passages of files in their indexed state, parsed when needed. Omits files that are gone
    /// or denied.
    pub(crate) fn passages(
        &self,
        sight: &dyn FileAccess,
        files: &[Arc<Path>],
        policy: &IndexPolicy,
    ) -> Vec<IndexedFile> {
        let (mut ready, mut missing) = (Vec::new(), Vec::new());
        {
            let mut state = self.state();
            state.clock += 1;
            let clock = state.clock;
            for path in files {
                match state.file_mut(path) {
                    Some(File { passages: Some((passages, used)), .. }) => {
                        *used = clock;
                        ready.push((Arc::clone(path), Arc::clone(passages)));
                    }
                    Some(_) => missing.push(Arc::clone(path)),
                    None => {}
                }
            }
        }
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            while let Some(path) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                if sight.is_cancelled() {
                    break;
                }
                if let Some(fresh) = self.fresh(sight, path, policy) {
                    done.push((Arc::clone(path), fresh.passages));
                }
            }
            done
        };
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(THREADS);
        if missing.len() < 3 || threads < 2 {
            ready.extend(work());
        } else {
            std::thread::scope(|scope| {
                let spawn = |_| std::thread::Builder::new().name("haft-parse".into()).spawn_scoped(scope, work).ok();
                let others: Vec<_> = (1..threads).filter_map(spawn).collect();
                ready.extend(work());
                ready.extend(others.into_iter().filter_map(|other| other.join().ok()).flatten());
            });
        }
        ready.sort_by(|(a, _), (b, _)| a.cmp(b));
        ready
    }

    /// Reads and parses a file; `None` when it is gone or denied. Indexes it again if it changed.
    pub(crate) fn fresh(&self, sight: &dyn FileAccess, path: &Path, policy: &IndexPolicy) -> Option<RereadFile> {
        let Some(text) = sight.read(path, policy.max_file_bytes) else {
            self.forget_unreadable(path);
            return None;
        };
        let form = form_of(path)?;
        let hash = self.hasher.hash_one(text.as_slice());
        let known = self.state().known(path, hash);
        if let Some(passages) = known {
            return Some(RereadFile { text, hash, passages });
        }
        let parsed = form.language().map_or_else(Parsed::default, |language| parse(&text, language));
        let searched = blank_credentials(sight, path, &text);
        let mut state = self.state();
        if state.hash_of(path) != Some(hash) {
            let (is_known, generation) = (state.holds(path), state.generation);
            drop(state);
            self.take_in((sight, path), form, UNKNOWN, &text, generation, policy);
            // Another call may have indexed later content, whose change is not reported again.
            if is_known {
                self.doubt(path);
            } else {
                self.doubt_everything();
            }
            state = self.state();
        }
        let passages = {
            let vocabulary = &state.vocabulary;
            // Some names are unknown when the text is not UTF-8.
            Arc::new(Passages::of(&searched, parsed, |name| vocabulary.id(name)))
        };
        state.remember(path, hash, &passages, policy.memory_bytes / 2);
        drop(searched);
        Some(RereadFile { text, hash, passages })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        // After a panic a file may be missing; the next pass finds it.
        self.state.locked()
    }
}

impl<'a> NameScan<'a> {
    fn of(text: &'a str) -> Self {
        let mut scanned = Self { names: HashMap::with_capacity(text.len() / 40), length: 0 };
        for word in words(text.as_bytes()) {
            // Words end at ASCII bytes, so they contain whole characters.
            let Some(name) = text.get(word.at..word.at + word.text.len()) else { continue };
            scanned.length += 1;
            let (count, may_define) = scanned.names.entry(name).or_default();
            *count = count.saturating_add(1);
            *may_define |= word.may_define;
        }
        scanned
    }
}

impl State {
    /// Starts a pass over files. Returns its number, and the number of files that did not fit in
    /// the last one.
    pub(crate) fn begin_look(&mut self) -> (u64, u64) {
        self.generation += 1;
        (self.generation, std::mem::take(&mut self.full))
    }

    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Number of files that did not fit into memory in the last pass.
    pub(crate) fn full(&self) -> u64 {
        self.full
    }

    pub(crate) fn set_full(&mut self, full: u64) {
        self.full = full;
    }

    pub(crate) fn holds(&self, path: &Path) -> bool {
        self.by_path.contains_key(path)
    }

    /// Whether a file is unchanged since it was read.
    pub(crate) fn is_same(&self, path: &Path, found: &FileState) -> bool {
        self.file_at(path).is_some_and(|file| file.settled && file.state == *found)
    }

    /// Does the same, and marks an unchanged file as seen.
    pub(crate) fn keep(&mut self, path: &Path, found: &FileState, generation: u64) -> bool {
        let is_same = self.is_same(path, found);
        if let Some(file) = self.file_mut(path).filter(|_| is_same) {
            file.seen = generation;
        }
        is_same
    }

    fn add(&mut self, file: File, scanned: &NameScan<'_>) {
        let number = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
        for (name, (count, may_define)) in &scanned.names {
            let name = self.vocabulary.intern(name);
            self.vocabulary.add(name, Posting { file: number, count: *count, may_define: *may_define });
        }
        self.total_words += u64::from(file.length);
        self.by_path.insert(Arc::clone(&file.path), number);
        self.files.push(Some(file));
        self.live += 1;
    }

    /// Excludes a file that exceeds the size limit.
    pub(crate) fn leave_out(&mut self, path: &Path) {
        self.drop_path(path);
        self.long.insert(path.into());
    }

    /// Removes excluded files that are gone or short enough now.
    pub(crate) fn forget_short(&mut self, most: u64) {
        self.long.retain(|path| std::fs::metadata(path).is_ok_and(|found| found.len() > most));
    }

    /// The files excluded because of their size, in order.
    pub(crate) fn long(&self) -> impl Iterator<Item = &Arc<Path>> {
        self.long.iter()
    }

    pub(crate) fn drop_path(&mut self, path: &Path) {
        let Some(number) = self.by_path.remove(path) else { return };
        self.gave_up.remove(path);
        if let Some(file) = self.files.get_mut(number as usize).and_then(Option::take) {
            self.live -= 1;
            self.total_words -= u64::from(file.length);
            self.parsed_bytes -= file.passages.map_or(0, |(passages, _)| passages.bytes());
        }
        self.sweep();
    }

    /// Removes files below `starts` that the walk did not find. Returns their number.
    pub(crate) fn drop_unseen(&mut self, starts: &[PathBuf], generation: u64) -> usize {
        let unseen = |file: &&File| file.seen < generation && starts.iter().any(|start| file.path.starts_with(start));
        let gone: Vec<_> = self.files.iter().flatten().filter(unseen).map(|file| Arc::clone(&file.path)).collect();
        for path in &gone {
            self.drop_path(path);
        }
        gone.len()
    }

    /// Renumbers the files when most numbers are unused.
    fn sweep(&mut self) {
        let gone = self.files.len() - self.live;
        if gone < 1000 || gone < self.live {
            return;
        }
        let (mut numbers, mut files) = (vec![None; self.files.len()], Vec::with_capacity(self.live));
        for (file, number) in std::mem::take(&mut self.files).into_iter().zip(&mut numbers) {
            if let Some(file) = file {
                *number = u32::try_from(files.len()).ok();
                files.push(Some(file));
            }
        }
        self.by_path
            .retain(|_, own| numbers.get(*own as usize).copied().flatten().inspect(|new| *own = *new).is_some());
        self.vocabulary.renumber(|old| numbers.get(old as usize).copied().flatten());
        self.files = files;
    }

    fn known(&mut self, path: &Path, hash: u64) -> Option<Arc<Passages>> {
        let number = *self.by_path.get(path)?;
        let file = self.files.get(number as usize)?.as_ref().filter(|file| file.hash == hash)?;
        file.passages.as_ref().map(|(passages, _)| Arc::clone(passages))
    }

    pub(crate) fn hash_of(&self, path: &Path) -> Option<u64> {
        self.file(*self.by_path.get(path)?).map(|file| file.hash)
    }

    pub(crate) fn file_at(&self, path: &Path) -> Option<&File> {
        self.file(*self.by_path.get(path)?)
    }

    fn file_mut(&mut self, path: &Path) -> Option<&mut File> {
        self.files.get_mut(*self.by_path.get(path)? as usize)?.as_mut()
    }

    /// Keeps the parsed passages, and drops the least recently used ones above the limit.
    fn remember(&mut self, path: &Path, hash: u64, passages: &Arc<Passages>, most: usize) {
        let clock = self.clock;
        let Some(file) = self.file_mut(path) else { return };
        if file.hash != hash || file.passages.is_some() {
            return;
        }
        if passages.parsed.gave_up {
            let path = Arc::clone(&file.path);
            self.gave_up.insert(path);
        }
        let Some(file) = self.file_mut(path) else { return };
        file.passages = Some((Arc::clone(passages), clock));
        self.parsed_bytes += passages.bytes();
        if self.parsed_bytes <= most {
            return;
        }
        let mut ages: Vec<_> = self.files.iter().flatten().filter_map(|file| Some(file.passages.as_ref()?.1)).collect();
        ages.sort_unstable();
        let oldest_kept = ages.get(ages.len() / 2).copied().unwrap_or_default();
        let mut freed = 0;
        for file in self.files.iter_mut().flatten() {
            if file.passages.as_ref().is_some_and(|(_, used)| *used <= oldest_kept) {
                freed += file.passages.take().map_or(0, |(passages, _)| passages.bytes());
            }
        }
        self.parsed_bytes -= freed;
    }

    pub(crate) fn file(&self, number: u32) -> Option<&File> {
        self.files.get(number as usize)?.as_ref()
    }

    /// Every file with its number.
    pub(crate) fn files(&self) -> impl Iterator<Item = (u32, &File)> {
        (0_u32..).zip(&self.files).filter_map(|(number, file)| Some((number, file.as_ref()?)))
    }

    /// Files whose parsing exceeded the time limit: some of their definitions are unknown.
    pub(crate) fn timed_out_files(&self) -> impl Iterator<Item = &File> {
        self.gave_up.iter().filter_map(|path| self.file_at(path))
    }

    pub(crate) fn live(&self) -> usize {
        self.live
    }

    /// Average number of names per file.
    pub(crate) fn mean_length(&self) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "a mean of counts")]
        let mean = self.total_words as f32 / self.live.max(1) as f32;
        mean.max(1.0)
    }

    /// Approximate memory use in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.vocabulary.bytes() + self.parsed_bytes + self.files.len() * (size_of::<File>() + 120)
    }
}

/// Whether a later change of the file would change its time stamps.
#[expect(clippy::disallowed_methods, reason = "compared with times that the system gave to files")]
fn is_settled(found: &FileState) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let of = |(seconds, nanoseconds): (i64, u64)| {
        Duration::from_secs(seconds.try_into().unwrap_or(0)) + Duration::from_nanos(nanoseconds)
    };
    // A time in the future is not reliable.
    let settles = |time| now.checked_sub(time).is_some_and(|age| age >= UNSETTLED);
    found.id != (0, 0) && settles(of(found.changed))
}

pub(crate) fn excludes(globs: &GlobSet, path: &Path) -> bool {
    !globs.is_empty() && globs.is_match(path)
}

fn is_binary(text: &[u8]) -> bool {
    text[..text.len().min(PROBE)].contains(&0)
}

pub(crate) fn cancelled() -> ToolError {
    ToolError::new(ToolErrorCategory::Cancelled, "cancelled", "the call was cancelled")
}
