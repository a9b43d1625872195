//! Keeps a vector store in sync with the files of a workspace, and queries it. Files are stored as
//! far as they may be read and without credentials. Files that are gone or denied are removed
//! before a query.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use tools_core::{Clock, Embedder, Locked as _};

use super::chunk_index::{Chunk, ChunkIndex, ChunkIndexError, ChunkSpace, FileChunks};
use crate::hit::{Hit, HitSymbol, Layer};
use crate::structural::Search;

/// Number of passages requested from a store; some may be outside of the scope of a call.
const MAX_PASSAGES: usize = 100;
/// Maximum number of passages returned.
const COUNTED: usize = 20;
/// Minimum score of a passage: absolute, and as a fraction of the best.
const NEAR: f32 = 0.2;
const TELLING: f32 = 0.5;
/// Number of texts passed to the model at once.
const BATCH: usize = 64;
/// Number of vectors passed to the store at once.
const PUT: usize = 256;
/// Maximum number of lines of a passage passed to the model.
const LINES: usize = 60;
/// Seconds without requests after a failure of the store.
const REST: i64 = 30;

/// Search by meaning in one store, with one model.
pub(crate) struct MeaningSearch {
    store: Arc<dyn ChunkIndex>,
    embedder: Arc<dyn Embedder>,
    clock: Arc<dyn Clock>,
    ledgers: Mutex<HashMap<String, Arc<Mutex<Ledger>>>>,
    /// Time of the last failure of the store in seconds, and its cause.
    failed: Mutex<Option<(i64, ChunkIndexError)>>,
}

/// Stored digests of a workspace by path; `None` until the store is asked.
type Ledger = Option<BTreeMap<String, u64>>;

/// Result of a search by meaning.
#[derive(Debug, Default)]
pub(crate) struct MeaningResult {
    /// The closest passages that the call may see.
    pub(crate) hits: Vec<Hit>,
    /// Number of files without vectors.
    pub(crate) missing: usize,
}

impl MeaningSearch {
    pub(crate) fn new(store: Arc<dyn ChunkIndex>, embedder: Arc<dyn Embedder>, clock: Arc<dyn Clock>) -> Self {
        Self { store, embedder, clock, ledgers: Mutex::default(), failed: Mutex::default() }
    }

    /// Updates the store, then returns the passages closest to a text. The index must be up to date
    /// for the whole workspace; `is_whole` says whether it contains every file. Files in `first`
    /// get their vectors first, and one call stores at most `most` passages.
    ///
    /// # Errors
    /// The store or the model cannot be used.
    pub(crate) fn search(
        &self,
        search: &Search<'_>,
        text: &str,
        first: &[Arc<Path>],
        (is_whole, most): (bool, usize),
    ) -> Result<MeaningResult, ChunkIndexError> {
        let now = self.clock.now().as_second();
        if let Some((since, error)) = lock(&self.failed).clone()
            && (since..since + REST).contains(&now)
        {
            return Err(error);
        }
        let roots = search.sight.space().roots;
        let roots: Option<Vec<&str>> = roots.iter().map(|root| root.to_str()).collect();
        // Paths that are not UTF-8 are not stored.
        let Some(roots) = roots else { return Ok(MeaningResult::default()) };
        let space = ChunkSpace { workspace: roots.join("\n"), model: self.embedder.name().to_owned() };
        let found = self.found(search, &space, text, first, (is_whole, most));
        if let Err(error) = &found {
            tracing::debug!(%error, "the store of vectors cannot be used");
            *lock(&self.failed) = Some((now, error.clone()));
            // The content of the store is not known after a failure.
            lock(&self.ledgers).remove(&space.workspace);
        }
        found
    }

    fn found(
        &self,
        search: &Search<'_>,
        space: &ChunkSpace,
        text: &str,
        first: &[Arc<Path>],
        (is_whole, most): (bool, usize),
    ) -> Result<MeaningResult, ChunkIndexError> {
        let ledger = Arc::clone(lock(&self.ledgers).entry(space.workspace.clone()).or_default());
        // If another call is updating the store, this one finds the new files by words.
        let missing = match ledger.try_lock() {
            Ok(mut ledger) => self.keep_up(search, space, &mut ledger, first, (is_whole, most))?,
            Err(TryLockError::Poisoned(poisoned)) => {
                self.keep_up(search, space, &mut poisoned.into_inner(), first, (is_whole, most))?
            }
            Err(TryLockError::WouldBlock) => 0,
        };
        let asked = self.vectors(&[text])?.pop().unwrap_or_default();
        if asked.iter().all(|part| *part == 0.0) {
            return Ok(MeaningResult { hits: vec![], missing });
        }
        Ok(MeaningResult { hits: self.near(search, space, &asked)?, missing })
    }

    /// Removes files that are gone, denied or changed, and stores missing ones. Returns the number
    /// of files left for later calls.
    fn keep_up(
        &self,
        search: &Search<'_>,
        space: &ChunkSpace,
        ledger: &mut Ledger,
        first: &[Arc<Path>],
        (is_whole, most): (bool, usize),
    ) -> Result<usize, ChunkIndexError> {
        let stored = match ledger {
            Some(stored) => stored,
            None => ledger.insert(self.store.files(space)?),
        };
        let (gone, missing) = {
            let state = search.index.state();
            let is_gone = |path: &String| state.file_at(Path::new(path)).is_none();
            let gone: Vec<String> = stored.keys().filter(|path| is_whole && is_gone(path)).cloned().collect();
            let lacks = |path: &Path, hash: u64| path.to_str().is_some_and(|path| stored.get(path) != Some(&hash));
            let early: HashSet<&Path> = first.iter().map(AsRef::as_ref).collect();
            let mut missing: Vec<Arc<Path>> = state
                .files()
                .filter(|(_, file)| lacks(&file.path, file.hash))
                .map(|(_, file)| Arc::clone(&file.path))
                .collect();
            missing.sort_by_key(|path| (!early.contains(path.as_ref()), Arc::clone(path)));
            (gone, missing)
        };
        if !gone.is_empty() {
            self.store.remove(space, &gone)?;
            for path in gone {
                stored.remove(&path);
            }
        }
        let (mut left, mut room) = (missing.len(), most);
        let mut pending: Vec<FileChunks> = Vec::new();
        for path in missing {
            if room == 0 || search.sight.is_cancelled() {
                break;
            }
            let name = path.to_string_lossy().into_owned();
            match self.file(search, &path)? {
                Some(file) => {
                    room = room.saturating_sub(file.chunks.len().max(1));
                    pending.push(file);
                }
                // Denied or gone since the walk.
                None if stored.contains_key(&name) => {
                    self.store.remove(space, std::slice::from_ref(&name))?;
                    stored.remove(&name);
                }
                None => {}
            }
            left -= 1;
            if pending.iter().map(|file| file.chunks.len()).sum::<usize>() >= PUT
                && !self.put(space, stored, &mut pending)?
            {
                return Ok(left + 1);
            }
        }
        Ok(if self.put(space, stored, &mut pending)? { left } else { left + 1 })
    }

    /// Stores the pending files; returns `false` when the store is full.
    fn put(
        &self,
        space: &ChunkSpace,
        stored: &mut BTreeMap<String, u64>,
        pending: &mut Vec<FileChunks>,
    ) -> Result<bool, ChunkIndexError> {
        let files = std::mem::take(pending);
        match self.store.put(space, &files) {
            Ok(()) => stored.extend(files.into_iter().map(|file| (file.file, file.digest))),
            Err(ChunkIndexError::Full) => return Ok(false),
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    /// The vectors of the current content of a file; `None` when it is gone or denied.
    fn file(&self, search: &Search<'_>, path: &Path) -> Result<Option<FileChunks>, ChunkIndexError> {
        let (Some(name), Some(fresh)) = (path.to_str(), search.index.fresh(search.sight, path, search.policy)) else {
            return Ok(None);
        };
        let shown = search.sight.hide(path, fresh.text);
        let shown = String::from_utf8_lossy(&shown);
        let lines: Vec<&str> = shown.lines().collect();
        let texts: Vec<String> = fresh
            .passages
            .passages
            .iter()
            .map(|passage| {
                let lines = lines.iter().skip(passage.first as usize).take((passage.last - passage.first) as usize + 1);
                lines.take(LINES).copied().collect::<Vec<_>>().join("\n")
            })
            .collect();
        let mut chunks = Vec::with_capacity(texts.len());
        for (batch, texts) in texts.chunks(BATCH).enumerate() {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            for (at, vector) in self.vectors(&texts)?.into_iter().enumerate() {
                let number = batch * BATCH + at;
                let Some(passage) = fresh.passages.passages.get(number) else { continue };
                // A zero vector is near nothing.
                if vector.iter().all(|part| *part == 0.0) || !vector.iter().all(|part| part.is_finite()) {
                    continue;
                }
                let number = u32::try_from(number).unwrap_or(u32::MAX);
                chunks.push(Chunk { number, first: passage.first, last: passage.last, vector });
            }
        }
        Ok(Some(FileChunks { file: name.to_owned(), digest: fresh.hash, chunks }))
    }

    fn vectors(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ChunkIndexError> {
        let vectors = self.embedder.embed(texts).map_err(|error| {
            tracing::debug!(%error, "the model of code failed");
            ChunkIndexError::Model
        })?;
        if vectors.len() == texts.len() { Ok(vectors) } else { Err(ChunkIndexError::Model) }
    }

    /// The closest passages in files that the call may see and that have not changed.
    fn near(&self, search: &Search<'_>, space: &ChunkSpace, asked: &[f32]) -> Result<Vec<Hit>, ChunkIndexError> {
        let mut near = self.store.near(space, asked, MAX_PASSAGES)?;
        near.retain(|one| one.score.is_finite() && one.score >= NEAR);
        let files: Vec<Arc<Path>> = {
            let state = search.index.state();
            near.retain(|one| {
                state
                    .file_at(Path::new(&one.file))
                    .is_some_and(|file| file.hash == one.digest && search.wanted.holds(&file.path, file.form))
            });
            let paths: HashSet<&str> = near.iter().map(|one| one.file.as_str()).collect();
            paths.into_iter().filter_map(|path| Some(Arc::clone(&state.file_at(Path::new(path))?.path))).collect()
        };
        let known: HashMap<_, _> = search.index.passages(search.sight, &files, search.policy).into_iter().collect();
        let mut hits: Vec<Hit> = near
            .iter()
            .filter_map(|one| {
                let (path, passages) = known.get_key_value(Path::new(&one.file))?;
                let passage = passages.passages.get(one.number as usize)?;
                let weight = {
                    let state = search.index.state();
                    state.file_at(path).filter(|file| file.hash == one.digest)?.weight
                };
                let is_same = (passage.first, passage.last) == (one.first, one.last);
                let symbol = passage.symbol.and_then(|at| passages.parsed.symbols.get(at as usize));
                is_same.then(|| Hit {
                    layers: vec![Layer::Semantic],
                    path: Arc::clone(path),
                    hash: one.digest,
                    line: symbol.map_or(passage.first, |symbol| symbol.line),
                    first: passage.first,
                    last: passage.last,
                    symbol: symbol.filter(|symbol| !symbol.is_container).map(HitSymbol::of),
                    score: one.score * weight,
                })
            })
            .collect();
        hits.sort_by(crate::structural::order);
        let best = hits.first().map_or(0.0, |hit| hit.score);
        hits.retain(|hit| hit.score >= TELLING * best);
        hits.truncate(COUNTED);
        Ok(hits)
    }
}

fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each change is a single operation, so a value is complete even after a panic.
    held.locked()
}
