//! Finds the likely target of a failed edit: the part of the file nearest to the old text, the
//! lines that differ, and whether the new text is already there.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use similar::{Algorithm, DiffTag, TextDiff};

use super::cut::{cut, part, rewritten};
use super::lines::{Lines, line_number};
use super::request::Request;

/// The part of a file most like the text that was not found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NearestText {
    /// The numbers of its first and last line.
    pub(crate) lines: (usize, usize),
    /// The two texts side by side.
    pub(crate) rows: Vec<Row>,
    /// The single clear difference, as a phrase that follows "nearest text"; empty if there is
    /// none.
    pub(crate) why: &'static str,
}

/// One line of the comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Row {
    /// A line in both texts.
    Same(usize, String),
    /// A sent line that is not in the file.
    Sent(String),
    /// A line of the file that was not sent.
    File(usize, String),
    /// Number of common lines that are omitted.
    Skipped(usize),
}

/// Number of lines shown on either side of a difference.
const AROUND: usize = 2;
/// Maximum number of rows of a comparison.
const ROWS: usize = 40;
/// Maximum number of lines that are all compared to find the nearest part.
const SHORT: usize = 12;
/// Maximum number of characters of a row.
const WIDTH: usize = 200;

/// The nearest part of the file, as the range of its lines.
pub(super) fn place(file: &Lines<'_>, request: Request<'_>) -> Option<Range<usize>> {
    let old: Vec<&str> = request.old.lines().collect();
    let count = old.len();
    let start = match voted(file, &old) {
        Some(start) if count > SHORT => start,
        voted => {
            let mut anchors: Vec<usize> = (0..count).filter(|at| !old[*at].trim().is_empty()).collect();
            anchors.sort_by_key(|at| std::cmp::Reverse(old[*at].trim().len()));
            let candidates = anchors.into_iter().take(3).flat_map(|at| {
                let lines = alike(file, old[at].trim(), |_| true);
                lines.into_iter().take(4).map(move |(_, line)| line.saturating_sub(at))
            });
            let candidates = candidates.chain(voted).map(|start| (likeness(file, &old, start), start));
            candidates.max_by(|(a, i), (b, j)| a.total_cmp(b).then(j.cmp(i)))?.1
        }
    };
    let start = start.min(file.lines.len().saturating_sub(1));
    let slack = if count == 1 { 0 } else { 3 + count / 4 };
    let window = start.saturating_sub(slack)..(start + count + slack).min(file.lines.len());
    Some(aligned(file, &old, window))
}

/// Compares the old text with the lines of the file in `place`.
pub(super) fn compare(file: &Lines<'_>, request: Request<'_>, place: Range<usize>) -> NearestText {
    let old: Vec<&str> = request.old.lines().collect();
    let there: Vec<&str> = place.clone().map(|line| file.line(line)).collect();
    let mut rows = Vec::new();
    for op in TextDiff::configure().algorithm(Algorithm::Patience).diff_slices(&old, &there).ops() {
        let (sent, have) = (op.old_range(), op.new_range());
        let number = |line: usize| place.start + line + 1;
        if op.tag() == DiffTag::Equal {
            rows.extend(have.map(|line| Row::Same(number(line), cut(there[line], 0, WIDTH))));
            continue;
        }
        let pairs = if sent.len() == have.len() { sent.len() } else { 0 };
        for n in 0..pairs {
            let (sent, file) = shown(old[sent.start + n], there[have.start + n]);
            rows.extend([Row::Sent(sent), Row::File(number(have.start + n), file)]);
        }
        rows.extend(sent.skip(pairs).map(|line| Row::Sent(cut(old[line], 0, WIDTH))));
        rows.extend(have.skip(pairs).map(|line| Row::File(number(line), cut(there[line], 0, WIDTH))));
    }
    NearestText { lines: (place.start + 1, place.end), rows: shortened(rows), why: difference(&old, &there) }
}

/// For one line that is part of a long one: the part of the text that shares the most pieces with
/// it.
pub(super) fn fragment(text: &str, old: &str) -> Option<NearestText> {
    const PIECE: usize = 6;
    const OCCURRENCES: usize = 50;
    let old = old.trim_end_matches('\n');
    if old.contains('\n') || old.len() < 2 * PIECE {
        return None;
    }
    let starts: Vec<usize> = (0..old.len() - PIECE).step_by(3).filter(|at| old.is_char_boundary(*at)).collect();
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for &at in &starts {
        let piece = &old.as_bytes()[at..at + PIECE];
        for found in memchr::memmem::find_iter(text.as_bytes(), piece).take(OCCURRENCES) {
            // Tolerates a few additional or missing characters, which shift the following text.
            *votes.entry(found.saturating_sub(at) / 8).or_default() += 1;
        }
    }
    let (&bucket, _) = votes.iter().max_by_key(|(at, votes)| (**votes, std::cmp::Reverse(**at)))?;
    let near = |bucket: usize| votes.get(&bucket).copied().unwrap_or(0);
    let shared = near(bucket) + near(bucket + 1) + bucket.checked_sub(1).map_or(0, near);
    if shared * 5 < starts.len() * 2 {
        return None;
    }
    let line = line_number(text, text.floor_char_boundary(bucket * 8));
    let start = text.floor_char_boundary((bucket * 8).saturating_sub(8));
    let line_start = memchr::memrchr(b'\n', &text.as_bytes()[..start]).map_or(0, |at| at + 1);
    let line_end = memchr::memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |at| start + at);
    let end = text.ceil_char_boundary((start + old.len() + 24).min(line_end));
    let start = start.max(line_start);
    let line_text = &text[line_start..line_end];
    let there = part(line_text, start - line_start..end.max(start) - line_start);
    let (sent, file) = if there.len() > 2 * WIDTH { shown(old, &there) } else { (old.to_owned(), there) };
    let rows = vec![Row::Sent(sent), Row::File(line, file)];
    Some(NearestText { lines: (line, line), rows, why: "" })
}

/// The line at which the new text already replaces the old. `None` where that would be a guess:
/// text that the file contains anyway does not prove that the edit was applied.
pub(super) fn applied(
    text: &str,
    file: &Lines<'_>,
    request: Request<'_>,
    place: Option<&Range<usize>>,
) -> Option<usize> {
    let new = request.new.trim_matches('\n');
    if new.trim().chars().count() < 3 {
        return None;
    }
    let is_in = |line: &&str, lines: &str| lines.lines().any(|other| other.trim() == line.trim());
    let brings_something = new.lines().any(|line| !line.trim().is_empty() && !is_in(&line, request.old));
    if !brings_something {
        return None;
    }
    let mut found = memchr::memmem::find_iter(text.as_bytes(), new.as_bytes()).take(64).map(|at| line_number(text, at));
    let count = new.lines().count();
    let Some(place) = place else {
        // No text is similar to the old one any more, and the new one occurs once and has more than
        // one line.
        let only = found.next().filter(|_| found.next().is_none());
        return only.filter(|_| new.lines().filter(|line| !line.trim().is_empty()).count() > 1);
    };
    let line = found.find(|line| line - 1 < place.end && place.start < line - 1 + count)?;
    let at = line - 1..line - 1 + count;
    // The removed lines must be gone, and no other text may be as similar to the old one.
    let goes = request.old.lines().filter(|line| !line.trim().is_empty() && !is_in(line, new));
    for gone in goes {
        let is_elsewhere =
            most_alike(file, gone.trim(), |line| !at.contains(&line)).is_some_and(|(score, _)| score > 0.75);
        if is_elsewhere {
            return None;
        }
    }
    Some(line)
}

/// A sentence about parts of the old text that come from copying and do not occur in the file.
pub(super) fn copied(text: &str, old: &str) -> Option<&'static str> {
    let lines = || old.lines().filter(|line| !line.trim().is_empty());
    let is_numbered = |line: &str| {
        let (number, _) = line.trim_start().split_once('\t').unwrap_or(("", ""));
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    if lines().next().is_some() && lines().all(is_numbered) {
        return Some("it holds the line numbers that `read` shows; leave them out");
    }
    let is_there = |changed: String| changed != old && !changed.trim().is_empty() && text.contains(&changed);
    let unescaped = old.replace("\\r\\n", "\n").replace("\\n", "\n").replace("\\t", "\t");
    if is_there(unescaped.clone()) || is_there(unescaped.replace("\\\"", "\"").replace("\\\\", "\\")) {
        return Some("it holds escapes such as `\\n` where the file has the characters themselves");
    }
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    if is_there(entities.iter().fold(old.to_owned(), |text, (entity, character)| text.replace(entity, character))) {
        return Some("it holds entities such as `&amp;` where the file has the characters themselves");
    }
    let signs = |line: &str| line.starts_with(['+', '-', ' ']);
    if old.lines().all(|line| line.is_empty() || signs(line)) {
        let unsigned: Vec<&str> = old.lines().map(|line| line.get(1..).unwrap_or("")).collect();
        if is_there(unsigned.join("\n")) {
            return Some("its lines begin with the signs of a diff; leave them out");
        }
    }
    let is_elision = |line: &str| {
        let rest = line.trim().trim_start_matches(['/', '#', '*', ' ', '-', '<', '!']);
        rest.starts_with("...") || rest.starts_with('…')
    };
    if old.lines().count() > 2 && old.lines().any(is_elision) && !text.lines().any(is_elision) {
        return Some("it holds `...` for lines that were left out; give the text as it is, or several edits");
    }
    None
}

/// The start that most lines of the old text agree on; rare lines of the file have more weight.
fn voted(file: &Lines<'_>, old: &[&str]) -> Option<usize> {
    const COMMON: usize = 8;
    if old.len() < 2 {
        return None;
    }
    let mut wanted: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in old.iter().enumerate() {
        let line = line.trim();
        if line.chars().filter(|c| c.is_alphanumeric()).count() > 2 {
            wanted.entry(line).or_default().push(at);
        }
    }
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for index in 0..file.lines.len() {
        let line = file.line(index).trim();
        if wanted.contains_key(line) {
            places.entry(line).or_default().push(index);
        }
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (line, found) in places {
        let from = &wanted[line];
        if found.len() > COMMON * COMMON || from.len() > COMMON {
            continue;
        }
        for (index, at) in found.iter().flat_map(|index| from.iter().map(move |at| (*index, *at))) {
            if let Some(start) = index.checked_sub(at) {
                *votes.entry(start).or_default() += 1000 / found.len();
            }
        }
    }
    // Tolerates a few additional or missing lines, which shift the following lines.
    let near = |start: usize| (start.saturating_sub(2)..=start + 2).filter_map(|at| votes.get(&at)).sum::<usize>();
    let starts: Vec<usize> = votes.keys().copied().collect();
    starts.into_iter().max_by_key(|start| (near(*start), votes[start], std::cmp::Reverse(*start)))
}

/// The part of `window` that corresponds to the old text, without lines before and after it that
/// the old text does not contain.
fn aligned(file: &Lines<'_>, old: &[&str], window: Range<usize>) -> Range<usize> {
    let there: Vec<&str> = window.clone().map(|line| file.line(line).trim()).collect();
    let trimmed: Vec<&str> = old.iter().map(|line| line.trim()).collect();
    let diff = TextDiff::configure().algorithm(Algorithm::Patience).diff_slices(&trimmed, &there);
    let matched = diff.ops().iter().filter(|op| op.tag() == DiffTag::Equal);
    let (mut first, mut last) = (None, None);
    for op in matched {
        first.get_or_insert((op.old_range().start, op.new_range().start));
        last = Some((op.old_range().end, op.new_range().end));
    }
    let (Some(first), Some(last)) = (first, last) else {
        let start = window.start + (window.len().saturating_sub(old.len())) / 2;
        return start..(start + old.len()).min(window.end);
    };
    let start = window.start + first.1.saturating_sub(first.0);
    let end = (window.start + last.1 + (old.len() - last.0)).min(window.end);
    start..end.max(start)
}

/// Similarity between the old text and the lines from `start` on: 0 for none. Each line is weighted
/// by its length.
fn likeness(file: &Lines<'_>, old: &[&str], start: usize) -> f64 {
    let pairs = old.iter().zip(start..file.lines.len()).filter(|(line, _)| !line.trim().is_empty());
    let short = |text: &str| -> String { text.trim().chars().take(WIDTH).collect() };
    let one = |(line, at): (&&str, usize)| {
        let (sent, there) = (short(line), short(file.line(at)));
        let same = if sent == there { 1.0 } else { strsim::normalized_levenshtein(&sent, &there) };
        f64::from(u32::try_from(sent.len()).unwrap_or(u32::MAX)) * same
    };
    pairs.map(one).sum()
}

/// The line most similar to `anchor` among those wanted, with its similarity.
fn most_alike(file: &Lines<'_>, anchor: &str, wanted: impl Fn(usize) -> bool) -> Option<(f64, usize)> {
    alike(file, anchor, wanted).into_iter().next()
}

/// The lines similar to `anchor` among those wanted, most similar first. Candidates are selected by
/// shared three-byte pieces, in linear time, and ranked by edit distance.
fn alike(file: &Lines<'_>, anchor: &str, wanted: impl Fn(usize) -> bool) -> Vec<(f64, usize)> {
    const CANDIDATES: usize = 16;
    let fold = |line: &str| plain(line.trim());
    let anchor = fold(anchor);
    let pieces: HashSet<&[u8]> = anchor.as_bytes().windows(3).collect();
    let mut candidates: Vec<(usize, usize)> = Vec::new();
    for index in (0..file.lines.len()).filter(|index| wanted(*index)) {
        let line = file.line(index).trim();
        if line.is_empty() || line.len() > 4 * anchor.len() + 40 {
            continue;
        }
        let line = fold(line);
        // In thousandths of the longer line; a short text has no pieces, so it is compared
        // directly.
        let shared = line.as_bytes().windows(3).filter(|piece| pieces.contains(piece)).count();
        let score = if pieces.is_empty() { 500 } else { 1000 * shared / line.len().max(anchor.len()) };
        if score >= 200 && (candidates.len() < CANDIDATES || candidates.last().is_some_and(|(least, _)| score > *least))
        {
            let at = candidates.partition_point(|(other, _)| *other >= score);
            candidates.insert(at, (score, index));
            candidates.truncate(CANDIDATES);
        }
    }
    let short = |text: &str| -> String { text.chars().take(WIDTH).collect() };
    let likeness = |index: usize| strsim::normalized_levenshtein(&short(&anchor), &short(&fold(file.line(index))));
    let scored = candidates.into_iter().map(|(_, index)| (likeness(index), index)).filter(|(score, _)| *score > 0.4);
    let mut scored: Vec<(f64, usize)> = scored.collect();
    scored.sort_by(|(a, i), (b, j)| b.total_cmp(a).then(i.cmp(j)));
    scored
}

/// A line without differences of case and typographic punctuation.
fn plain(line: &str) -> String {
    line.chars().map(plain_punctuation).flat_map(char::to_lowercase).collect()
}

/// Only the differences, with the lines around them.
fn shortened(rows: Vec<Row>) -> Vec<Row> {
    let differs: Vec<usize> =
        rows.iter().enumerate().filter(|(_, row)| !matches!(row, Row::Same(..))).map(|(at, _)| at).collect();
    let is_near = |at: usize| {
        let next = differs.partition_point(|other| *other < at);
        let distance =
            |index: Option<usize>| index.and_then(|index| differs.get(index)).map(|other| other.abs_diff(at));
        [distance(Some(next)), distance(next.checked_sub(1))].into_iter().flatten().any(|distance| distance <= AROUND)
    };
    let mut short = Vec::new();
    let mut skipped = 0;
    for (at, row) in rows.into_iter().enumerate() {
        if short.len() >= ROWS || !is_near(at) {
            skipped += 1;
            continue;
        }
        if skipped > 0 {
            short.push(Row::Skipped(std::mem::take(&mut skipped)));
        }
        short.push(row);
    }
    if skipped > 0 {
        short.push(Row::Skipped(skipped));
    }
    short
}

/// Two different lines in a form that shows the difference: long lines are cut around the first
/// difference, blanks are marked if nothing else differs, and similar characters are shown by
/// number.
fn shown(sent: &str, file: &str) -> (String, String) {
    let same = sent.chars().zip(file.chars()).take_while(|(a, b)| a == b).count();
    let from = if sent.chars().count().max(file.chars().count()) > WIDTH { same.saturating_sub(WIDTH / 3) } else { 0 };
    let words = |line: &str| line.split_whitespace().collect::<String>();
    let write: fn(char) -> String = if words(sent) == words(file) {
        visible_blank
    } else if plain_letters(sent) == plain_letters(file) {
        numbered
    } else {
        |c| c.to_string()
    };
    let line = |line: &str| rewritten(&cut(line, from, WIDTH), write);
    (line(sent), line(file))
}

fn visible_blank(c: char) -> String {
    match c {
        ' ' => "·".to_owned(),
        '\t' => "→".to_owned(),
        '\r' => "␍".to_owned(),
        c if c.is_whitespace() => c.escape_unicode().to_string(),
        c => c.to_string(),
    }
}

fn numbered(c: char) -> String {
    if c.is_ascii() { c.to_string() } else { c.escape_unicode().to_string() }
}

/// The kind of the difference, if there is one clear kind.
fn difference(old: &[&str], near: &[&str]) -> &'static str {
    let equal = |fold: fn(&str) -> String| fold(&old.join("\n")) == fold(&near.join("\n"));
    if equal(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")) {
        " (differs only in blanks: `·` is a space, `→` a tab)"
    } else if equal(|text| text.to_lowercase().split_whitespace().collect()) {
        " (differs only in case)"
    } else if equal(|text| text.chars().filter(|c| !c.is_whitespace()).map(plain_punctuation).collect()) {
        " (differs only in quotes or dashes)"
    } else if equal(plain_letters) {
        " (differs only in characters beyond ASCII, which are shown by their numbers)"
    } else {
        ""
    }
}

/// A text without non-ASCII letters, because some look alike, and without letters that are followed
/// by a combining accent.
fn plain_letters(text: &str) -> String {
    let next = text.chars().skip(1).map(Some).chain([None]);
    let is_accent = |c: Option<char>| c.is_some_and(|c| ('\u{300}'..='\u{36f}').contains(&c));
    text.chars().zip(next).filter(|(c, next)| c.is_ascii() && !is_accent(*next)).map(|(c, _)| c).collect()
}

fn plain_punctuation(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '`' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        other => other,
    }
}
