//! What `.gitignore` and `.ignore` files leave out of a walk. Read by handle like everything else.

use std::{
    ffi::{OsStr, OsString},
    io::Read as _,
    path::Path,
    sync::Arc,
};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};
use tools_sandbox::{Directory, FileKind, Roots};

/// The longest ignore file that is read.
const LONGEST: u64 = 1024 * 1024;
/// Later ones win.
const FILES: [&str; 2] = [".gitignore", ".ignore"];

/// The ignore files that hold in a directory: its own and those above it, the nearest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ignored(Option<Arc<Node>>);

#[derive(Debug)]
struct Node {
    rules: Gitignore,
    above: Ignored,
}

impl Ignored {
    /// What the directories above `start` say, up to the top of its repository and never above a root.
    pub(crate) fn above(start: &Directory, roots: &Roots) -> Self {
        let mut chain = Vec::new();
        let inside = |path: &Path| roots.paths().any(|root| path.starts_with(root));
        let mut current = start.path();
        let has = |path: &Path| roots.resolve(&path.join(".git"), path).is_ok_and(|found| found.kind().is_some());
        while !has(current) {
            let Some(parent) = current.parent().filter(|parent| inside(parent)) else {
                break;
            };
            chain.push(parent);
            current = parent;
        }
        let mut ignored = Self::default();
        if let Ok(top) = roots.open_directory(&current.join(".git/info"), current) {
            ignored = ignored.with(current, &top, OsStr::new("exclude"));
        }
        for path in chain.into_iter().rev() {
            if let Ok(directory) = roots.open_directory(path, path) {
                ignored = FILES.iter().fold(ignored, |ignored, file| ignored.with(path, &directory, OsStr::new(file)));
            }
        }
        ignored
    }

    /// What holds in `directory`, which has these entries, given what holds above it.
    pub(crate) fn below(self, directory: &Directory, entries: &[(OsString, FileKind)]) -> Self {
        FILES.iter().map(OsStr::new).fold(self, |ignored, file| {
            let present = entries.iter().any(|(name, kind)| name == file && *kind == FileKind::File);
            if present { ignored.with(directory.path(), directory, file) } else { ignored }
        })
    }

    /// Adds one file whose patterns are meant from `base`. A line that is no pattern is left out, as git does.
    fn with(self, base: &Path, directory: &Directory, file: &OsStr) -> Self {
        let mut text = Vec::new();
        let read = directory.open(file).and_then(|file| {
            if tools_sandbox::Metadata::of(&file)?.kind != FileKind::File {
                return Ok(0);
            }
            file.take(LONGEST).read_to_end(&mut text)
        });
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

    /// Whether the entry at the absolute `path` is left out.
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
