//! Collects the first matches by path, in whatever order several threads find them, and decides
//! when there are enough.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use crate::search::Hit;

/// Number of matches counted even if fewer are shown.
const COUNTED: u64 = 1000;
/// Maximum number of unreadable files listed by name.
const NAMED: usize = 5;

/// Decides when a search has found enough. When more matches were found than are counted, files
/// after the last match to be shown are skipped.
///
/// The result does not depend on the moment of this decision: neither the matches that are shown,
/// nor whether there are more than are counted.
#[derive(Debug)]
pub(crate) struct HitLimit {
    keep: usize,
    found: AtomicU64,
    last: RwLock<Option<Vec<u8>>>,
}

impl HitLimit {
    /// A limit for a search that needs the first `keep` matches.
    pub(crate) fn new(keep: usize) -> Self {
        Self { keep, found: AtomicU64::new(0), last: RwLock::new(None) }
    }

    pub(crate) fn keep(&self) -> usize {
        self.keep
    }

    /// Number of matches that are counted.
    pub(crate) fn ceiling(&self) -> u64 {
        (self.keep as u64).max(COUNTED)
    }

    /// Whether there are more matches than are counted.
    pub(crate) fn is_over(&self) -> bool {
        self.found.load(Ordering::Relaxed) > self.ceiling()
    }

    /// Whether nothing at `path` can be among the shown matches.
    pub(crate) fn excludes(&self, path: &Path) -> bool {
        self.is_over() && self.with_last(|last| path.as_os_str().as_bytes() > last)
    }

    /// Whether nothing below `directory` can be among the shown matches.
    pub(crate) fn excludes_below(&self, directory: &Path) -> bool {
        let first = || directory.as_os_str().as_bytes().iter().chain(b"/");
        self.is_over() && self.with_last(|last| first().gt(last.iter()))
    }

    fn with_last(&self, test: impl FnOnce(&[u8]) -> bool) -> bool {
        self.last.read().unwrap_or_else(PoisonError::into_inner).as_deref().is_some_and(test)
    }

    /// Records that all shown matches lie at or before `path`.
    fn ends_at(&self, path: &[u8]) {
        if !self.with_last(|last| last <= path) {
            let mut last = self.last.write().unwrap_or_else(PoisonError::into_inner);
            if last.as_deref().is_none_or(|last| path < last) {
                *last = Some(path.to_vec());
            }
        }
    }
}

/// The matches in one file.
#[derive(Debug)]
pub(crate) struct FileHits {
    pub(crate) path: PathBuf,
    pub(crate) lines: Vec<Hit>,
    pub(crate) matches: u64,
    /// Number of units for the limit: matches or files.
    pub(crate) units: u64,
}

/// The first files by path that together reach the limit.
#[derive(Debug, Default)]
pub(crate) struct FirstFiles {
    /// Keyed by the bytes of the path.
    pub(crate) files: BTreeMap<Vec<u8>, FileHits>,
    /// Number of units in `files`.
    held: u64,
    pub(crate) units: u64,
    pub(crate) matches: u64,
    pub(crate) matched_files: u64,
    /// Number of files that the glob and the type select.
    pub(crate) chosen: u64,
    pub(crate) binary: u64,
    pub(crate) closed: u64,
    pub(crate) unreadable: Vec<PathBuf>,
    pub(crate) unreadable_count: u64,
}

impl FirstFiles {
    pub(crate) fn add(&mut self, file: FileHits, bound: &HitLimit) {
        self.units += file.units;
        self.matches += file.matches;
        self.matched_files += 1;
        bound.found.fetch_add(file.units, Ordering::Relaxed);
        self.hold(file, bound);
    }

    fn hold(&mut self, file: FileHits, bound: &HitLimit) {
        self.held += file.units;
        self.files.insert(file.path.as_os_str().as_bytes().to_vec(), file);
        // Drops the last file when the others suffice.
        while let Some(last) = self.files.last_entry() {
            let rest = self.held - last.get().units;
            if rest < bound.keep as u64 {
                break;
            }
            self.held = rest;
            last.remove();
        }
        if let (true, Some((path, _))) = (self.held >= bound.keep as u64, self.files.last_key_value()) {
            bound.ends_at(path);
        }
    }

    pub(crate) fn unreadable(&mut self, path: &Path) {
        self.unreadable_count += 1;
        self.unreadable.push(path.to_path_buf());
        self.unreadable.sort();
        self.unreadable.truncate(NAMED);
    }

    pub(crate) fn absorb(&mut self, other: Self, bound: &HitLimit) {
        self.units += other.units;
        self.matches += other.matches;
        self.matched_files += other.matched_files;
        self.chosen += other.chosen;
        self.binary += other.binary;
        self.closed += other.closed;
        self.unreadable_count += other.unreadable_count;
        self.unreadable.extend(other.unreadable);
        self.unreadable.sort();
        self.unreadable.truncate(NAMED);
        for file in other.files.into_values() {
            self.hold(file, bound);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hits(path: &str, units: u64) -> FileHits {
        FileHits { path: path.into(), lines: Vec::new(), matches: units, units }
    }

    #[test]
    fn a_directory_is_left_out_only_when_all_of_it_comes_later() {
        let bound = HitLimit::new(1);
        let mut kept = FirstFiles::default();
        kept.add(hits("/w/m/file", 2000), &bound);
        let check = |directory: &str, expected| assert_eq!(bound.excludes_below(Path::new(directory)), expected);
        check("/w", false);
        check("/w/m", false);
        check("/w/a", false);
        check("/w/m.d", false); // `.` comes before `/`
        check("/w/m0", true);
        check("/w/m/file", true);
        check("/w/n", true);
        assert!(bound.excludes(Path::new("/w/m/g")) && !bound.excludes(Path::new("/w/m/file")));
    }

    proptest! {
        #[test]
        fn what_is_kept_does_not_depend_on_order_or_on_stopping_early(
            files in proptest::collection::btree_map("[ab]/[a-f]{1,3}", 1..700_u64, 0..20),
            order in proptest::collection::vec(any::<proptest::sample::Index>(), 20),
            keep in 1..300_usize,
        ) {
            let bound = HitLimit::new(keep);
            let mut workers = [FirstFiles::default(), FirstFiles::default()];
            let mut left: Vec<_> = files.iter().collect();
            for (n, index) in order.iter().enumerate().take(files.len()) {
                let (path, units) = left.remove(index.index(left.len()));
                if !bound.excludes(Path::new(path)) {
                    workers[n % 2].add(hits(path, *units), &bound);
                }
            }
            let [mut kept, other] = workers;
            kept.absorb(other, &bound);
            let (mut before, mut expected) = (0, Vec::new());
            for (path, units) in &files {
                if before < keep as u64 {
                    expected.push(PathBuf::from(path));
                }
                before += units;
            }
            let found: Vec<PathBuf> = kept.files.into_values().map(|file| file.path).collect();
            prop_assert_eq!(found, expected);
            prop_assert_eq!(bound.is_over(), before > bound.ceiling());
        }
    }
}
