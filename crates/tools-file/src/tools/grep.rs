//! `grep`: lines that match a pattern, in one file or a whole tree.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
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
        let path = Path::new(args.path.as_deref().unwrap_or("."));
        let resolved = site.roots.resolve(path, &site.workdir).map_err(FileError::from)?;
        Ok(Inspection::read_only().touching(Subject::path(resolved.into_path(), Access::Read)))
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
    let matcher = compile(&query)?;
    let offset = args.offset.unwrap_or(0);
    let limit = args.limit.unwrap_or(site.limits().grep_matches).clamp(1, MOST);
    let keep = offset.saturating_add(limit);
    let asked = Path::new(args.path.as_deref().unwrap_or("."));
    let start = site.open_any(asked)?;
    let place = Location {
        path: start.path().to_path_buf(),
        line: None,
    };
    let (mut kept, skipped) = match start.metadata().kind {
        FileKind::Directory => {
            let directory = start.into_directory()?;
            let ignored = args
                .gitignore
                .unwrap_or(true)
                .then(|| Ignored::above(&directory, &site.roots));
            let plan = Plan {
                rules: site.policy().rules(),
                cancel,
                hidden: args.hidden.unwrap_or(true),
                ignored,
                depth: None,
                budget: site.limits().search_entries,
                threads: notes::threads(site),
            };
            let glob = args.glob.as_deref().map(file_glob).transpose()?;
            let make = || Worker::new(&matcher, &query, glob.as_ref(), site.policy().rules(), keep, cancel);
            let (workers, skipped) = walk(&directory, &plan, make);
            (merge(workers, keep), skipped)
        }
        FileKind::File => {
            site.check_readable(start.path(), asked)?;
            let (path, metadata) = (start.path().to_path_buf(), *start.metadata());
            let mut search = Search::new(matcher.clone(), &query, LINE, cancel.clone());
            let hits = search
                .file(start.into_file()?, metadata.size, keep)
                .map_err(|e| FileError::io(asked, e))?;
            let mut kept = Kept::default();
            kept.add(path, hits, keep);
            (kept, Skipped::default())
        }
        kind => {
            return Err(FileError::NotReadable {
                path: asked.to_path_buf(),
                kind,
            });
        }
    };
    cancel.check()?;
    let (text, shown) = render(&kept, offset, limit, query.context > 0, site);
    let mut lines = vec![summary(&kept, offset, shown)];
    if kept.closed > 0 {
        lines.push(format!(
            "{} files are closed by the read rules and were not searched",
            kept.closed
        ));
    }
    if kept.binary > 0 {
        lines.push(format!("{} binary files skipped", kept.binary));
    }
    kept.unreadable.sort();
    if !kept.unreadable.is_empty() {
        lines.push(notes::unreadable(
            "files",
            kept.unreadable_count,
            &kept.unreadable,
            site,
        ));
    }
    lines.extend(notes::skipped(&skipped, site));
    lines.retain(|line| !line.is_empty());
    let mut text = text;
    for line in lines {
        let _ = write!(
            text,
            "{}[{line}]",
            if text.is_empty() || text.ends_with('\n') {
                ""
            } else {
                "\n"
            }
        );
    }
    let output = ToolOutput::text(text).from_source(ClaimSource::Workspace).at(place);
    Ok(ToolOutput {
        truncated: offset.saturating_add(shown) < usize::try_from(kept.matches).unwrap_or(usize::MAX),
        ..output
    })
}

/// A glob without `/` is about names in every directory, as people mean it.
fn file_glob(glob: &str) -> Result<GlobMatcher, FileError> {
    let anchored = if glob.contains('/') {
        glob.to_owned()
    } else {
        format!("**/{glob}")
    };
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

fn render(kept: &Kept, offset: usize, limit: usize, context: bool, site: &Site) -> (String, usize) {
    let mut text = String::new();
    let (mut passed, mut shown) = (0, 0);
    let mut before: Option<(&Path, u64)> = None;
    for file in kept.files.values() {
        let name = site.show(&file.path);
        let mut pending: Vec<&Hit> = Vec::new(); // context that belongs to the next match, if that is shown
        for hit in &file.hits {
            let is_shown = |passed: usize| passed > offset && passed <= offset.saturating_add(limit);
            if !hit.matched && !is_shown(passed) {
                pending.push(hit);
                continue;
            }
            if hit.matched {
                passed += 1;
                if !is_shown(passed) {
                    pending.clear();
                    continue;
                }
                shown += 1;
            }
            for hit in pending.drain(..).chain([hit]) {
                let follows = before.is_some_and(|(path, line)| path == file.path && line + 1 == hit.line);
                if context && before.is_some() && !follows {
                    text.push_str("--\n");
                }
                before = Some((&file.path, hit.line));
                let sign = if hit.matched { ':' } else { '-' };
                let _ = writeln!(text, "{name}{sign}{}{sign}{}", hit.line, hit.text);
            }
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
    hits: Vec<Hit>,
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
        self.hold(
            FileHits {
                path,
                hits: found.hits,
                matches: found.matches,
            },
            keep,
        );
    }

    fn hold(&mut self, file: FileHits, keep: usize) {
        use std::os::unix::ffi::OsStrExt as _;
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

fn merge(workers: Vec<Worker<'_>>, keep: usize) -> Kept {
    workers.into_iter().fold(Kept::default(), |mut all, worker| {
        all.absorb(worker.kept, keep);
        all
    })
}

struct Worker<'a> {
    search: Search,
    glob: Option<&'a GlobMatcher>,
    rules: &'a ReadRules,
    keep: usize,
    kept: Kept,
}

impl<'a> Worker<'a> {
    fn new(
        matcher: &RegexMatcher,
        query: &Query<'_>,
        glob: Option<&'a GlobMatcher>,
        rules: &'a ReadRules,
        keep: usize,
        cancel: &Cancel,
    ) -> Self {
        let search = Search::new(matcher.clone(), query, LINE, cancel.clone());
        Self {
            search,
            glob,
            rules,
            keep,
            kept: Kept::default(),
        }
    }
}

impl Visitor for Worker<'_> {
    fn visit(&mut self, found: &Found<'_>) {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
        if found.kind != FileKind::File {
            return;
        }
        if self
            .glob
            .is_some_and(|glob| !glob.is_match(Path::new(OsStr::from_bytes(found.relative))))
        {
            return;
        }
        let Ok(file) = found.directory.open(found.name) else {
            return self.kept.unreadable(found.path);
        };
        let size = match Metadata::of(&file) {
            Ok(metadata) if metadata.kind == FileKind::File => metadata.size,
            _ => return,
        };
        match self.search.file(file, size, self.keep) {
            Ok(hits) if hits.matches == 0 => self.kept.binary += u64::from(hits.binary),
            // Asked only now: most files do not match, and the rules cost more than the search of a short one.
            Ok(_) if self.rules.below(found.scope, found.path).is_closed() => self.kept.closed += 1,
            Ok(hits) => self.kept.add(found.path.to_path_buf(), hits, self.keep),
            Err(_) => self.kept.unreadable(found.path),
        }
    }
}
