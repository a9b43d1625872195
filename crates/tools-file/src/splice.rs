//! Finds the text that an edit refers to, without guessing: exactly, then ignoring line endings,
//! then trailing blanks, then a uniform difference of indentation. Does no I/O: `tools/edit.rs`
//! reads and writes the file, and `nearest.rs` explains a mismatch.

use std::{collections::HashMap, fmt, ops::Range, sync::Arc};

mod cut;
mod lines;
mod nearest;
mod request;

use self::lines::Lines;
pub(crate) use self::lines::line_number;
pub(crate) use self::nearest::{NearestText, Row};
pub(crate) use self::request::Request;

/// The kind of difference that was ignored to find the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Exact,
    LineEndings,
    TrailingBlanks,
    Indentation,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "nothing",
            Self::LineEndings => "line endings",
            Self::TrailingBlanks => "trailing blanks",
            Self::Indentation => "differences of indentation",
        })
    }
}

/// One place and its new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Replacement {
    pub(crate) range: Range<usize>,
    /// Shared, because many places usually get the same text.
    pub(crate) text: Arc<str>,
}

/// The places to replace: at least one, in order, not overlapping.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EditPlaces {
    pub(crate) step: Step,
    pub(crate) places: Vec<Replacement>,
}

impl EditPlaces {
    /// The text with every place replaced; all other bytes stay unchanged.
    pub(crate) fn apply(&self, text: &str) -> String {
        let mut result = String::with_capacity(text.len());
        let mut end = 0;
        for place in &self.places {
            result.push_str(&text[end..place.range.start]);
            result.push_str(&place.text);
            end = place.range.end;
        }
        result.push_str(&text[end..]);
        result
    }
}

/// Reason why an edit does not apply.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum EditMismatch {
    /// More than one place; the line numbers of the first ones.
    Ambiguous { step: Step, lines: Vec<usize>, total: usize },
    NotFound {
        near: Option<NearestText>,
        /// The line at which the new text already replaces the old.
        applied: Option<usize>,
        /// A sentence about parts of the old text that come from how it was copied.
        copied: Option<&'static str>,
    },
}

/// Maximum number of line numbers listed in a refusal.
const NAMED: usize = 10;

/// Finds the places that `request` means.
///
/// The first step that finds anything decides. Two matches at that step are refused unless all are
/// meant.
///
/// A match that covers only part of a range in `whole` does not count.
///
/// The new text replaces an exact match as it was sent, except for the file's line endings. It is
/// indented like the file only after a step that has learned how the file indents the old text.
pub(crate) fn find(text: &str, request: Request<'_>, whole: &[Range<usize>]) -> Result<EditPlaces, EditMismatch> {
    let mut exact = exact_places(text, request);
    exact.retain(|place| !cuts(&place.range, whole));
    if !exact.is_empty() {
        return settle(text, request, Step::Exact, exact);
    }
    let lines = Lines::of(text);
    for step in [Step::LineEndings, Step::TrailingBlanks, Step::Indentation] {
        let mut places = match step {
            Step::LineEndings => line_ending_places(text, request),
            step => lines.places(request, step),
        };
        places.retain(|place| !cuts(&place.range, whole));
        if !places.is_empty() {
            return settle(text, request, step, places);
        }
    }
    let place = nearest::place(&lines, request);
    let near = place.clone().map(|place| nearest::compare(&lines, request, place));
    Err(EditMismatch::NotFound {
        near: near.or_else(|| nearest::fragment(text, request.old)),
        applied: nearest::applied(text, &lines, request, place.as_ref()),
        copied: nearest::copied(text, request.old),
    })
}

/// Whether a range covers only part of one of the ranges in `whole`, which are in order.
fn cuts(range: &Range<usize>, whole: &[Range<usize>]) -> bool {
    let first = whole.partition_point(|part| part.end <= range.start);
    let met = whole[first..].iter().take_while(|part| part.start < range.end);
    met.into_iter().any(|part| part.start < range.start || part.end > range.end)
}

fn settle(text: &str, request: Request<'_>, step: Step, places: Vec<Replacement>) -> Result<EditPlaces, EditMismatch> {
    if places.len() > 1 && !request.all {
        let lines = places.iter().take(NAMED).map(|place| line_number(text, place.range.start)).collect();
        return Err(EditMismatch::Ambiguous { step, lines, total: places.len() });
    }
    let mut kept: Vec<Replacement> = Vec::with_capacity(places.len());
    for place in places {
        if kept.last().is_none_or(|last| last.range.end <= place.range.start) {
            kept.push(place);
        }
    }
    Ok(EditPlaces { step, places: kept })
}

/// Maximum number of places searched when one is expected: enough to report that it is not unique.
const ENOUGH: usize = 1000;

fn exact_places(text: &str, request: Request<'_>) -> Vec<Replacement> {
    // New line breaks follow the file, unless the old text contains its own line breaks.
    let spelled = request.old.contains('\n') || request.new.contains('\r') || !request.new.contains('\n');
    let plain: Arc<str> = request.new.into();
    let crlf: Arc<str> = if spelled { Arc::clone(&plain) } else { request.new.replace('\n', "\r\n").into() };
    let finder = memchr::memmem::Finder::new(request.old);
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(at) = finder.find(&text.as_bytes()[from..]) {
        let start = from + at;
        let end = start + request.old.len();
        if request.old.starts_with('\n') && text[..start].ends_with('\r') {
            from = start + 1; // half of a CRLF: for the next step, which takes the other half along
            continue;
        }
        let replacement = if !spelled && request.uses_crlf(text, start) { &crlf } else { &plain };
        places.push(Replacement { range: start..end, text: Arc::clone(replacement) });
        if request.all {
            from = end;
            continue;
        }
        if places.len() == ENOUGH {
            break;
        }
        // Advances one byte, not one match: overlapping matches are ambiguous. Text is valid UTF-8,
        // so matches of valid UTF-8 begin at character boundaries only.
        from = start + 1;
    }
    places
}

/// Whether the line break nearest to `at` is CRLF; `None` without any line break.
fn has_crlf(text: &str, at: usize) -> Option<bool> {
    let bytes = text.as_bytes();
    let next = memchr::memchr(b'\n', &bytes[at..]).map(|offset| at + offset);
    let nearest = next.or_else(|| memchr::memrchr(b'\n', &bytes[..at]))?;
    Some(nearest > 0 && bytes[nearest - 1] == b'\r')
}

/// Whether the first line of a text ends with CRLF.
pub(crate) fn begins_with_crlf(text: &str) -> bool {
    has_crlf(text, 0).unwrap_or(false)
}

impl Request<'_> {
    /// Whether a new line at `at` ends with CRLF.
    fn uses_crlf(&self, text: &str, at: usize) -> bool {
        has_crlf(text, at).unwrap_or(self.crlf)
    }
}

fn line_ending_places(text: &str, request: Request<'_>) -> Vec<Replacement> {
    if !text.contains('\r') && !request.old.contains('\r') {
        return Vec::new();
    }
    let old = request.old.replace("\r\n", "\n");
    // The text without the CR of each CRLF, and the original offset of each kept byte.
    let bytes = text.as_bytes();
    let (mut plain, mut origin) = (Vec::with_capacity(bytes.len()), Vec::with_capacity(bytes.len() + 1));
    for (at, &byte) in bytes.iter().enumerate() {
        if byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
            plain.push(byte);
            origin.push(at);
        }
    }
    origin.push(bytes.len());
    let finder = memchr::memmem::Finder::new(&old);
    let (mut places, mut from) = (Vec::new(), 0);
    while let Some(at) = finder.find(&plain[from..]) {
        let start = from + at;
        let end = start + old.len();
        // A match that begins with a line break includes the CR before it. One that ends before a
        // break excludes the CR.
        let first = if plain[start] == b'\n' && origin[start] > 0 && bytes[origin[start] - 1] == b'\r' {
            origin[start] - 1
        } else {
            origin[start]
        };
        let last = match plain.get(end) {
            Some(b'\n') if bytes[origin[end] - 1] == b'\r' => origin[end] - 1,
            _ => origin[end],
        };
        let text = like_endings(&text[first..last], request.new, || request.uses_crlf(text, last));
        places.push(Replacement { range: first..last, text: text.into() });
        if !request.all && places.len() == ENOUGH {
            break;
        }
        from = start + 1;
    }
    places
}

/// `new` with its n-th line break as in `old`, and further ones like the last.
fn like_endings(old: &str, new: &str, default_crlf: impl Fn() -> bool) -> String {
    let crlf: Vec<bool> =
        memchr::memchr_iter(b'\n', old.as_bytes()).map(|at| at > 0 && old.as_bytes()[at - 1] == b'\r').collect();
    let default = crlf.last().copied().unwrap_or_else(default_crlf);
    let new = new.replace("\r\n", "\n");
    let mut result = String::with_capacity(new.len());
    for (n, line) in new.split('\n').enumerate() {
        if n > 0 {
            result.push_str(if crlf.get(n - 1).copied().unwrap_or(default) { "\r\n" } else { "\n" });
        }
        result.push_str(line);
    }
    result
}

impl Lines<'_> {
    /// Runs of whole lines that equal the old text except for differences that `step` ignores.
    fn places(&self, request: Request<'_>, step: Step) -> Vec<Replacement> {
        let old = Lines::of(request.old);
        let count = old.lines.len();
        if count == 0 || count > self.lines.len() || request.old.trim().is_empty() {
            return Vec::new();
        }
        let whole = request.old.ends_with('\n');
        (0..=self.lines.len() - count)
            .filter_map(|first| -> Option<Replacement> {
                let transform = if step == Step::Indentation {
                    Indent::between(&old, self, first)?
                } else {
                    let same = |n: usize| old.line(n).trim_end() == self.line(first + n).trim_end();
                    (0..count).all(same).then_some(Indent::Same)?
                };
                let last = first + count - 1;
                let start = self.lines[first].start;
                let end = if whole { self.after(last) } else { self.lines[last].end };
                let mut new = transform.apply(request.new)?;
                new = self.with_unchanged(&old, request.new, &new, first);
                if whole && end == self.lines[last].end {
                    // The last line of the file has no line break and stays like that.
                    new.truncate(new.trim_end_matches(['\n', '\r']).len());
                }
                let replaced = &self.text[start..end];
                let text = like_endings(replaced, &new, || request.uses_crlf(self.text, start));
                Some(Replacement { range: start..end, text: text.into() })
            })
            .collect()
    }
}

impl Lines<'_> {
    /// `new` with the lines that the edit does not change copied from the file, including trailing
    /// blanks: those that the old and new text share at the beginning or at the end.
    fn with_unchanged(&self, old: &Lines<'_>, sent: &str, new: &str, first: usize) -> String {
        let (count, sent) = (old.lines.len(), Lines::of(sent));
        let mut lines: Vec<&str> = new.split('\n').collect();
        let same = |a: usize, b: usize| old.line(a) == sent.line(b);
        let most = count.min(sent.lines.len()).min(lines.len());
        let head = (0..most).take_while(|n| same(*n, *n)).count();
        let tail = (0..most - head).take_while(|n| same(count - 1 - n, sent.lines.len() - 1 - n)).count();
        for (n, line) in lines.iter_mut().take(head).enumerate() {
            *line = self.line(first + n);
        }
        for n in 0..tail {
            lines[sent.lines.len() - 1 - n] = self.line(first + count - 1 - n);
        }
        lines.join("\n")
    }
}

/// Relation between the indentation in the file and in the request.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Indent {
    Same,
    /// The file has this additional indentation.
    Add(String),
    /// The file lacks this indentation.
    Remove(String),
    /// Each indentation in the request maps to one in the file; the units determine the rest.
    Map {
        known: HashMap<String, String>,
        unit: Option<(String, String)>,
    },
}

impl Indent {
    /// The rule that turns the old lines into the lines of the file from `first` on.
    fn between(old: &Lines<'_>, file: &Lines<'_>, first: usize) -> Option<Self> {
        let mut pairs = Vec::new();
        for n in 0..old.lines.len() {
            let (wanted, have) = (old.line(n), file.line(first + n));
            if wanted.trim() != have.trim() {
                return None;
            }
            if !wanted.trim().is_empty() {
                pairs.push((indentation(wanted), indentation(have)));
            }
        }
        let &(wanted, have) = pairs.first()?;
        if let Some(more) = have.strip_suffix(wanted).or_else(|| have.strip_prefix(wanted))
            && pairs.iter().all(|(wanted, have)| *have == format!("{more}{wanted}"))
        {
            return Some(Self::Add(more.to_owned()));
        }
        if let Some(less) = wanted.strip_suffix(have).or_else(|| wanted.strip_prefix(have))
            && pairs.iter().all(|(wanted, have)| *wanted == format!("{less}{have}"))
        {
            return Some(Self::Remove(less.to_owned()));
        }
        let mut known: HashMap<String, String> = HashMap::new();
        for (wanted, have) in &pairs {
            let stands_for = known.entry((*wanted).to_owned()).or_insert_with(|| (*have).to_owned());
            if stands_for != have {
                return None;
            }
        }
        // Tabs versus spaces: the smallest step of each gives the unit for new lines.
        let unit = known
            .iter()
            .filter(|(wanted, have)| !wanted.is_empty() && !have.is_empty())
            .min_by_key(|(wanted, _)| wanted.len())
            .and_then(|(wanted, have)| {
                let tabs = have.bytes().all(|b| b == b'\t') && wanted.bytes().all(|b| b == b' ');
                let spaces = have.bytes().all(|b| b == b' ') && wanted.bytes().all(|b| b == b'\t');
                let (n, m) = (wanted.len(), have.len());
                match (tabs, spaces) {
                    (true, _) if n.is_multiple_of(m) => Some((" ".repeat(n / m), "\t".to_owned())),
                    (_, true) if m.is_multiple_of(n) => Some(("\t".to_owned(), " ".repeat(m / n))),
                    _ => None,
                }
            });
        Some(Self::Map { known, unit })
    }

    /// The new text with the indentation of the file; `None` when the rule does not determine it.
    fn apply(&self, new: &str) -> Option<String> {
        if *self == Self::Same {
            return Some(new.to_owned());
        }
        let mut lines = Vec::new();
        for line in new.split('\n') {
            if line.trim().is_empty() {
                lines.push(line.to_owned());
                continue;
            }
            let indent = indentation(line);
            let rest = &line[indent.len()..];
            let indent = match self {
                Self::Same => indent.to_owned(),
                Self::Add(more) => format!("{more}{indent}"),
                Self::Remove(less) => indent.strip_prefix(less.as_str())?.to_owned(),
                Self::Map { known, unit } => match (known.get(indent), unit) {
                    (Some(have), _) => have.clone(),
                    (None, Some((from, to))) if indent.len().is_multiple_of(from.len()) => {
                        let steps = indent.len() / from.len();
                        (indent == from.repeat(steps)).then(|| to.repeat(steps))?
                    }
                    (None, _) if indent.is_empty() => String::new(),
                    _ => return None,
                },
            };
            lines.push(indent + rest);
        }
        Some(lines.join("\n"))
    }
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

#[cfg(test)]
mod tests;
