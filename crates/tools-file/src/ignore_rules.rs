//! Reads `.gitignore` and `.ignore` files, by handle, and decides what a walk omits.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use tools_sandbox::{Directory, FileKind, Metadata, PathError, Roots};

use crate::stamps::Stamps;

/// Maximum length in bytes of an ignore file.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// Ignore file names; later ones take precedence.
const FILES: [&str; 2] = [".gitignore", ".ignore"];

/// The ignore files that apply in a directory: its own and those above it, the nearest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct IgnoreRules(Option<Arc<Node>>);

#[derive(Debug)]
struct Node {
    rules: Gitignore,
    above: IgnoreRules,
}

/// Records a directory that may contain ignore files, before they are searched.
fn note(path: &Path, roots: &Roots, stamps: Option<&Stamps>) {
    let Some(stamps) = stamps else { return };
    let is_link = || {
        let found = roots.entry(path, path).and_then(|entry| entry.metadata());
        found.is_ok_and(|found| found.is_some_and(|found| found.kind == FileKind::Symlink))
    };
    match roots.open_directory(path, path) {
        // The directory was reached through a link, whose target may change without a change of
        // these stamps.
        Ok(directory) if directory.path() != path => stamps.give_up(),
        Ok(directory) => match directory.metadata() {
            Ok(metadata) => stamps.opened(directory.path(), &directory, &metadata),
            Err(_) => stamps.give_up(),
        },
        // The parent directory shows whether the file exists, unless it is a link to a missing
        // target.
        Err(PathError::NotFound(_) | PathError::NotADirectory(_)) if !is_link() => {}
        Err(_) => stamps.give_up(),
    }
}

impl IgnoreRules {
    /// The rules of the directories above `start`, up to the top of its repository and never above
    /// a root.
    pub(crate) fn above(start: &Directory, roots: &Roots, stamps: Option<&Stamps>) -> Self {
        let mut chain = Vec::new();
        let inside = |path: &Path| roots.paths().any(|root| path.starts_with(root));
        let mut current = start.path();
        note(current, roots, stamps);
        let has = |path: &Path| roots.resolve(&path.join(".git"), path).is_ok_and(|found| found.kind().is_some());
        while !has(current) {
            let Some(parent) = current.parent().filter(|parent| inside(parent)) else {
                break;
            };
            chain.push(parent);
            current = parent;
            note(current, roots, stamps);
        }
        note(&current.join(".git"), roots, stamps);
        note(&current.join(".git/info"), roots, stamps);
        let mut ignored = Self::default();
        if let Ok(top) = roots.open_directory(&current.join(".git/info"), current) {
            ignored = ignored.with(current, &top, OsStr::new("exclude"), stamps);
        }
        for path in chain.into_iter().rev() {
            if let Ok(directory) = roots.open_directory(path, path) {
                let with = |ignored: Self, file| ignored.with(path, &directory, OsStr::new(file), stamps);
                ignored = FILES.iter().fold(ignored, with);
            }
        }
        ignored
    }

    /// The rules that apply in `directory`, which has these entries, given the rules above it.
    pub(crate) fn below(
        self,
        directory: &Directory,
        entries: &[(OsString, FileKind)],
        stamps: Option<&Stamps>,
    ) -> Self {
        FILES.iter().map(OsStr::new).fold(self, |ignored, file| {
            let present = entries.iter().any(|(name, kind)| name == file && *kind == FileKind::File);
            if present { ignored.with(directory.path(), directory, file, stamps) } else { ignored }
        })
    }

    /// Adds one file whose patterns are relative to `base`. As in git, an invalid pattern is
    /// skipped.
    fn with(self, base: &Path, directory: &Directory, file: &OsStr, stamps: Option<&Stamps>) -> Self {
        let mut text = Vec::new();
        let read = directory.open(file).and_then(|open| {
            let metadata = Metadata::of(&open)?;
            if let Some(stamps) = stamps {
                stamps.opened(&directory.path().join(file), &open, &metadata);
            }
            if metadata.kind != FileKind::File {
                return Ok(0);
            }
            open.take(MAX_FILE_BYTES).read_to_end(&mut text)
        });
        // The directory's stamp shows that a file is missing, but not why a file cannot be read.
        let is_missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        if let (Err(error), Some(stamps)) = (&read, stamps)
            && !is_missing(error)
        {
            stamps.give_up();
        }
        if read.is_err() || text.is_empty() {
            return self;
        }
        let mut builder = GitignoreBuilder::new(base);
        for line in String::from_utf8_lossy(&text).lines() {
            let _ = builder.add_line(None, line);
        }
        match builder.build() {
            Ok(rules) if !rules.is_empty() => Self(Some(Arc::new(Node { rules, above: self }))),
            _ => self,
        }
    }

    /// Whether the entry at the absolute `path` is omitted.
    pub(crate) fn names(&self, path: &Path, is_directory: bool) -> bool {
        let mut next = self.0.as_ref();
        while let Some(node) = next {
            match node.rules.matched(path, is_directory) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => next = node.above.0.as_ref(),
            }
        }
        false
    }
}
