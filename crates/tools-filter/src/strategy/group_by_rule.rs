//! `group_by_rule`: groups a linter's warnings into one block for each rule, with every message and
//! every place. Warnings that were turned into errors (`-D warnings`) are grouped too. Other errors
//! stay in place and complete, except that a suggestion does not repeat the old code.

use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
    sync::LazyLock,
};

use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{
    Facts, Reducer, Strategy, StrategyError,
    patterns::{Patterns, pattern},
    places::joined,
    rustc_error::{self, Source},
};
use crate::{
    emit::{Emitter, mark},
    lines::regex,
    table::{BLOCK, FILLER, HEADER},
};

/// Parameters of `group_by_rule`. Without patterns it reads what rustc, clippy and ruff write.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GroupByRule {
    /// A regular expression whose first group captures the rule, for linters that write one line
    /// for each finding.
    pub rule_pattern: Option<String>,
    /// A regular expression whose first group captures the place; without it the whole line is
    /// listed.
    pub location_pattern: Option<String>,
    /// Lines that one of these regular expressions matches are dropped.
    pub noise: Vec<String>,
}

#[derive(Clone)]
pub(crate) struct Compiled {
    lines: Option<(Regex, Option<Regex>)>,
    noise: Patterns,
}

impl GroupByRule {
    pub(crate) fn compile(&self) -> Result<Compiled, StrategyError> {
        let location = capturing("location_pattern", self.location_pattern.as_ref())?;
        let rule = capturing("rule_pattern", self.rule_pattern.as_ref())?;
        if location.is_some() && rule.is_none() {
            return Err(StrategyError::Empty("rule_pattern"));
        }
        Ok(Compiled { lines: rule.map(|rule| (rule, location)), noise: Patterns::compile(&self.noise)? })
    }
}

fn capturing(name: &'static str, text: Option<&String>) -> Result<Option<Regex>, StrategyError> {
    let Some(text) = text else { return Ok(None) };
    let regex = pattern(text)?;
    if regex.captures_len() < 2 {
        return Err(StrategyError::NoCapture(name));
    }
    Ok(Some(regex))
}

impl Compiled {
    /// Rule, message and place of a one-line finding.
    fn finding<'a>(&self, line: &'a str) -> Option<(&'a str, &'a str, Option<&'a str>)> {
        let (rule, location) = self.lines.as_ref()?;
        let name = rule.captures(line)?.get(1)?.as_str();
        let place = location.as_ref().and_then(|location| location.captures(line));
        let Some(place) = place.as_ref().and_then(|captures| Some((captures.get(0)?, captures.get(1)?))) else {
            return Some((name, line.trim(), None));
        };
        let message = if place.0.start() == 0 { &line[place.0.end()..] } else { line };
        Some((name, message.trim(), Some(place.1.as_str())))
    }
}

impl Strategy for Compiled {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        Box::new(Machine {
            settings: self.clone(),
            block: Vec::new(),
            single: None,
            groups: Groups::default(),
            errors: 0,
            seen: HashSet::new(),
            again: 0,
            after_block: false,
            found: false,
        })
    }
}

/// Maximum number of findings held; then the groups are written and start again.
const MAX_FINDINGS: usize = 2000;
/// Maximum length in bytes of a message; the rest stays on its own lines.
const MAX_MESSAGE: usize = 2000;
/// Maximum number of lines of a finding.
const MAX_BLOCK: usize = 200;
/// Maximum length in bytes of a line of a finding; it bounds memory.
const MAX_BLOCK_LINE: usize = 8 << 10;
/// Number of errors shown with their source.
const WITH_SOURCE: usize = 1;

/// A one-line finding.
struct Single {
    rule: String,
    message: String,
    place: Option<String>,
    /// The original line, unless the finding continues on other lines.
    line: Option<String>,
}

struct Machine {
    settings: Compiled,
    /// The lines of the finding that is being read.
    block: Vec<String>,
    /// The finding in the previous line, which this line may continue.
    single: Option<Single>,
    groups: Groups,
    errors: usize,
    /// Hashes of complete errors, to detect those that another target with the same code repeats.
    seen: HashSet<u64>,
    again: usize,
    /// Whether a blank line would only separate a finding from what follows.
    after_block: bool,
    found: bool,
}

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if let Some((rule, message, place)) = self.settings.finding(line) {
            self.end_block(out);
            self.found = true;
            out.fold(line);
            self.single = Some(Single {
                rule: rule.to_owned(),
                message: message.to_owned(),
                place: place.map(str::to_owned),
                line: Some(line.to_owned()),
            });
        } else if self.is_source_of_single(line) {
            out.omit(line);
        } else if let Some(single) =
            self.single.as_mut().filter(|single| line.starts_with([' ', '\t']) && single.message.len() < MAX_MESSAGE)
        {
            // An indented line continues the finding before it.
            out.fold(line);
            single.line = None;
            single.message.push_str(" / ");
            single.message.push_str(line.trim());
        } else {
            self.end_single();
            self.compiler_line(line, out);
        }
        if self.groups.findings >= MAX_FINDINGS {
            self.groups.write(out);
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.end_block(out);
        if self.again > 0 {
            out.write(&format!("[errors reported again, word by word: {}]", self.again));
        }
        self.groups.write(out);
        self.found.then_some(FilterConfidence::Full)
    }
}

impl Machine {
    /// Whether a line is the source at the place of the previous finding: `12 let x = y`.
    fn is_source_of_single(&self, line: &str) -> bool {
        let Some(Single { place: Some(place), .. }) = &self.single else { return false };
        let Some((number, _)) = line.split_once(' ') else { return false };
        !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && place.split([':', '(', ',']).nth(1) == Some(number)
    }

    fn compiler_line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let goes_on = !self.block.is_empty() && line.starts_with("note: ");
        if !goes_on && line.len() <= MAX_BLOCK_LINE && HEADER.is_match(line) {
            self.end_block(out);
            self.after_block = false;
            self.block.push(line.to_owned());
        } else if self.block.is_empty()
            || self.block.len() > MAX_BLOCK
            || line.len() > MAX_BLOCK_LINE
            || !BLOCK.is_match(line)
        {
            self.end_block(out);
            let is_gap = line.is_empty() && std::mem::take(&mut self.after_block);
            if FILLER.is_match(line) || is_gap {
                out.fold(line);
            } else if self.settings.noise.is_match(line) {
                self.found = true;
                out.noise(line);
            } else {
                out.keep(line);
            }
        } else {
            self.block.push(line.to_owned());
        }
    }

    /// Adds the complete finding to its group.
    fn end_single(&mut self) {
        if let Some(single) = self.single.take() {
            self.groups.add(single);
        }
    }

    /// Emits lines without a rule: an error, or lines that only look like a finding.
    fn error(&mut self, block: &[String], out: &mut Emitter<'_>) {
        if block.len() == 1 || !block.iter().any(|line| line.trim_start().starts_with("--> ")) {
            return block.iter().for_each(|line| out.keep(line));
        }
        self.found = true;
        if self.seen.len() < MAX_FINDINGS && !self.seen.insert(hash_of(block)) {
            self.again += 1;
            return block.iter().for_each(|line| out.fold(line));
        }
        let source = if self.errors < WITH_SOURCE { Source::Shown } else { Source::Hidden };
        self.errors += 1;
        let mut lines = rustc_error::compact(block, source);
        lines.retain(|line| !FILLER.is_match(line));
        if let (Some(first), Some(rule)) = (lines.first(), rule_of(block))
            && !lines.iter().any(|line| line.contains(&rule))
        {
            // The rule was named only by the link to its description, which is left out.
            lines[0] = format!("{first} ({rule})");
        }
        let (before, after) = (block.iter().filter(|line| says_something(line)).count(), lines.len());
        // The place is not hidden: it is appended to the message.
        self.groups.hidden += before.saturating_sub(after + 1) as u64;
        block.iter().filter(|line| !lines.contains(line)).for_each(|line| out.fold(line));
        for line in &lines {
            out.write(line);
        }
        self.after_block = true;
    }

    fn end_block(&mut self, out: &mut Emitter<'_>) {
        self.end_single();
        let block = std::mem::take(&mut self.block);
        let Some(first) = block.first() else { return };
        let place = block.iter().find_map(|line| line.trim_start().strip_prefix("--> ").map(str::to_owned));
        let rule = rule_of(&block);
        let is_warning = !first.starts_with("error") && !first.starts_with("fatal");
        let Some(place) = place.filter(|_| is_warning || self.groups.is_denied(&block, rule.as_deref())) else {
            return self.error(&block, out);
        };
        self.found = true;
        for line in &block {
            out.fold(line);
        }
        self.after_block = true;
        self.groups.add_finding(rule, first, place);
        // All but the message and the place.
        self.groups.hidden += block.iter().filter(|line| says_something(line)).count().saturating_sub(2) as u64;
    }
}

/// Whether a line of a finding has more than the characters of frames and marks.
fn says_something(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

fn hash_of(block: &[String]) -> u64 {
    let mut hasher = DefaultHasher::new();
    block.hash(&mut hasher);
    hasher.finish()
}

static LINT: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"#\[(?:warn|deny|forbid)\(([\w:]+)\)\]|`-[WDF] ([\w:-]+)` implied by|",
        r"requested on the command line with `-[WDF] ([\w:-]+)`|index\.html#(\w+)"
    ))
});
/// Lines of a finding that mark it as a warning reported as an error.
static DENIED: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"`-[DF] [\w:-]+` implied by|requested on the command line with `-[DF] |the lint level is defined here")
});
static CODE: LazyLock<Regex> = LazyLock::new(|| regex(r"^(?:warning|error)\[(\w+)\]|^([A-Z]{1,5}\d{2,4}) "));
static QUOTED: LazyLock<Regex> = LazyLock::new(|| regex(r"`[^`]*`|\d+"));

/// The rule that a finding names. rustc names a rule only at its first finding.
fn rule_of(block: &[String]) -> Option<String> {
    let first_group = |captures: regex::Captures<'_>| {
        captures.iter().skip(1).flatten().next().map(|group| group.as_str().replace('-', "_"))
    };
    if let Some(code) = block.first().and_then(|line| CODE.captures(line)).and_then(first_group) {
        return Some(code);
    }
    // The link names a clippy lint without its prefix; the note, if present, gives the full name.
    let named = block.iter().filter_map(|line| LINT.captures(line)).filter_map(first_group);
    let named: Vec<String> = named.collect();
    let full = named.iter().find(|name| name.contains("::")).or_else(|| named.last())?;
    let linked = block.iter().any(|line| line.contains("rust-clippy/"));
    Some(if linked && !full.contains("::") { format!("clippy::{full}") } else { full.clone() })
}

/// A message without the names in it.
fn shape_of(message: &str) -> String {
    QUOTED.replace_all(message, "`").into_owned()
}

#[derive(Default)]
struct Groups {
    /// Rules in the order of their first finding, each with its messages and their places.
    in_order: Vec<Group>,
    /// The rule for each message shape, from a finding that named it.
    known: HashMap<String, String>,
    /// Rules whose warnings are reported as errors.
    denied: HashSet<String>,
    findings: usize,
    /// Number of lines of the findings that are not shown.
    hidden: u64,
}

struct Group {
    rule: String,
    count: usize,
    messages: Vec<Message>,
}

struct Message {
    text: String,
    places: Vec<String>,
    /// The complete line of the first finding.
    line: Option<String>,
}

impl Groups {
    /// Whether an error is a warning that was turned into an error. rustc says so only at the first
    /// finding of a rule.
    fn is_denied(&mut self, block: &[String], rule: Option<&str>) -> bool {
        let says_so = block.iter().any(|line| DENIED.is_match(line));
        let known = block.first().and_then(|first| self.known.get(&shape_of(first)));
        let Some(rule) = rule.or(known.map(String::as_str)) else { return says_so };
        if says_so && self.denied.len() < MAX_FINDINGS {
            self.denied.insert(rule.to_owned());
        }
        says_so || self.denied.contains(rule)
    }

    fn add_finding(&mut self, rule: Option<String>, message: &str, place: String) {
        let shape = shape_of(message);
        let rule = match rule {
            Some(rule) => {
                if self.known.len() < MAX_FINDINGS {
                    self.known.insert(shape, rule.clone());
                }
                rule
            }
            None => self.known.get(&shape).cloned().unwrap_or_else(|| "warning".to_owned()),
        };
        self.add(Single { rule, message: message.to_owned(), place: Some(place), line: None });
    }

    fn add(&mut self, finding: Single) {
        let Single { rule, message, place, line } = finding;
        self.findings += 1;
        let at = self.in_order.iter().position(|group| group.rule == rule).unwrap_or_else(|| {
            self.in_order.push(Group { rule, count: 0, messages: Vec::new() });
            self.in_order.len() - 1
        });
        let group = &mut self.in_order[at];
        group.count += 1;
        let at = group.messages.iter().position(|known| known.text == message).unwrap_or_else(|| {
            group.messages.push(Message { text: message, places: Vec::new(), line });
            group.messages.len() - 1
        });
        let places = &mut group.messages[at].places;
        if let Some(place) = place
            && !places.contains(&place)
        {
            places.push(place);
        }
    }

    fn write(&mut self, out: &mut Emitter<'_>) {
        for group in std::mem::take(&mut self.in_order) {
            group.write(out);
        }
        self.findings = 0;
        let hidden = std::mem::take(&mut self.hidden);
        if hidden > 0 {
            out.keep(&mark(hidden));
        }
    }
}

/// Maximum length in bytes of a rule name that is repeated before each message.
const MAX_REPEATED_RULE_BYTES: usize = 8;

impl Group {
    /// Writes one line for each message. A rule that the message does not name is put after the
    /// message, a short code before it. A long rule with several messages becomes their heading.
    fn write(self, out: &mut Emitter<'_>) {
        let Self { rule, count, messages } = self;
        let is_above = messages.len() > 1
            && rule.len() > MAX_REPEATED_RULE_BYTES
            && !messages.iter().all(|message| message.text.contains(&rule));
        if is_above {
            out.write(&format!("{rule} ({count})"));
        }
        for Message { text, places, line } in messages {
            if let Some(line) = line.filter(|_| !is_above && places.len() < 2) {
                out.write(&line);
                continue;
            }
            let text = if is_above {
                format!("  {}", text.strip_prefix(&rule).map_or(text.as_str(), str::trim_start))
            } else if text.contains(&rule) {
                text
            } else if rule.len() > MAX_REPEATED_RULE_BYTES && !text.is_empty() {
                format!("{text} ({rule})")
            } else {
                format!("{rule} {text}").trim_end().to_owned()
            };
            out.write(&match places.as_slice() {
                [] => text,
                [place] => format!("{text}: {place}"),
                places => format!("{text} [×{}]: {}", places.len(), joined(places)),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    fn check(text: &str, expected: &str) {
        let filtered = FilterPipeline::builtin().filter("cargo clippy", Exit::Code(101), text.as_bytes()).text;
        assert_eq!(filtered, expected);
    }

    #[test]
    fn warnings_that_were_made_errors_are_grouped() {
        check(
            "\
error: unused variable: `a`
 --> src/lib.rs:3:9
  |
3 |     let a = 1;
  |         ^ help: if this is intentional, prefix it with an underscore: `_a`
  |
  = note: `-D unused-variables` implied by `-D warnings`
  = help: to override `-D warnings` add `#[allow(unused_variables)]`

error: unused variable: `b`
 --> src/lib.rs:7:9
  |
7 |     let b = 1;
  |         ^ help: if this is intentional, prefix it with an underscore: `_b`

error: could not compile `demo` (lib) due to 2 previous errors
",
            "error: could not compile `demo` (lib) due to 2 previous errors\nunused_variables (2)\n  error: unused variable: `a`: src/lib.rs:3:9\n  \
             error: unused variable: `b`: src/lib.rs:7:9\n[… 6 lines]\n",
        );
    }

    #[test]
    fn an_error_that_nobody_asked_for_stands_where_it_is() {
        check(
            "\
error: this loop never actually loops
 --> src/lib.rs:2:5
  |
2 | /     for x in y {
3 | |         return x;
4 | |     }
  | |_____^
  |
  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#never_loop
  = note: `#[deny(clippy::never_loop)]` on by default

error: could not compile `demo` (lib) due to 1 previous error
",
            "error: this loop never actually loops --> src/lib.rs:2:5\n2 | for x in y {\n[… 3 lines]\n\
             error: could not compile `demo` (lib) due to 1 previous error\n[… 1]\n",
        );
    }
}
