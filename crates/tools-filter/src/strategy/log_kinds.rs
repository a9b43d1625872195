//! Shortens log lines and counted progress steps in the output of any command: the first two lines
//! of each kind stay, later ones are counted in place. Lines that report something and the last
//! line stay.

use std::collections::HashMap;

use memchr::{memchr2, memchr3};
use tools_core::FilterConfidence;

use super::{Reducer, dedup::template, findings::names_numbered_file, unfinished::names_running};
use crate::{
    emit::{Emitter, marked},
    signal::{has_measurement, names_place, reports},
    table::{LOG_LINE, STEP},
};

/// Number of lines shown of each kind.
const SHOWN_OF_KIND: u32 = 2;
/// Maximum number of remembered kinds; lines of other kinds are shown.
const MAX_KINDS: usize = 4096;
/// Maximum length in bytes of a line to count.
const MAX_LINE_BYTES: usize = 8 << 10;

#[derive(Default)]
pub(crate) struct LogKinds {
    kinds: HashMap<u64, u32>,
    /// The last line of a known kind. It is shown before a report, or when no line of its kind
    /// follows.
    last: Option<String>,
    found: bool,
}

impl LogKinds {
    fn is_work(line: &str) -> bool {
        line.len() < MAX_LINE_BYTES
            && if LOG_LINE.is_match(line) {
                !names_numbered_file(line)
            } else {
                STEP.is_match(line) || verb(line).is_some()
            }
            && !reports(line)
            && !names_place(line)
            && !names_running(line)
            && !has_measurement(line)
            && marked(line).is_none()
    }

    /// Whether enough lines of this kind were shown.
    fn is_known(&mut self, line: &str) -> bool {
        // Work on one thing after the other is one kind.
        let work = if LOG_LINE.is_match(line) { None } else { verb(line).or_else(|| counted(line)) };
        let kind = work.map_or_else(|| kind(line), template);
        if self.kinds.len() >= MAX_KINDS && !self.kinds.contains_key(&kind) {
            return false;
        }
        let count = self.kinds.entry(kind).or_default();
        *count = count.saturating_add(1);
        *count > SHOWN_OF_KIND
    }
}

/// A hash of what lines of a kind have in common: all but numbers, quoted words and, in lines with
/// a level, paths.
fn kind(line: &str) -> u64 {
    let has_path = memchr2(b'/', b'\\', line.as_bytes()).is_some();
    if !has_path && memchr3(b'\'', b'"', b'`', line.as_bytes()).is_none() {
        return template(line);
    }
    let has_level = has_path && line.split([' ', '[', ']', ':']).take(LEVEL_WORDS).any(|word| LEVELS.contains(&word));
    let is_name = |word: &str| {
        if word.contains(['/', '\\']) { has_level } else { word.contains(['\'', '"', '`']) }
    };
    let words = line.split(' ').map(|word| if is_name(word) { 0 } else { template(word) });
    words.fold(0, |kind: u64, word| kind.rotate_left(5).wrapping_mul(31) ^ word)
}

/// Maximum number of words in which the level is searched.
const LEVEL_WORDS: usize = 12;
/// Levels that report nothing.
const LEVELS: &[&str] = &["INFO", "DEBUG", "TRACE", "info", "debug", "trace"];

/// The word after the progress share: `[1/4] Pulling x` → `Pulling`.
fn counted(line: &str) -> Option<&str> {
    let (share, rest) = line.trim_start().strip_prefix(['[', '('])?.split_once([']', ')'])?;
    let is_share =
        share.contains('/') && share.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'/' | b' '));
    rest.trim_start_matches([':', ' ']).split(' ').next().filter(|word| is_share && !word.is_empty())
}

/// The verb that a line begins with, if it describes routine work: `copying a.py -> build/lib`.
fn verb(line: &str) -> Option<&str> {
    let text = line.trim_start_matches([' ', '\t', '*', '-', '>', '=', '+', '[']);
    let word = text.split(' ').next()?;
    let stem = word.to_ascii_lowercase();
    GOING_ON.contains(&stem.as_str()).then_some(word)
}

/// Verbs for work in which all steps are alike.
const GOING_ON: &[&str] = &[
    "adding",
    "bundling",
    "byte-compiling",
    "caching",
    "collecting",
    "compressing",
    "copying",
    "creating",
    "downloading",
    "extracting",
    "fetching",
    "generating",
    "hashing",
    "hardlinking",
    "indexing",
    "inflating",
    "linking",
    "loading",
    "looking",
    "optimizing",
    "parsing",
    "pruning",
    "pulling",
    "reading",
    "rendering",
    "resolving",
    "running",
    "scanning",
    "sending",
    "stripping",
    "symlinking",
    "transforming",
    "trying",
    "unpacking",
    "uploading",
    "writing",
];

impl Reducer for LogKinds {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if Self::is_work(line) && self.is_known(line) {
            if let Some(last) = self.last.replace(line.to_owned()) {
                self.found = true;
                out.omit(&last);
            }
            return;
        }
        if let Some(last) = self.last.take() {
            // The step before a failure belongs to it.
            if reports(line) {
                out.keep(&last);
            } else {
                self.found = true;
                out.omit(&last);
            }
        }
        out.keep(line);
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        if let Some(last) = self.last.take() {
            out.keep(&last);
        }
        self.found.then_some(FilterConfidence::Full)
    }
}
