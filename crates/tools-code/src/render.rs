//! Formats hits for a model: one line for each, with the comment above a definition for the first
//! ones. Every line is read from its file just before.

use std::{collections::HashMap, fmt::Write as _, path::Path, sync::Arc};

use serde_json::{Value, json};
use tools_core::{Location, WindowWriter};

use crate::hit::{Hit, Layer};
use crate::parse::one_line;
use crate::structural::Search;

/// Number of hits shown with more than their line.
const DETAILED: usize = 3;
/// Maximum number of comment lines shown for those.
const COMMENT: usize = 4;
/// Maximum number of lines shown of a type that is the first hit.
const BODY: usize = 14;
/// Maximum length of a line in characters.
const LINE: usize = 180;

/// The hits that fit into one answer, as text.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) text: String,
    pub(crate) hits: Vec<Value>,
    pub(crate) locations: Vec<Location>,
    /// Number of hits in it.
    pub(crate) shown: usize,
    /// Number of hits processed for it: the shown ones, and those that are no longer valid.
    pub(crate) passed: usize,
    /// Whether a file has changed.
    pub(crate) is_stale: bool,
}

/// Options for showing hits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style<'a> {
    /// Words that select the line to show for a passage without a definition.
    pub(crate) parts: &'a [String],
    pub(crate) limit: usize,
    pub(crate) is_outline: bool,
}

/// A file with its credentials hidden.
struct RenderedFile {
    hash: u64,
    lines: Vec<String>,
    /// Whether something in it is hidden: signatures are then taken from these lines.
    is_hidden: bool,
}

impl Search<'_> {
    /// Formats as many hits as fit. Each file is read again first: hits from older content are
    /// omitted and reported.
    pub(crate) fn page(&self, hits: &[Hit], style: Style<'_>, filling: &mut WindowWriter) -> Page {
        let mut sheets: HashMap<Arc<Path>, Option<RenderedFile>> = HashMap::new();
        let mut page = Page::default();
        let mut last_path: Option<Arc<Path>> = None;
        for hit in hits {
            if page.shown == style.limit {
                break;
            }
            let sheet = sheets.entry(Arc::clone(&hit.path)).or_insert_with(|| self.sheet(&hit.path));
            let Some(sheet) = sheet.as_ref().filter(|sheet| sheet.hash == hit.hash) else {
                page.is_stale |= self.index.state().hash_of(&hit.path).is_some();
                page.passed += 1;
                continue;
            };
            let path = self.sight.show(&hit.path);
            let mut text = String::new();
            if style.is_outline {
                if last_path.as_ref() != Some(&hit.path) {
                    let _ = writeln!(text, "{path}");
                }
                text.push_str(&outline_line(hit, sheet));
            } else {
                text.push_str(&line(hit, sheet, &path, style.parts));
                if page.shown < DETAILED {
                    text.push_str(&detail(hit, sheet, page.shown == 0));
                }
            }
            if !filling.takes(&text) && page.shown > 0 {
                break;
            }
            last_path = Some(Arc::clone(&hit.path));
            page.text.push_str(&text);
            page.hits.push(value(hit, sheet, &path));
            page.locations.push(Location { path: hit.path.to_path_buf(), line: Some(u64::from(hit.line) + 1) });
            page.shown += 1;
            page.passed += 1;
        }
        page
    }

    fn sheet(&self, path: &Path) -> Option<RenderedFile> {
        let fresh = self.index.fresh(self.sight, path, self.policy)?;
        let length = fresh.text.len();
        let shown = self.sight.hide(path, fresh.text.clone());
        let is_hidden = shown.len() != length || shown != fresh.text;
        let lines = String::from_utf8_lossy(&shown).split('\n').map(str::to_owned).collect();
        Some(RenderedFile { hash: fresh.hash, lines, is_hidden })
    }
}

impl RenderedFile {
    fn line(&self, number: u32) -> &str {
        self.lines.get(number as usize).map_or("", |line| line.trim_end())
    }

    fn signature(&self, hit: &Hit) -> String {
        match &hit.symbol {
            Some(found) if !self.is_hidden => found.signature.to_string(),
            _ => one_line(self.line(hit.line)),
        }
    }
}

fn line(hit: &Hit, sheet: &RenderedFile, path: &str, parts: &[String]) -> String {
    let signature = sheet.signature(hit);
    match hit.layers.first() {
        Some(Layer::Semantic) => {
            let (first, last) = (hit.first + 1, hit.last + 1);
            let what = match hit.symbol {
                Some(_) => signature,
                None => telling(hit, sheet, parts).map(one_line).unwrap_or_default(),
            };
            format!("[semantic] {path}:{first}-{last} (score: {:.2}) {what}\n", hit.score)
        }
        layer => format!("[{}] {path}:{} {signature}\n", layer.map_or("text", |layer| layer.name()), hit.line + 1),
    }
}

fn outline_line(hit: &Hit, sheet: &RenderedFile) -> String {
    let indent = "  ".repeat(1 + usize::from(hit.symbol.as_ref().map_or(0, |found| found.depth)).min(8));
    format!("{indent}{} {}\n", hit.line + 1, sheet.signature(hit))
}

/// The comment above a definition, and the fields of a type.
fn detail(hit: &Hit, sheet: &RenderedFile, is_first: bool) -> String {
    let mut text = String::new();
    let mut push = |line: &str| {
        let line: String = line.chars().take(LINE).collect();
        let _ = writeln!(text, "    {line}");
    };
    let Some(found) = &hit.symbol else { return text };
    let is_comment = |line: &&str| {
        let line = line.trim_start();
        !line.is_empty()
            && ["//", "/*", "*", "# ", "#!"].iter().any(|sign| line.starts_with(sign))
            && !line.starts_with("#[")
    };
    let above = (hit.first..hit.line).map(|number| sheet.line(number));
    for line in above
        .filter(is_comment)
        .map(str::trim)
        .filter(|line| !["/**", "*/", "/*", "//", "///"].contains(line))
        .take(COMMENT)
    {
        push(line);
    }
    // The documentation of a Python function follows its head.
    let below = (hit.line + 1..=hit.last.min(hit.line + 8)).map(|number| sheet.line(number).trim());
    let mut quoted = below.skip_while(|line| !line.starts_with("\"\"\"") && !line.starts_with("'''")).take(COMMENT);
    if let Some(first) = quoted.next() {
        push(first);
        if first.matches("\"\"\"").count() < 2 {
            quoted
                .take_while(|line| !line.starts_with("\"\"\""))
                .filter(|line| !line.is_empty())
                .take(2)
                .for_each(&mut push);
        }
    }
    let is_type = ["struct", "enum", "type", "interface", "trait", "union"].contains(&found.kind);
    if is_first && is_type && hit.last > hit.line {
        let body = (hit.line + 1..=hit.last).map(|number| sheet.line(number));
        let body =
            body.filter(|line| !line.trim().is_empty() && !is_comment(line) && !line.trim_start().starts_with("#["));
        body.take(BODY).for_each(push);
    }
    text
}

/// The line of a passage that contains most of the words.
fn telling<'a>(hit: &Hit, sheet: &'a RenderedFile, parts: &[String]) -> Option<&'a str> {
    let holds = |line: &str| {
        let line = line.to_lowercase();
        parts.iter().filter(|part| line.contains(part.as_str())).count()
    };
    let lines = (hit.first..=hit.last).map(|number| sheet.line(number));
    let best = lines.map(|line| (holds(line), line)).reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.filter(|(count, _)| *count > 0).map(|(_, line)| line)
}

fn value(hit: &Hit, sheet: &RenderedFile, path: &str) -> Value {
    json!({
        "layers": hit.layers.iter().map(|layer| layer.name()).collect::<Vec<_>>(),
        "path": path,
        "line": hit.line + 1,
        "start": hit.first + 1,
        "end": hit.last + 1,
        "symbol": hit.symbol.as_ref().map(|found| &found.name),
        "kind": hit.symbol.as_ref().map(|found| found.kind),
        "signature": hit.symbol.as_ref().map(|_| sheet.signature(hit)),
        "score": (hit.score * 1000.0).round() / 1000.0,
        "snippet": one_line(sheet.line(hit.line)),
    })
}
