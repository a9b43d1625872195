//! `grep`: lines that match a pattern, in one file or a whole tree.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fmt::Write as _,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use globset::GlobMatcher;
use grep_regex::RegexMatcher;
use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::{
    Access, CallContext, ClaimSource, Inspection, Location, Subject, Tool, ToolDef, ToolError, ToolKind, ToolOutput,
    ToolTraits,
};
use tools_sandbox::{FileKind, Metadata, ReadRules};

use super::notes;
use crate::{
    error::FileError,
    ignored::Ignored,
    search::{Hit, Hits, Query, Search, compile},
    walk::{Found, Plan, Skipped, Visitor, walk},
    workspace::{Cancel, Site, Workspace},
};

/// Bytes of one line that is shown.
const LINE: usize = 500;
/// The most lines that may be asked for.
const MOST: usize = 20_000;

pub(super) struct Grep(pub(super) Arc<Workspace>);

/// Searches the contents of files for a regular expression (Rust syntax: no look-around, no backreferences) and shows
/// `path:line:text`, sorted by path. Hidden files are searched; binary files, `.git` and what `.gitignore` names are not.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The regular expression.
    pattern: String,
    /// A file or directory to search. Default: the working directory.
    path: Option<String>,
    /// Whether upper and lower case differ. Default true.
    case_sensitive: Option<bool>,
    /// Search for `pattern` as it stands, not as a regular expression. Default false.
    literal: Option<bool>,
    /// Only files whose path below `path` matches this glob, for example `*.rs` or `src/**/*.ts`.
    glob: Option<String>,
    /// Lines to show before and after each match. Default 0.
    context: Option<usize>,
    /// Matching lines to show at most. Default 100.
    limit: Option<usize>,
    /// Matching lines to skip. Default 0.
    offset: Option<usize>,
    /// Whether hidden files are searched. Default true.
    hidden: Option<bool>,
    /// Whether to leave out what `.gitignore` and `.ignore` name. Default true.
    gitignore: Option<bool>,
}

impl Tool for Grep {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<Args>("grep", ToolKind::Search, ToolTraits::READ_ONLY).titled("Search in files")
    }

    async fn inspect(&self, args: &Args, cx: &CallContext) -> Result<Inspection, ToolError> {
        let site = self.0.site(cx)?;
        let mut inspection = Inspection::read_only();
        for start in site.search_starts(args.path.as_deref()) {
            let resolved = site.roots.resolve(&start, &site.workdir).map_err(FileError::from)?;
            inspection = inspection.touching(Subject::path(resolved.into_path(), Access::Read));
        }
        Ok(inspection)
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        self.0.blocking(cx, move |site, cancel| grep(&args, site, cancel)).await
    }
}

fn grep(args: &Args, site: &Site, cancel: &Cancel) -> Result<ToolOutput, FileError> {
    let query = Query {
        pattern: &args.pattern,
        literal: args.literal.unwrap_or(false),
        case_sensitive: args.case_sensitive.unwrap_or(true),
        context: args.context.unwrap_or(0).min(50),
    };
    let offset = args.offset.unwrap_or(0);
    let limit = args.limit.unwrap_or(site.limits().grep_matches).clamp(1, MOST);
    let job = Job {
        matcher: compile(&query)?,
        query,
        glob: args.glob.as_deref().map(file_glob).transpose()?,
        keep: offset.saturating_add(limit),
        hidden: args.hidden.unwrap_or(true),
        gitignore: args.gitignore.unwrap_or(true),
    };
    let (mut kept, mut skipped, mut locations) = (Kept::default(), Skipped::default(), Vec::new());
    for start in site.search_starts(args.path.as_deref()) {
        let (found, left_out, path) = search(&job, &start, site, cancel)?;
        kept.absorb(found, job.keep);
        skipped.add(left_out);
        locations.push(Location { path, line: None });
    }
    cancel.check()?;
    let (mut text, shown) = render(&kept, offset, limit, job.query.context as u64, site);
    for line in remarks(&kept, &skipped, offset, shown, site) {
        let _ = write!(text, "{}[{line}]", if text.is_empty() || text.ends_with('\n') { "" } else { "\n" });
    }
    let all = usize::try_from(kept.matches).unwrap_or(usize::MAX);
    let output = ToolOutput::text(text.trim_end()).from_source(ClaimSource::Workspace);
    Ok(ToolOutput { truncated: offset.saturating_add(shown) < all, locations, ..output })
}

/// What to search for, and how.
struct Job<'a> {
    query: Query<'a>,
    matcher: RegexMatcher,
    glob: Option<GlobMatcher>,
    /// Matching lines to keep.
    keep: usize,
    hidden: bool,
    gitignore: bool,
}

/// Searches one file or tree; says which.
fn search(job: &Job<'_>, asked: &Path, site: &Site, cancel: &Cancel) -> Result<(Kept, Skipped, PathBuf), FileError> {
    let rules = site.policy().rules();
    let start = site.open_any(asked)?;
    let path = start.path().to_path_buf();
    if start.metadata().kind != FileKind::Directory || rules.scope(&path).is_sealed() {
        site.check_readable(&path, asked)?;
    }
    match start.metadata().kind {
        FileKind::Directory => {
            let directory = start.into_directory()?;
            let plan = Plan {
                rules,
                cancel,
                hidden: job.hidden,
                ignored: job.gitignore.then(|| Ignored::above(&directory, &site.roots)),
                depth: None,
                budget: site.limits().search_entries,
                threads: notes::threads(site),
            };
            let (workers, skipped) = walk(&directory, &plan, || Worker::new(job, rules, cancel));
            let kept = workers.into_iter().fold(Kept::default(), |mut all, worker| {
                all.absorb(worker.kept, job.keep);
                all
            });
            Ok((kept, skipped, path))
        }
        FileKind::File => {
            let length = start.metadata().size;
            let mut worker = Worker::new(job, rules, cancel);
            let found = worker.search.file(start.into_file()?, length, job.keep);
            worker.kept.add(path.clone(), found.map_err(|error| FileError::io(asked, error))?, job.keep);
            Ok((worker.kept, Skipped::default(), path))
        }
        kind => Err(FileError::NotReadable { path: asked.to_path_buf(), kind }),
    }
}

/// What is to be said below the matches.
fn remarks(kept: &Kept, skipped: &Skipped, offset: usize, shown: usize, site: &Site) -> Vec<String> {
    let mut lines = vec![summary(kept, offset, shown)];
    if kept.closed > 0 {
        lines.push(format!("{} files closed by the read rules were not searched", kept.closed));
    }
    if kept.binary > 0 {
        lines.push(format!("{} binary files skipped", kept.binary));
    }
    if kept.unreadable_count > 0 {
        lines.push(notes::unreadable("files", kept.unreadable_count, &kept.unreadable, site));
    }
    lines.extend(notes::skipped(skipped, site));
    lines.retain(|line| !line.is_empty());
    lines
}

/// A glob without `/` is about names in every directory, as people mean it.
fn file_glob(glob: &str) -> Result<GlobMatcher, FileError> {
    let anchored = if glob.contains('/') { glob.to_owned() } else { format!("**/{glob}") };
    notes::glob(glob, &anchored)
}

/// How much of how much is shown.
fn summary(kept: &Kept, offset: usize, shown: usize) -> String {
    let total = kept.matches;
    let end = offset.saturating_add(shown);
    match (total, shown) {
        (0, _) => "no matches".to_owned(),
        (_, 0) => format!("no matches shown; there are {total}, offset is {offset}"),
        _ if (end as u64) < total => format!(
            "showing matches {}-{end} of {total} in {} files; for more: offset={end}, or narrow the search",
            offset + 1,
            kept.matched_files
        ),
        _ if offset > 0 => format!("matches {}-{end} of {total}", offset + 1),
        _ => String::new(),
    }
}

/// The lines of the window with the context that belongs to them, and how many of them matched.
fn render(kept: &Kept, offset: usize, limit: usize, context: u64, site: &Site) -> (String, usize) {
    let mut text = String::new();
    let (mut passed, mut shown) = (0_usize, 0);
    for file in kept.files.values() {
        let window: Vec<u64> = file
            .lines
            .iter()
            .filter(|hit| hit.matched)
            .filter_map(|hit| {
                passed += 1;
                (passed > offset && passed - offset <= limit).then_some(hit.line)
            })
            .collect();
        shown += window.len();
        let name = site.show(&file.path);
        let mut last = None;
        for hit in &file.lines {
            let next = window.partition_point(|&line| line < hit.line);
            let is_near = |index: usize| window.get(index).is_some_and(|line| line.abs_diff(hit.line) <= context);
            let is_shown = if hit.matched {
                window.get(next) == Some(&hit.line)
            } else {
                is_near(next) || next.checked_sub(1).is_some_and(is_near)
            };
            if !is_shown {
                continue;
            }
            if context > 0 && !text.is_empty() && last.is_none_or(|last| last + 1 != hit.line) {
                text.push_str("--\n");
            }
            last = Some(hit.line);
            let sign = if hit.matched { ':' } else { '-' };
            let _ = writeln!(text, "{name}{sign}{}{sign}{}", hit.line, hit.text);
        }
    }
    (text, shown)
}

/// The first matches by path, whatever the order in which they are found.
#[derive(Default)]
struct Kept {
    /// Keyed by the bytes of the path.
    files: BTreeMap<Vec<u8>, FileHits>,
    /// Matching lines in `files`.
    held: u64,
    matches: u64,
    matched_files: u64,
    binary: u64,
    closed: u64,
    unreadable: Vec<PathBuf>,
    unreadable_count: u64,
}

struct FileHits {
    path: PathBuf,
    lines: Vec<Hit>,
    matches: u64,
}

impl Kept {
    fn add(&mut self, path: PathBuf, found: Hits, keep: usize) {
        self.binary += u64::from(found.binary);
        if found.matches == 0 {
            return;
        }
        self.matches += found.matches;
        self.matched_files += 1;
        self.hold(FileHits { path, lines: found.lines, matches: found.matches }, keep);
    }

    fn hold(&mut self, file: FileHits, keep: usize) {
        self.held += file.matches;
        self.files.insert(file.path.as_os_str().as_bytes().to_vec(), file);
        // The last file goes as soon as those before it are enough.
        while let Some(last) = self.files.last_entry() {
            let rest = self.held - last.get().matches;
            if rest < keep as u64 {
                break;
            }
            self.held = rest;
            last.remove();
        }
    }

    fn unreadable(&mut self, path: &Path) {
        self.unreadable_count += 1;
        self.unreadable.push(path.to_path_buf());
        self.unreadable.sort();
        self.unreadable.truncate(5);
    }

    fn absorb(&mut self, other: Self, keep: usize) {
        self.matches += other.matches;
        self.matched_files += other.matched_files;
        self.binary += other.binary;
        self.closed += other.closed;
        self.unreadable_count += other.unreadable_count;
        self.unreadable.extend(other.unreadable);
        self.unreadable.sort();
        self.unreadable.truncate(5);
        for file in other.files.into_values() {
            self.hold(file, keep);
        }
    }
}

struct Worker<'a> {
    search: Search,
    glob: Option<&'a GlobMatcher>,
    rules: &'a ReadRules,
    keep: usize,
    kept: Kept,
}

impl<'a> Worker<'a> {
    fn new(job: &'a Job<'_>, rules: &'a ReadRules, cancel: &Cancel) -> Self {
        Self {
            search: Search::new(job.matcher.clone(), &job.query, LINE, cancel.clone()),
            glob: job.glob.as_ref(),
            rules,
            keep: job.keep,
            kept: Kept::default(),
        }
    }
}

impl Visitor for Worker<'_> {
    fn visit(&mut self, found: &Found<'_>) {
        if found.kind != FileKind::File {
            return;
        }
        let relative = Path::new(OsStr::from_bytes(found.relative));
        if self.glob.is_some_and(|glob| !glob.is_match(relative)) {
            return;
        }
        // Before it is opened: even whether it would have matched must not show.
        if self.rules.below(found.scope, found.path).is_closed() {
            self.kept.closed += 1;
            return;
        }
        let opened = found.directory.open(found.name).and_then(|file| Ok((Metadata::of(&file)?, file)));
        let result = match opened {
            Ok((metadata, file)) if metadata.kind == FileKind::File => self.search.file(file, metadata.size, self.keep),
            Ok(_) => return,
            Err(error) => Err(error),
        };
        match result {
            Ok(hits) if hits.matches == 0 => self.kept.binary += u64::from(hits.binary),
            Ok(hits) => self.kept.add(found.path.to_path_buf(), hits, self.keep),
            Err(_) => self.kept.unreadable(found.path),
        }
    }
}
