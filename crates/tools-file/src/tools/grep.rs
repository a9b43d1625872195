//! `grep`: lines that match a pattern, in one file or a whole tree.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use grep_regex::RegexMatcher;
use ignore::types::Types;
use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::{
    Access, CallContext, ClaimSource, Inspection, Location, Subject, Tool, ToolDef, ToolError, ToolKind, ToolOutput,
    ToolTraits, Window, WindowWriter,
};
use tools_sandbox::{FileKind, Metadata, ReadRules};

use super::{file_globs::FileGlobs, notes};
use crate::cancel::Cancel;
use crate::error::FileError;
use crate::first_hits::{FileHits, FirstFiles, HitLimit};
use crate::ignore_rules::IgnoreRules;
use crate::search::{Hits, Query, Search, SearchLimits, Span, compile};
use crate::stamps::Stamps;
use crate::walk::{Plan, SkippedCounts, Visitor, WalkEntry, walk};
use crate::workspace::{Site, Workspace};

/// Divisor of the maximum line length of `read`: `grep` shows a shorter part.
const PART: usize = 4;
/// Maximum number of lines in one call.
const MAX_LINES: usize = 20_000;

/// Maximum number of lines around a match.
const MAX_CONTEXT: usize = 50;

pub(super) struct Grep(pub(super) Arc<Workspace>);

/// Searches file contents for a Rust regular expression (no look-around, no backreferences). Shows
/// `path:line:text`. Hidden files are searched; binary files, `.git` and ignored files are not.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    pattern: String,
    /// File or directory. Default: working directory.
    path: Option<String>,
    /// Default true.
    case_sensitive: Option<bool>,
    literal: Option<bool>,
    /// Let `.` match line breaks.
    multiline: Option<bool>,
    /// For example `src/**/*.ts`.
    glob: Option<String>,
    /// For example `rust`, `py`, `ts`.
    #[serde(rename = "type")]
    file_type: Option<String>,
    /// Default `lines`.
    mode: Option<Mode>,
    /// Lines around each match, at most 50.
    context: Option<usize>,
    /// Lines (or files) to show. Default 100.
    limit: Option<usize>,
    /// Lines (or files) to skip.
    offset: Option<usize>,
    /// Search hidden files. Default true.
    hidden: Option<bool>,
    /// Skip ignored files. Default true.
    gitignore: Option<bool>,
}

/// What a search shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    /// The lines that match, with file and number.
    #[default]
    Lines,
    /// The files in which any line matches.
    Files,
    /// The number of matching lines in each file.
    Counts,
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
            let resolved = site.resolve_start(&start)?;
            inspection = inspection.touching(Subject::path(resolved.into_path(), Access::Read));
        }
        Ok(inspection)
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        self.0.blocking(cx, move |site, cancel| grep(&args, site, cancel)).await
    }
}

fn grep(args: &Args, site: &Site, cancel: &Cancel) -> Result<ToolOutput, FileError> {
    let mode = args.mode.unwrap_or_default();
    let literal = args.literal.unwrap_or(false);
    let query = Query {
        pattern: &args.pattern,
        literal,
        span: Span::of(&args.pattern, literal, args.multiline.unwrap_or(false)),
        case_sensitive: args.case_sensitive.unwrap_or(true),
        context: if mode == Mode::Lines { args.context.unwrap_or(0).min(MAX_CONTEXT) } else { 0 },
    };
    let offset = args.offset.unwrap_or(0);
    let limit = args.limit.unwrap_or(site.limits().grep_matches).clamp(1, MAX_LINES);
    let bound = HitLimit::new(offset.saturating_add(limit));
    let job = Job {
        matcher: compile(&query)?,
        query,
        globs: args.glob.as_deref().map(|glob| FileGlobs::parse(glob, site.workdirs())).transpose()?,
        types: args.file_type.as_deref().map(notes::types).transpose()?,
        take: match mode {
            Mode::Lines => SearchLimits { lines: bound.keep(), most: bound.ceiling() },
            Mode::Files => SearchLimits { lines: 0, most: 0 },
            Mode::Counts => SearchLimits { lines: 0, most: u64::MAX },
        },
        line_chars: site.limits().line_chars / PART,
        mode,
        bound,
        hidden: args.hidden.unwrap_or(true),
        gitignore: args.gitignore.unwrap_or(true),
    };
    let (mut kept, mut skipped, mut locations) = (FirstFiles::default(), SkippedCounts::default(), Vec::new());
    for start in site.search_starts(args.path.as_deref()) {
        let (found, left_out, path) = search(&job, &start, site, cancel)?;
        kept.absorb(found, &job.bound);
        skipped.add(left_out);
        locations.push(Location { path, line: None });
    }
    cancel.check()?;
    let (mut text, shown) = match mode {
        Mode::Lines => render(&kept, offset, limit, job.query.context as u64, site),
        Mode::Files | Mode::Counts => list(&kept, offset, limit, mode, site),
    };
    let is_less = mode == Mode::Lines && args.context.is_some_and(|lines| lines > MAX_CONTEXT);
    let less = is_less.then(|| format!("context: at most {MAX_CONTEXT} lines"));
    for line in remarks(&kept, &skipped, offset, shown, &job, site).into_iter().chain(less) {
        let _ = write!(text, "{}[{line}]", if text.is_empty() || text.ends_with('\n') { "" } else { "\n" });
    }
    if let Some(stamps) = site.stamps() {
        stamps.complete();
    }
    let all = usize::try_from(kept.units).unwrap_or(usize::MAX);
    let output = ToolOutput::text(text.trim_end_matches('\n')).from_source(ClaimSource::Workspace);
    let end = offset.saturating_add(shown);
    let window = (shown > 0).then_some(Window {
        from: offset as u64,
        to: end as u64,
        total: (!job.bound.is_over()).then_some(kept.units),
        next: (end < all).then_some(end as u64),
    });
    Ok(ToolOutput { truncated: end < all, locations, window, ..output })
}

/// The compiled query and its options.
struct Job<'a> {
    query: Query<'a>,
    matcher: RegexMatcher,
    globs: Option<FileGlobs>,
    types: Option<Types>,
    /// Limits for each file.
    take: SearchLimits,
    line_chars: usize,
    mode: Mode,
    /// Limit for all files together.
    bound: HitLimit,
    hidden: bool,
    gitignore: bool,
}

/// Searches one file or tree; returns its path.
fn search(
    job: &Job<'_>,
    asked: &Path,
    site: &Site,
    cancel: &Cancel,
) -> Result<(FirstFiles, SkippedCounts, PathBuf), FileError> {
    let rules = site.rules();
    let start = site.open_start(asked)?;
    let path = start.path().to_path_buf();
    match start.metadata().kind {
        FileKind::Directory => {
            let directory = start.into_directory()?;
            let plan = Plan {
                rules,
                cancel,
                hidden: job.hidden,
                ignored: job.gitignore.then(|| IgnoreRules::above(&directory, &site.roots, site.stamps())),
                depth: None,
                budget: site.limits().search_entries,
                ordered: true,
                threads: notes::threads(site),
                stamps: site.stamps(),
            };
            let (workers, skipped) = walk(&directory, &plan, || Worker::new(job, site, cancel));
            let kept = workers.into_iter().fold(FirstFiles::default(), |mut all, worker| {
                all.absorb(worker.kept, &job.bound);
                all
            });
            Ok((kept, skipped, path))
        }
        FileKind::File => {
            let metadata = *start.metadata();
            let file = start.into_file()?;
            if let Some(stamps) = site.stamps() {
                stamps.opened(&path, &file, &metadata);
            }
            let mut worker = Worker::new(job, site, cancel);
            worker.kept.chosen = 1;
            let found = worker.search.file(file, (&path, metadata.size), job.take, site);
            let told = |error: std::io::Error| match error.kind() {
                std::io::ErrorKind::FileTooLarge => FileError::TooLongToSearch { path: asked.to_path_buf() },
                _ => FileError::io(asked, error),
            };
            worker.add(&path, found.map_err(told)?);
            Ok((worker.kept, SkippedCounts::default(), path))
        }
        kind => Err(FileError::NotReadable { path: asked.to_path_buf(), kind }),
    }
}

/// The notes below the matches. After an early end they contain only what does not depend on where
/// the search ended.
fn remarks(
    kept: &FirstFiles,
    skipped: &SkippedCounts,
    offset: usize,
    shown: usize,
    job: &Job<'_>,
    site: &Site,
) -> Vec<String> {
    let mut lines = vec![summary(kept, offset, shown, job)];
    if job.bound.is_over() {
        let near: Vec<PathBuf> = kept.unreadable.iter().filter(|path| !job.bound.excludes(path)).cloned().collect();
        if !near.is_empty() {
            lines.push(notes::unreadable("files", near.len() as u64, &near, site));
        }
        return lines;
    }
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

/// The summary of the shown and total numbers.
fn summary(kept: &FirstFiles, offset: usize, shown: usize, job: &Job<'_>) -> String {
    let (units, what) = (kept.units, if job.mode == Mode::Lines { "matches" } else { "files" });
    let end = offset.saturating_add(shown);
    // Every run finds out whether there are more matches than are counted, but not the same number
    // of them.
    let (total, scope) = match (job.bound.is_over(), job.mode) {
        (true, _) => (format!("more than {}", job.bound.ceiling()), String::new()),
        (false, Mode::Lines) => (units.to_string(), format!(" in {} files", kept.matched_files)),
        (false, _) => (units.to_string(), String::new()),
    };
    match (units, shown) {
        // In this case it is not the pattern that fails to match.
        (0, _) if kept.chosen == 0 && job.globs.is_some() && job.types.is_some() => {
            "no matches: no file fits both `glob` and `type`".to_owned()
        }
        (0, _) if kept.chosen == 0 && job.globs.is_some() => "no matches: no file fits `glob`".to_owned(),
        (0, _) if kept.chosen == 0 && job.types.is_some() => "no matches: no file has this `type`".to_owned(),
        (0, _) => "no matches".to_owned(),
        (_, 0) => format!("no {what} shown; there are {total}, offset is {offset}"),
        _ if (end as u64) < units => format!(
            "showing {what} {}-{end} of {total}{scope}; for more: offset={end}, or narrow the search",
            offset + 1,
        ),
        _ if offset > 0 => format!("{what} {}-{end} of {total}", offset + 1),
        _ if job.mode == Mode::Counts => format!("{} matches in {units} files", kept.matches),
        _ => String::new(),
    }
}

/// The files of the window, with the number of matches if requested.
fn list(kept: &FirstFiles, offset: usize, limit: usize, mode: Mode, site: &Site) -> (String, usize) {
    let mut text = String::new();
    let (mut shown, mut filling) = (0, WindowWriter::new(site.answer()));
    for file in kept.files.values().skip(offset).take(limit) {
        let mut line = site.show(&file.path);
        if mode == Mode::Counts {
            let _ = write!(line, ":{}", file.matches);
        }
        line.push('\n');
        if !filling.takes(&line) && shown > 0 {
            break;
        }
        shown += 1;
        text.push_str(&line);
    }
    (text, shown)
}

/// The lines of the window with their context, as many as the answer holds, and the number of
/// matches shown. A match that does not fit with its context is omitted, so that the next window
/// begins with it.
fn render(kept: &FirstFiles, offset: usize, limit: usize, context: u64, site: &Site) -> (String, usize) {
    let mut text = String::new();
    let (mut passed, mut shown) = (0_usize, 0);
    let mut filling = WindowWriter::new(site.answer());
    // End of the text after the last match with all its preceding context, and the same for the
    // match before it.
    let (mut whole, mut without_last) = (0, 0);
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
            let begin = text.len();
            if context > 0 && !text.is_empty() && last.is_none_or(|last| last + 1 != hit.line) {
                text.push_str("--\n");
            }
            last = Some(hit.line);
            let sign = if hit.matched { ':' } else { '-' };
            let _ = writeln!(text, "{name}{sign}{}{sign}{}", hit.line, hit.text);
            if !filling.takes(&text[begin..]) && shown > 0 {
                // The next window begins after the last match shown. So that match is shown with
                // all its context, or omitted if another one is shown.
                let cuts_context = !hit.matched && next.checked_sub(1).is_some_and(is_near);
                let (end, shown) = if cuts_context && shown > 1 { (without_last, shown - 1) } else { (whole, shown) };
                text.truncate(end);
                return (text, shown);
            }
            if hit.matched {
                shown += 1;
                without_last = whole;
                whole = text.len();
            } else if next.checked_sub(1).is_some_and(is_near) {
                whole = text.len();
            }
        }
    }
    (text, shown)
}

struct Worker<'a> {
    search: Search,
    job: &'a Job<'a>,
    rules: &'a ReadRules,
    site: &'a Site,
    stamps: Option<&'a Stamps>,
    kept: FirstFiles,
}

impl<'a> Worker<'a> {
    fn new(job: &'a Job<'_>, site: &'a Site, cancel: &Cancel) -> Self {
        let search = Search::new(job.matcher.clone(), &job.query, job.line_chars, cancel.clone());
        Self { search, job, rules: site.rules(), site, stamps: site.stamps(), kept: FirstFiles::default() }
    }

    fn add(&mut self, path: &Path, found: Hits) {
        self.kept.binary += u64::from(found.binary);
        if found.matches > 0 {
            let units = if self.job.mode == Mode::Lines { found.matches } else { 1 };
            self.kept.add(
                FileHits { path: path.to_path_buf(), lines: found.lines, matches: found.matches, units },
                &self.job.bound,
            );
        }
    }
}

impl Visitor for Worker<'_> {
    fn visit(&mut self, found: &WalkEntry<'_>) {
        if found.kind != FileKind::File || self.job.bound.excludes(found.path) {
            return;
        }
        let relative = Path::new(OsStr::from_bytes(found.relative));
        if self.job.globs.as_ref().is_some_and(|globs| !globs.choose(relative, found.path))
            || self.job.types.as_ref().is_some_and(|types| !types.matched(relative, false).is_whitelist())
        {
            return;
        }
        self.kept.chosen += 1;
        // Checked before opening: the tool must not reveal whether the file would match.
        if self.rules.below(found.scope, found.path).is_closed() {
            self.kept.closed += 1;
            return;
        }
        let opened = found.directory.open(found.name).and_then(|file| Ok((Metadata::of(&file)?, file)));
        let result = match opened {
            Ok((metadata, file)) if metadata.kind == FileKind::File => {
                if let Some(stamps) = self.stamps {
                    stamps.opened(found.path, &file, &metadata);
                }
                self.search.file(file, (found.path, metadata.size), self.job.take, self.site)
            }
            Ok(_) => return,
            Err(error) => Err(error),
        };
        if let Ok(hits) = result {
            self.add(found.path, hits);
            return;
        }
        if let Some(stamps) = self.stamps {
            stamps.give_up();
        }
        self.kept.unreadable(found.path);
    }

    fn enters(&self, directory: &Path) -> bool {
        !self.job.bound.excludes_below(directory)
    }
}
