//! `find_path`: paths that match a glob.

use std::borrow::Cow;
use std::collections::BinaryHeap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use globset::GlobMatcher;
use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::{
    Access, CallContext, ClaimSource, Inspection, Location, Subject, Tool, ToolDef, ToolError, ToolKind, ToolOutput,
    ToolTraits, Window, WindowWriter,
};
use tools_sandbox::{Directory, FileKind, PathError, ReadRules};

use super::notes;
use crate::cancel::Cancel;
use crate::error::FileError;
use crate::ignore_rules::IgnoreRules;
use crate::walk::{Plan, SkippedCounts, Visitor, WalkEntry, walk};
use crate::workspace::{Site, Workspace};

/// Maximum number of paths in one call.
const MAX_PATHS: usize = 50_000;

pub(super) struct FindPath(pub(super) Arc<Workspace>);

/// Finds files and directories by a glob: `*.rs`, `src/**/test_?.{ts,tsx}`. Without `/` it matches
/// names in every directory. Skips `.git` and ignored files.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    pattern: String,
    /// Default: working directory.
    path: Option<String>,
    kind: Option<Kind>,
    /// Default 1000.
    limit: Option<usize>,
    offset: Option<usize>,
    /// Include hidden files. Default true.
    hidden: Option<bool>,
    /// Skip ignored files. Default true.
    gitignore: Option<bool>,
}

/// Type of a path; links are not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    File,
    Directory,
    Symlink,
}

impl Kind {
    fn is(self, found: FileKind) -> bool {
        let wanted = match self {
            Self::File => FileKind::File,
            Self::Directory => FileKind::Directory,
            Self::Symlink => FileKind::Symlink,
        };
        found == wanted
    }
}

impl Tool for FindPath {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<Args>("find_path", ToolKind::Search, ToolTraits::READ_ONLY).titled("Find paths")
    }

    async fn inspect(&self, args: &Args, cx: &CallContext) -> Result<Inspection, ToolError> {
        let site = self.0.site(cx)?;
        let mut inspection = Inspection::read_only();
        for start in starts(args, &site)? {
            inspection = inspection.touching(Subject::path(start.path, Access::Read));
        }
        Ok(inspection)
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        self.0.blocking(cx, move |site, cancel| find(&args, site, cancel)).await
    }
}

fn find(args: &Args, site: &Site, cancel: &Cancel) -> Result<ToolOutput, FileError> {
    let offset = args.offset.unwrap_or(0);
    let limit = args.limit.unwrap_or(site.limits().find_paths).clamp(1, MAX_PATHS);
    let keep = offset.saturating_add(limit);
    let mut hits = Hits { keep, ..Hits::default() };
    let mut left_out = SkippedCounts::default();
    let starts = starts(args, site)?;
    let is_certain = starts.iter().all(|start| start.directory.is_some()) && !starts.is_empty();
    let place = starts.first().map(|start| Location { path: start.path.clone(), line: None });
    let open = ReadRules::unrestricted();
    let names = site.names().unwrap_or(&open);
    for start in starts {
        cancel.check()?;
        let Some(directory) = start.directory else { continue };
        if start.glob.is_none() {
            if let Some(stamps) = site.stamps() {
                let metadata = directory.metadata().map_err(|error| FileError::io(directory.path(), error))?;
                stamps.opened(directory.path(), &directory, &metadata);
            }
            if args.kind.is_some_and(|kind| kind != Kind::Directory) {
                continue;
            }
            hits.add(directory.path().as_os_str().as_bytes(), true);
            continue;
        }
        let plan = Plan {
            rules: names, // names are not content
            cancel,
            hidden: args.hidden.unwrap_or(true),
            ignored: args.gitignore.unwrap_or(true).then(|| IgnoreRules::above(&directory, &site.roots, site.stamps())),
            depth: start.depth,
            budget: site.limits().search_entries,
            ordered: false,
            threads: notes::threads(site),
            stamps: site.stamps(),
        };
        let make = || Worker {
            glob: start.glob.as_ref(),
            kind: args.kind,
            absolute: start.absolute,
            hits: Hits { keep, ..Hits::default() },
            names,
            closed: 0,
        };
        let (workers, skipped) = walk(&directory, &plan, make);
        left_out.add(skipped);
        for worker in workers {
            hits.closed += worker.closed;
            hits.absorb(worker.hits);
        }
    }
    cancel.check()?;
    // A path that does not exist has no stamp that would show when it appears.
    if let Some(stamps) = site.stamps().filter(|_| is_certain) {
        stamps.complete();
    }
    Ok(render(hits, offset, &left_out, site, place))
}

fn render(hits: Hits, offset: usize, left_out: &SkippedCounts, site: &Site, place: Option<Location>) -> ToolOutput {
    let (total, closed) = (hits.total, hits.closed);
    let mut text = String::new();
    let (mut shown, mut filling) = (0, WindowWriter::new(site.answer()));
    for (path, is_directory) in hits.first.into_sorted_vec().into_iter().skip(offset) {
        let name = site.show(Path::new(OsStr::from_bytes(&path)));
        let line = format!("{name}{}\n", if is_directory { "/" } else { "" });
        if !filling.takes(&line) && shown > 0 {
            break;
        }
        shown += 1;
        text.push_str(&line);
    }
    let end = offset.saturating_add(shown);
    let mut lines = Vec::new();
    if total == 0 {
        lines.push("no paths match".to_owned());
    } else if shown == 0 {
        lines.push(format!("no paths shown; {total} match, offset is {offset}"));
    } else if end < total {
        lines.push(format!("showing {}-{end} of {total} paths; for more: offset={end}", offset + 1));
    }
    lines.extend((closed > 0).then(|| format!("{closed} more closed by the rules left out")));
    lines.extend(notes::skipped(left_out, site));
    for line in lines {
        let _ = write!(text, "{}[{line}]", if text.is_empty() || text.ends_with('\n') { "" } else { "\n" });
    }
    let output = ToolOutput::text(text.trim_end_matches('\n')).from_source(ClaimSource::Workspace);
    let locations = place.into_iter().collect();
    let window = (shown > 0).then_some(Window {
        from: offset as u64,
        to: end as u64,
        total: Some(total as u64),
        next: (end < total).then_some(end as u64),
    });
    ToolOutput { truncated: end < total, locations, window, ..output }
}

/// One directory to walk and the glob below it.
struct Start {
    path: PathBuf,
    /// `None` when there is no such directory.
    directory: Option<Directory>,
    /// `None` when the pattern is a plain path.
    glob: Option<GlobMatcher>,
    /// Whether the glob applies to whole paths instead of paths below the directory.
    absolute: bool,
    depth: Option<usize>,
}

/// Splits the pattern into the directory that it names and the glob below it.
///
/// A pattern that begins above the roots (`/**/x`) is searched in the roots that it covers, never
/// outside.
fn starts(args: &Args, site: &Site) -> Result<Vec<Start>, FileError> {
    let pattern = anywhere(&args.pattern);
    let (prefix, rest) = split(&pattern)?;
    let below = site.named(args.path.as_deref().unwrap_or(".")).join(&prefix);
    let below = if below.as_os_str().is_empty() { PathBuf::from(".") } else { below };
    if rest.as_os_str().is_empty() {
        return plain(&below, site);
    }
    let glob = compile(&pattern, &rest)?;
    let depth = depth(&rest);
    match site.roots.open_directory(&below, &site.workdir) {
        Ok(directory) => Ok(vec![Start {
            path: directory.path().to_path_buf(),
            directory: Some(directory),
            glob: Some(glob),
            absolute: false,
            depth,
        }]),
        Err(PathError::NotFound(_) | PathError::NotADirectory(_))
            if args.path.is_none() || !prefix.as_os_str().is_empty() =>
        {
            Ok(Vec::new())
        }
        Err(PathError::Outside { path, roots }) => {
            let begin: PathBuf = site.workdir.join(&below).components().collect();
            let covered: Vec<PathBuf> = roots.iter().filter(|root| root.starts_with(&begin)).cloned().collect();
            if covered.is_empty() {
                return Err(PathError::Outside { path, roots }.into());
            }
            let begin = PathBuf::from(globset::escape(&begin.to_string_lossy()));
            let whole = compile(&args.pattern, &begin.join(&rest))?;
            covered.into_iter().map(|root| start_in_root(root, &whole, site)).collect()
        }
        Err(error) => Err(error.into()),
    }
}

fn start_in_root(root: PathBuf, whole: &GlobMatcher, site: &Site) -> Result<Start, FileError> {
    let directory = site.roots.open_directory(&root, &site.workdir)?;
    Ok(Start { path: root, directory: Some(directory), glob: Some(whole.clone()), absolute: true, depth: None })
}

/// A pattern without wildcards: the path itself, if it exists.
fn plain(path: &Path, site: &Site) -> Result<Vec<Start>, FileError> {
    let resolved = site.roots.resolve_entry(path, &site.workdir)?;
    let found = resolved.kind();
    let path = resolved.into_path();
    let (Some(kind), Some(parent), Some(name)) = (found, path.parent(), path.file_name()) else {
        return Ok(Vec::new());
    };
    if kind == FileKind::Directory {
        let directory = site.roots.open_directory(&path, &site.workdir)?;
        return Ok(vec![Start { path, directory: Some(directory), glob: None, absolute: false, depth: None }]);
    }
    let glob = compile("", Path::new(&globset::escape(&name.to_string_lossy())))?;
    let directory = site.roots.open_directory(parent, &site.workdir)?;
    Ok(vec![Start {
        path: parent.to_path_buf(),
        directory: Some(directory),
        glob: Some(glob),
        absolute: false,
        depth: Some(1),
    }])
}

/// A pattern without `/` matches names in every directory, as users expect; `.` and `..` are
/// directories.
fn anywhere(pattern: &str) -> Cow<'_, str> {
    let is_name = !pattern.contains('/') && !pattern.trim().is_empty() && !matches!(pattern, "." | ".." | "~");
    if is_name { Cow::Owned(format!("**/{pattern}")) } else { Cow::Borrowed(pattern) }
}

/// The leading components without wildcards, and the rest.
fn split(pattern: &str) -> Result<(PathBuf, PathBuf), FileError> {
    let fail = |problem: &str| FileError::Pattern { what: "glob", pattern: cut(pattern), problem: problem.to_owned() };
    if pattern.trim().is_empty() {
        return Err(fail("it is empty"));
    }
    let mut prefix = PathBuf::new();
    let mut rest = PathBuf::new();
    for component in Path::new(pattern).components() {
        let wild = component.as_os_str().as_bytes().iter().any(|byte| b"*?[]{}\\".contains(byte));
        if rest.as_os_str().is_empty() && !wild {
            prefix.push(component);
        } else if component == Component::ParentDir {
            return Err(fail("`..` after a wildcard"));
        } else {
            rest.push(component);
        }
    }
    // Braces may contain a `/`: the components between them belong together.
    if pattern.matches('{').count() != pattern.matches('}').count() {
        return Err(fail("unbalanced braces"));
    }
    Ok((prefix, rest))
}

fn compile(pattern: &str, glob: &Path) -> Result<GlobMatcher, FileError> {
    notes::glob(pattern, &glob.to_string_lossy())
}

fn cut(pattern: &str) -> String {
    pattern.chars().take(200).collect()
}

/// Maximum depth that the glob can reach; `None` with `**`.
fn depth(glob: &Path) -> Option<usize> {
    let text = glob.to_str()?;
    let bounded = !text.contains("**") && !text.contains('{');
    bounded.then(|| glob.components().count())
}

struct Worker<'a> {
    glob: Option<&'a GlobMatcher>,
    kind: Option<Kind>,
    absolute: bool,
    hits: Hits,
    names: &'a ReadRules,
    /// Number of matches that may not be named.
    closed: usize,
}

impl Visitor for Worker<'_> {
    fn visit(&mut self, found: &WalkEntry<'_>) {
        if self.kind.is_some_and(|kind| !kind.is(found.kind)) {
            return;
        }
        let relative = Path::new(OsStr::from_bytes(found.relative));
        let subject = if self.absolute { found.path } else { relative };
        if self.glob.is_some_and(|glob| glob.is_match(subject)) {
            if self.names.below(found.scope, found.path).is_closed() {
                self.closed += 1;
                return;
            }
            self.hits.add(found.path.as_os_str().as_bytes(), found.kind == FileKind::Directory);
        }
    }
}

/// The first paths in byte order, and the counts.
#[derive(Default)]
struct Hits {
    first: BinaryHeap<(Vec<u8>, bool)>,
    /// Number of further matches that may not be named.
    closed: usize,
    total: usize,
    keep: usize,
}

impl Hits {
    fn add(&mut self, path: &[u8], is_directory: bool) {
        self.total += 1;
        if self.first.len() < self.keep {
            self.first.push((path.to_vec(), is_directory));
        } else if self.first.peek().is_some_and(|(last, _)| path < last.as_slice()) {
            self.first.pop();
            self.first.push((path.to_vec(), is_directory));
        }
    }

    fn absorb(&mut self, other: Self) {
        let counted = self.total + other.total;
        for (path, is_directory) in other.first {
            self.add(&path, is_directory);
        }
        self.total = counted;
    }
}
