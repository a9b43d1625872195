//! `dedup`: merges consecutive lines that differ only in time and identifiers. In a long log, it
//! also counts lines of a kind that was already shown and notes where they were. Lines that report
//! something are shown up to a few times for each kind, then counted.

use std::{
    collections::{HashMap, VecDeque, hash_map::Entry},
    hash::{BuildHasherDefault, Hasher},
    sync::LazyLock,
};

use memchr::memmem::Finder;
use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy, StrategyError, patterns::Patterns};
use crate::{
    emit::Emitter,
    lines::regex,
    signal::{may_report, reports},
};

/// Parameters of `dedup`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Dedup {
    /// In an output of more lines than this, lines of a kind that was already shown are counted
    /// instead of shown; 0 for never.
    pub fold_above: usize,
    /// Lines that one of these regular expressions matches are never merged.
    pub keep: Vec<String>,
}

#[derive(Clone)]
pub(crate) struct Compiled {
    fold_above: usize,
    keep: Patterns,
}

impl Dedup {
    pub(crate) fn compile(&self) -> Result<Compiled, StrategyError> {
        Ok(Compiled { fold_above: self.fold_above, keep: Patterns::compile(&self.keep)? })
    }
}

impl Strategy for Compiled {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        Box::new(Machine {
            settings: self.clone(),
            waiting: (self.fold_above > 0).then(Vec::new),
            waiting_bytes: 0,
            runs: Runs::default(),
            folds: None,
        })
    }
}

/// Maximum bytes held to find out whether an output is long.
const MAX_WAITING: usize = 1 << 20;

struct Machine {
    settings: Compiled,
    /// All lines so far, while the output may still be short.
    waiting: Option<Vec<String>>,
    waiting_bytes: usize,
    runs: Runs,
    folds: Option<Folds>,
}

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if let Some(folds) = &mut self.folds {
            return folds.line(line, out);
        }
        let Some(waiting) = &mut self.waiting else {
            if self.settings.keep.is_match(line) {
                self.runs.end(out);
                return out.keep(line);
            }
            return self.runs.line(line, out);
        };
        waiting.push(line.to_owned());
        self.waiting_bytes += line.len();
        if waiting.len() > self.settings.fold_above || self.waiting_bytes > MAX_WAITING {
            let mut folds = Folds { keep: self.settings.keep.clone(), ..Folds::default() };
            for line in self.waiting.take().unwrap_or_default() {
                folds.line(&line, out);
            }
            self.folds = Some(folds);
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        if let Some(folds) = &mut self.folds {
            folds.finish(out);
            return Some(FilterConfidence::Partial);
        }
        for line in self.waiting.take().unwrap_or_default() {
            if self.settings.keep.is_match(&line) {
                self.runs.end(out);
                out.keep(&line);
            } else {
                self.runs.line(&line, out);
            }
        }
        self.runs.end(out);
        self.runs.merged.then_some(FilterConfidence::Full)
    }
}

/// Consecutive lines that are the same except for time and identifiers.
#[derive(Default)]
struct Runs {
    last: Option<(String, String)>,
    repeats: u64,
    merged: bool,
}

impl Runs {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let normal = without_time(line);
        if let Some((last, _)) = &self.last
            && *last == normal
            && !line.trim().is_empty()
        {
            self.repeats += 1;
            self.merged = true;
            return out.fold(line);
        }
        self.end(out);
        self.last = Some((normal, line.to_owned()));
    }

    fn end(&mut self, out: &mut Emitter<'_>) {
        let Some((_, line)) = self.last.take() else { return };
        match std::mem::take(&mut self.repeats) {
            0 => out.keep(&line),
            repeats => out.write(&format!("{line} [×{}]", repeats + 1)),
        }
    }
}

static TIME: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i-u)\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|\b\d\d?/[a-z]{3}/\d{4}[: ]\d\d:\d\d:\d\d(?: [+-]\d{4})?|",
        r"\b[a-z]{3} [ \d]\d \d\d:\d\d:\d\d\b|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b|\b\d{10}(?:\d{3})?\b|",
        r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    ))
});

fn without_time(line: &str) -> String {
    if line.bytes().any(|byte| byte.is_ascii_digit()) {
        TIME.replace_all(line, "#").into_owned()
    } else {
        line.to_owned()
    }
}

/// The key is a good hash already, so it is not hashed again.
#[derive(Default)]
struct PassthroughHasher(u64);

impl Hasher for PassthroughHasher {
    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Maximum number of remembered kinds. A forgotten kind counts as new and is shown again.
const MAX_KINDS: usize = 4096;
/// How often a kind that reports something is shown before it is counted.
const SHOWN: u64 = 3;
/// Number of lines at the end that are always shown.
const TAIL: usize = 5;
/// Maximum number of stack trace lines shown after a report.
const TRACE: usize = 8;

#[derive(Default)]
struct Folds {
    keep: Patterns,
    kinds: HashMap<u64, Kind, BuildHasherDefault<PassthroughHasher>>,
    templates: Templates,
    order: VecDeque<u64>,
    hole: u64,
    tail: VecDeque<String>,
    /// How many more lines may belong to the last report.
    trace: usize,
    folded: u64,
    explained: bool,
}

struct Kind {
    example: String,
    count: u64,
    /// Whether its words may report something; the numbers are then checked for each line.
    may_report: bool,
    reports: bool,
}

impl Folds {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if line.trim().is_empty() {
            return out.fold(line);
        }
        if self.trace > 0 && is_trace(line) {
            self.trace -= 1;
            self.close(out);
            return out.keep(line);
        }
        self.trace = 0;
        let hash = self.templates.of(line);
        let known = self.kinds.get_mut(&hash);
        let is_new = known.is_none();
        if is_new {
            self.remember(hash, line);
        }
        let Some(kind) = self.kinds.get_mut(&hash) else { return out.keep(line) };
        kind.count += 1;
        let is_report = kind.may_report && reports(line);
        kind.reports |= is_report;
        if is_new || (is_report && kind.count <= SHOWN) || self.keep.is_match(line) {
            self.trace = if is_report { TRACE } else { 0 };
            self.close(out);
            return out.keep(line);
        }
        let mut last = String::new();
        if self.tail.len() == TAIL
            && let Some(oldest) = self.tail.pop_front()
        {
            out.fold(&oldest);
            self.hole += 1;
            last = oldest;
            last.clear();
        }
        last.push_str(line);
        self.tail.push_back(last);
    }

    fn remember(&mut self, hash: u64, line: &str) {
        if self.order.len() == MAX_KINDS {
            // A kind that reports something is not forgotten, since its count would be lost.
            let forget = self.order.iter().position(|hash| self.kinds.get(hash).is_none_or(|kind| !kind.reports));
            if let Some(oldest) = self.order.remove(forget.unwrap_or(0)) {
                self.kinds.remove(&oldest);
            }
        }
        let example: String = line.chars().take(160).collect();
        self.kinds.insert(hash, Kind { example, count: 0, may_report: may_report(line), reports: false });
        self.order.push_back(hash);
    }

    /// Writes how many lines were left out up to here.
    fn close(&mut self, out: &mut Emitter<'_>) {
        let lines = std::mem::take(&mut self.hole) + self.tail.len() as u64;
        if lines == 0 {
            return;
        }
        self.folded += lines;
        if lines == 1 {
            self.tail.drain(..).for_each(|line| out.keep(&line));
            return;
        }
        self.tail.drain(..).for_each(|line| out.fold(&line));
        self.note(lines, out);
    }

    /// Writes how many lines of known kinds were here; the first note is the long form.
    fn note(&mut self, lines: u64, out: &mut Emitter<'_>) {
        let what = if std::mem::replace(&mut self.explained, true) { "" } else { " of kinds shown before" };
        out.write(&format!("[… {lines} lines{what}]"));
    }

    fn finish(&mut self, out: &mut Emitter<'_>) {
        if self.hole > 0 {
            self.folded += self.hole;
            let lines = std::mem::take(&mut self.hole);
            self.note(lines, out);
        }
        self.tail.drain(..).for_each(|line| out.keep(&line));
        let mut kinds: Vec<&Kind> = self.kinds.values().filter(|kind| kind.count > SHOWN).collect();
        kinds.sort_by_key(|kind| (std::cmp::Reverse(kind.reports), std::cmp::Reverse(kind.count)));
        let reporting = kinds.iter().filter(|kind| kind.reports).count();
        for kind in kinds.iter().take(reporting.max(3)) {
            out.write(&format!("[×{} in all] {}", kind.count, kind.example));
        }
    }
}

fn is_trace(line: &str) -> bool {
    line.starts_with([' ', '\t'])
        || line.starts_with("Caused by")
        || line.contains("Exception:")
        || line.contains("Error:")
}

/// Class of bytes that may be part of a word.
const WORD: u8 = 1;
const DIGIT: u8 = 2;
const HEX: u8 = 4;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() {
            classes[byte as usize] =
                WORD | if byte.is_ascii_digit() { DIGIT } else { 0 } | if byte.is_ascii_hexdigit() { HEX } else { 0 };
        }
        byte += 1;
    }
    classes
};

/// A hash that reads up to eight bytes at a time.
struct ChunkHasher(u64);

impl ChunkHasher {
    fn mix(&mut self, piece: u64) {
        self.0 = (self.0.rotate_left(23) ^ piece).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn word(&mut self, word: &[u8]) {
        let (pieces, rest) = word.as_chunks();
        for piece in pieces {
            self.mix(u64::from_le_bytes(*piece));
        }
        if !rest.is_empty() {
            self.mix(rest.iter().fold(1, |packed, byte| packed << 8 | u64::from(*byte)));
        }
    }

    /// A word without its digits.
    fn word_of_letters(&mut self, word: &[u8]) {
        for run in word.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()) {
            if run[0].is_ascii_digit() { self.mix(NUMBER) } else { self.word(run) }
        }
    }
}

/// Hash value used for any number.
const NUMBER: u64 = 0;

/// The hash of a line without its numbers and identifiers, in one pass.
///
/// A word with a digit is a number or an identifier; HTTP status codes are neither.
pub(crate) fn template(line: &str) -> u64 {
    let bytes = line.as_bytes();
    let mut hash = ChunkHasher(0xCBF2_9CE4_8422_2325);
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let (mut any, mut all) = (0, u8::MAX);
        while let Some(class) = bytes.get(at).map(|byte| CLASSES[usize::from(*byte)]).filter(|class| class & WORD != 0)
        {
            any |= class;
            all &= class;
            at += 1;
        }
        let word = &bytes[start..at];
        let has_digits = any & DIGIT != 0;
        let is_hex = all & HEX != 0;
        if word.is_empty() {
            hash.mix(u64::from(bytes[at]));
            at += 1;
        } else if !(has_digits || (is_hex && word.len() >= 8)) || is_status(bytes, start, at) {
            hash.word(word);
        } else if is_hex || word.len() >= 8 {
            hash.mix(NUMBER);
        } else {
            hash.word_of_letters(word);
        }
    }
    hash.0
}

/// Minimum length of a line for the cache; shorter lines are faster to process than to look up.
const MIN_SKELETON: usize = 32;
/// Maximum number of cached skeletons.
const MAX_SKELETONS: usize = 4096;

/// The text before the status of a request.
static BEFORE_STATUS: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("\" "));

/// Caches the templates of lines by skeleton, which is the line without its digits. Computing a
/// template is slow, and most lines differ only in digits.
#[derive(Default)]
struct Templates {
    known: HashMap<u64, u64, BuildHasherDefault<PassthroughHasher>>,
    skeleton: Vec<u8>,
    /// Number of lines whose skeleton was cached.
    hits: usize,
}

impl Templates {
    /// The [`template`] of a line, from the cache if possible.
    fn of(&mut self, line: &str) -> u64 {
        if line.len() < MIN_SKELETON {
            return template(line);
        }
        if self.known.len() == MAX_SKELETONS {
            if self.hits < MAX_SKELETONS {
                // Most skeletons are unique here, so looking them up only costs time.
                return template(line);
            }
            self.known.clear();
            self.hits = 0;
        }
        let bytes = line.as_bytes();
        self.skeleton.clear();
        self.skeleton.extend(bytes.iter().map(|byte| if byte.is_ascii_digit() { b'0' } else { *byte }));
        // The digits of a status are part of the skeleton.
        for at in BEFORE_STATUS.find_iter(bytes) {
            let status = at + 2..(at + 5).min(bytes.len());
            self.skeleton[status.clone()].copy_from_slice(&bytes[status]);
        }
        let mut hash = ChunkHasher(0);
        hash.word(&self.skeleton);
        match self.known.entry(hash.0 ^ hash.0 >> 32) {
            Entry::Occupied(known) => {
                self.hits += 1;
                *known.get()
            }
            Entry::Vacant(new) => *new.insert(template(line)),
        }
    }
}

/// Whether these bytes are a status, such as `404` in `"GET / HTTP/1.1" 404`.
fn is_status(bytes: &[u8], start: usize, end: usize) -> bool {
    end - start == 3
        && start >= 2
        && bytes[start - 1] == b' '
        && bytes[start - 2] == b'"'
        && matches!(bytes[start], b'4' | b'5')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_whose_skeleton_is_known_has_the_template_of_its_own() {
        let forms = [
            "2026-11-20T04:00:00.123Z INFO [worker-7] took 12 ms id=0a1b2c3d and deadbeef",
            "10.0.0.7 - - [20/Nov/2026] \"GET /index.html HTTP/1.1\" 404 157",
            "10.0.0.7 - - [20/Nov/2026] \"GET /index.html HTTP/1.1\" 4",
        ];
        let mut templates = Templates::default();
        for round in 0..500_usize {
            let digit = |(at, c): (usize, char)| match c {
                '0'..='9' => char::from(b"0123456789"[round * (at + 7) % 10]),
                c => c,
            };
            let line: String = forms[round % forms.len()].chars().enumerate().map(digit).collect();
            assert_eq!(templates.of(&line), template(&line), "{line}");
        }
        assert!(templates.hits > 300, "{}", templates.hits);
    }

    #[test]
    fn kinds_differ_in_words_not_in_numbers() {
        let same = [
            ("worker-1 took 12 ms id=0a1b2c3d", "worker-7 took 3 ms id=deadbeef"),
            ("\"GET /a HTTP/1.1\" 200 -", "\"GET /a HTTP/1.1\" 304 -"),
        ];
        for (a, b) in same {
            assert_eq!(template(a), template(b), "{a} / {b}");
        }
        let different = [
            ("\"GET /a HTTP/1.1\" 200 -", "\"GET /a HTTP/1.1\" 404 -"),
            ("GET /a", "GET /b"),
            ("disk sda ok", "disk sdb ok"),
        ];
        for (a, b) in different {
            assert_ne!(template(a), template(b), "{a} / {b}");
        }
    }
}
