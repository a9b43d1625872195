//! Converts a command's output to the text for the model: the first matching rule, its strategies
//! in sequence, and guarantees that hold for all of them. Credentials are redacted elsewhere.

use std::{
    collections::VecDeque,
    sync::{Arc, LazyLock},
};

use tools_core::{FilterConfidence, FilterStats};

use crate::{
    FilterConfig, FilterEvent, FilterMetrics, ParsedCommand, Rule, RuleError, StrategyConfig,
    confidence::worst,
    emit::marked,
    marks::Marks,
    rules::{self, Entry},
    sanitize::Sanitizer,
    stages::{Stage, end, feed},
    strategy::{Facts, Reducer, forms::Forms, general},
};

/// Exit status of a command, as far as it is known when its output is filtered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Not known, or not yet.
    Unknown,
    /// The exit code; 128 + n for death by signal n.
    Code(i32),
}

impl Exit {
    /// Whether the command is known to have failed.
    pub fn is_failure(self) -> bool {
        !matches!(self, Self::Unknown | Self::Code(0))
    }
}

/// The current rules.
#[derive(Debug, Clone)]
pub struct FilterPipeline {
    rules: Arc<[Arc<Rule>]>,
    metrics: Arc<FilterMetrics>,
    /// Whether runs of blank lines collapse when no rule matches the command.
    collapse: bool,
}

/// The text of the built-in rules, in the form of a `filters.toml`.
pub const BUILTIN: &str = include_str!("builtin.toml");

/// The unchanged built-in rules, shared by all pipelines without changes to them.
static BUILTIN_RULES: LazyLock<Arc<[Arc<Rule>]>> =
    LazyLock::new(|| rules::index(BUILTIN).into_iter().map(Arc::new).collect());

impl FilterPipeline {
    /// The built-in rules.
    pub fn builtin() -> Self {
        Self { rules: Arc::clone(&BUILTIN_RULES), metrics: Arc::default(), collapse: true }
    }

    /// No rules: only escape sequences and overwritten text are resolved.
    pub fn none() -> Self {
        Self { rules: Arc::new([]), metrics: Arc::default(), collapse: false }
    }

    /// The rules of a configuration: those of `user`, the text of a `filters.toml`, before the
    /// built-in ones.
    ///
    /// A wrong rule is skipped and reported in the second value.
    pub fn compile(config: &FilterConfig, user: Option<&str>) -> (Self, Vec<RuleError>) {
        if !config.enabled {
            return (Self::none(), Vec::new());
        }
        let (user, mut errors) = user.map(rules::read).unwrap_or_default();
        let own: Vec<String> = user.iter().map(|entry| entry.name().to_owned()).collect();
        if own.is_empty() && !config.changes_rules() {
            return (Self::builtin(), errors);
        }
        let mut rules = Vec::new();
        let mut replaced = Vec::new();
        for entry in user {
            let name = entry.name().to_owned();
            match entry {
                Entry::Off(name) => replaced.push(name),
                Entry::Rule(rule, matcher) => match Rule::new(rule.name, matcher, rule.strategy) {
                    Ok(rule) => {
                        replaced.push(name);
                        rules.push(Arc::new(rule));
                    }
                    Err(error) => errors.push(RuleError::Rule { name, problem: error.to_string() }),
                },
            }
        }
        let (builtin, _) = rules::read(BUILTIN);
        for entry in builtin {
            if let Entry::Rule(mut rule, matcher) = entry
                && !replaced.contains(&rule.name)
                && config.adjust(&mut rule.strategy)
            {
                rules.extend(Entry::Rule(rule, matcher).into_lazy_rule().map(Arc::new));
            }
        }
        (Self { rules: rules.into(), metrics: Arc::default(), collapse: true }, errors)
    }

    /// The same rules, with a rule of the host before them.
    pub fn with_rule(self, rule: Rule) -> Self {
        let rules = std::iter::once(Arc::new(rule)).chain(self.rules.iter().cloned()).collect();
        Self { rules, ..self }
    }

    /// The rule for the output of a command line; `None` when there is none.
    pub fn rule_for(&self, command: &str) -> Option<&Rule> {
        self.find(&ParsedCommand::parse(command)).map(Arc::as_ref)
    }

    pub(crate) fn find(&self, command: &ParsedCommand) -> Option<&Arc<Rule>> {
        if command.words.is_empty() {
            return None;
        }
        self.rules.iter().find(|rule| rule.matches(command))
    }

    /// The names of all rules, in the order in which they are tried.
    pub fn rule_names(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|rule| rule.name())
    }

    /// The metrics so far.
    pub fn metrics(&self) -> &FilterMetrics {
        &self.metrics
    }

    /// Starts the output of a command line.
    pub fn start(&self, command: &str, exit: Exit) -> FilterStream {
        self.start_parsed(ParsedCommand::parse(command), exit)
    }

    /// Starts the output of a parsed command.
    pub fn start_parsed(&self, command: ParsedCommand, exit: Exit) -> FilterStream {
        let rule = self.find(&command).cloned();
        let earlier = self.of_earlier(&command, rule.as_ref());
        let facts = Facts { exit, command: Arc::new(command) };
        let is_general = self.collapse && rule.as_ref().is_none_or(|rule| rule.allows_general_stages());
        let mut reducers = if is_general { general::before_rules() } else { Vec::new() };
        if self.collapse && self.searches(&facts.command) {
            reducers.push(general::of_hits());
        }
        reducers.extend(start_earlier(&earlier, rule.as_deref(), &facts));
        reducers.extend(rule.iter().flat_map(|rule| rule.start(&facts)));
        let collapse = self.collapse && !rule.as_ref().is_some_and(|rule| rule.shows_content());
        let general = is_general.then_some(reducers.len());
        if is_general {
            if !self.shows_lists(&facts.command) {
                let known = rule.iter().chain(&earlier).cloned().collect();
                reducers.push(Box::new(Forms::new(Arc::clone(&self.rules), known, &facts, collapse)));
            }
            let knows_tests = rule.iter().chain(&earlier).any(|rule| rule.knows_tests());
            reducers.extend(general::start(&facts.command, rule.is_some(), knows_tests));
        } else if rule.as_ref().is_some_and(|rule| rule.lists_files()) {
            reducers.extend(general::of_listing());
        } else if collapse && rule.as_ref().is_some_and(|rule| rule.shows_tables()) {
            let known = rule.iter().chain(&earlier).cloned().collect();
            reducers.push(Box::new(Forms::new(Arc::clone(&self.rules), known, &facts, collapse)));
            reducers.extend(general::of_tables(&facts.command));
        }
        let stages = reducers.into_iter().map(|reducer| Stage::new(reducer, collapse)).collect();
        let head = (rule.is_some() || is_general).then(Head::default);
        FilterStream {
            sanitizer: Sanitizer::default(),
            work: Work {
                stages,
                general,
                seen: 0,
                verdicts: Vec::new(),
                head,
                counts: Counts { marks: Marks::new(!collapse), ..Counts::default() },
                exit,
                collapse,
                after_blank: false,
            },
            rule,
            metrics: Arc::clone(&self.metrics),
            bytes_in: 0,
        }
    }

    /// The rules of the earlier commands in the line, each once and in order. Empty when the rule
    /// of the last command does not share its output.
    fn of_earlier(&self, command: &ParsedCommand, last: Option<&Arc<Rule>>) -> Vec<Arc<Rule>> {
        let mut found: Vec<Arc<Rule>> = Vec::new();
        if last.is_some_and(|last| !last.shares_output()) {
            return found;
        }
        for rule in command.earlier.iter().filter_map(|earlier| self.find(earlier)) {
            let is_new = last.is_none_or(|last| !Arc::ptr_eq(last, rule));
            if rule.shows_content() {
                // Lines of files may have any form.
                return Vec::new();
            }
            if is_new && rule.shares_output() && !found.iter().any(|one| Arc::ptr_eq(one, rule)) {
                found.push(Arc::clone(rule));
            }
        }
        found
    }

    /// Whether an earlier command in the line prints file content or a list, where lines may have
    /// any form.
    fn shows_lists(&self, command: &ParsedCommand) -> bool {
        command.earlier.iter().filter_map(|earlier| self.find(earlier)).any(|rule| !rule.shares_output())
    }

    /// Whether an earlier command in the line is a search.
    fn searches(&self, command: &ParsedCommand) -> bool {
        command.earlier.iter().filter_map(|earlier| self.find(earlier)).any(|rule| rule.searches())
    }

    /// Filters a whole output.
    pub fn filter(&self, command: &str, exit: Exit, output: &[u8]) -> FilteredOutput {
        self.filter_parsed(ParsedCommand::parse(command), exit, output)
    }

    /// Filters a whole output of a parsed command.
    pub fn filter_parsed(&self, command: ParsedCommand, exit: Exit, output: &[u8]) -> FilteredOutput {
        let mut text = String::with_capacity(output.len() / 4);
        let mut stream = self.start_parsed(command, exit);
        let mut collect = |event: FilterEvent<'_>| {
            if let FilterEvent::Kept(line) | FilterEvent::Written(line) = event {
                text.push_str(line);
                text.push('\n');
            }
        };
        stream.push(output, &mut collect);
        let report = stream.finish(&mut collect);
        if !report.ends_with_line_feed && text.ends_with('\n') {
            text.pop();
        }
        FilteredOutput { text, report }
    }
}

/// The strategies of the rules for earlier commands in the line, each kind once. The exit status of
/// those commands is unknown.
fn start_earlier(earlier: &[Arc<Rule>], last: Option<&Rule>, facts: &Facts) -> Vec<Box<dyn Reducer>> {
    let facts = Facts { exit: Exit::Unknown, command: Arc::clone(&facts.command) };
    let mut others: Vec<&Rule> = last.into_iter().collect();
    let mut reducers = Vec::new();
    for rule in earlier {
        reducers.extend(rule.start_without_duplicates(&others, &facts));
        others.push(rule);
    }
    reducers
}

/// A filtered output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilteredOutput {
    /// The text for the model.
    pub text: String,
    /// Report of the filter.
    pub report: FilterReport,
}

/// Report of the filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterReport {
    /// `None` when no rule matched the command.
    pub stats: Option<FilterStats>,
    /// Whether the last line ended with a line feed.
    pub ends_with_line_feed: bool,
    /// Bytes before.
    pub bytes_in: u64,
    /// Bytes after.
    pub bytes_out: u64,
}

/// The output of one command while it is filtered. Takes chunks of any size; holds a bounded
/// amount.
pub struct FilterStream {
    sanitizer: Sanitizer,
    work: Work,
    rule: Option<Arc<Rule>>,
    metrics: Arc<FilterMetrics>,
    bytes_in: u64,
}

impl FilterStream {
    /// Takes more of the output. Lines reach `sink` as soon as their fate is known.
    pub fn push(&mut self, chunk: &[u8], sink: &mut dyn FnMut(FilterEvent<'_>)) {
        self.bytes_in += chunk.len() as u64;
        let work = &mut self.work;
        self.sanitizer.push(chunk, &mut |line| work.line(line, sink));
    }

    /// Ends the output of a command whose exit status is known only now.
    pub fn finish_with(mut self, exit: Exit, sink: &mut dyn FnMut(FilterEvent<'_>)) -> FilterReport {
        self.work.exit = exit;
        self.finish(sink)
    }

    /// Whether a rule matched the command.
    pub fn has_rule(&self) -> bool {
        self.rule.is_some()
    }

    /// Ends the output.
    pub fn finish(mut self, sink: &mut dyn FnMut(FilterEvent<'_>)) -> FilterReport {
        let work = &mut self.work;
        let ends_with_line_feed = self.sanitizer.finish(&mut |line| work.line(line, sink));
        let confidence = work.finish(sink);
        let bytes_out = work.counts.bytes_out;
        let is_shortened = confidence != FilterConfidence::Fallback;
        let name = self.rule.as_ref().map(|rule| rule.name()).or(is_shortened.then_some(general::NAME));
        let stats = name.map(|rule| FilterStats {
            rule: rule.to_owned(),
            confidence,
            lines_in: work.counts.lines_in,
            lines_out: work.counts.lines_out,
        });
        if let Some(stats) = &stats {
            self.metrics.count(stats, self.bytes_in, bytes_out);
        }
        FilterReport { stats, ends_with_line_feed, bytes_in: self.bytes_in, bytes_out }
    }
}

/// Maximum bytes of an output that the general stages process.
const MAX_GENERAL: usize = 4 << 20;

/// Maximum bytes of filtered text held back together with the original, so that the original can be
/// emitted if filtering saved nothing.
const MAX_HEAD: usize = 64 << 10;

fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t'))
}

struct Work {
    stages: Vec<Stage>,
    /// The index of the first general stage; `None` once these have ended.
    general: Option<usize>,
    /// Number of bytes received.
    seen: usize,
    /// Results of stages that have ended.
    verdicts: Vec<Option<FilterConfidence>>,
    head: Option<Head>,
    counts: Counts,
    exit: Exit,
    collapse: bool,
    /// Whether the previous line was blank, for commands without a rule.
    after_blank: bool,
}

#[derive(Default)]
struct Counts {
    lines_in: u64,
    lines_out: u64,
    bytes_out: u64,
    /// The last dropped lines, while nothing was emitted.
    unshown: VecDeque<String>,
    unshown_bytes: usize,
    /// Number of lines that marks stand for before any other emitted line.
    marked: u64,
    /// Number of lines with text received.
    has_text: u64,
    /// The last line with text, unchanged.
    last: String,
    marks: Marks,
}

/// The beginning of an output: the original lines, and the events for them.
#[derive(Default)]
struct Head {
    text: Vec<String>,
    bytes: usize,
    events: Vec<(Fate, String)>,
}

#[derive(Clone, Copy)]
enum Fate {
    Kept,
    Written,
    Dropped,
}

impl Counts {
    /// Writes the mark of a hole of this many lines.
    fn mark(&mut self, lines: u64, sink: &mut dyn FnMut(FilterEvent<'_>)) {
        let text = self.marks.hole(lines);
        self.lines_out += 1;
        self.bytes_out += text.len() as u64 + 1;
        sink(FilterEvent::Written(&text));
    }

    fn give(&mut self, event: FilterEvent<'_>, sink: &mut dyn FnMut(FilterEvent<'_>)) {
        match event {
            FilterEvent::Written(line) if self.lines_out == 0 && marked(line).is_some() => {
                // If only marks follow, the end is shown with one count for everything before.
                self.marked += marked(line).unwrap_or_default();
                return;
            }
            FilterEvent::Kept(line) | FilterEvent::Written(line) => {
                let before = std::mem::take(&mut self.marked);
                if before > 0 {
                    self.mark(before, sink);
                }
                if let Some(lines) = marked(line) {
                    return self.mark(lines, sink);
                }
                self.lines_out += 1;
                self.unshown.clear();
                if let Some(told) = self.marks.shorten_annotated(line) {
                    self.bytes_out += told.len() as u64 + 1;
                    return sink(FilterEvent::Written(&told));
                }
                self.bytes_out += line.len() as u64 + 1;
            }
            FilterEvent::Dropped(line) if self.lines_out == 0 => {
                self.unshown.push_back(line.to_owned());
                self.unshown_bytes += line.len();
                while self.unshown.len() > 40 || self.unshown_bytes > MAX_HEAD {
                    let Some(oldest) = self.unshown.pop_front() else { break };
                    self.unshown_bytes -= oldest.len();
                }
            }
            FilterEvent::Dropped(_) => {}
        }
        sink(event);
    }
}

impl Head {
    fn note(&mut self, event: FilterEvent<'_>) {
        let (fate, line) = match event {
            FilterEvent::Kept(line) => (Fate::Kept, line),
            FilterEvent::Written(line) => (Fate::Written, line),
            FilterEvent::Dropped(line) => (Fate::Dropped, line),
        };
        self.events.push((fate, line.to_owned()));
    }

    fn release(self, counts: &mut Counts, sink: &mut dyn FnMut(FilterEvent<'_>)) {
        for (fate, line) in self.events {
            let event = match fate {
                Fate::Kept => FilterEvent::Kept(&line),
                Fate::Written => FilterEvent::Written(&line),
                Fate::Dropped => FilterEvent::Dropped(&line),
            };
            counts.give(event, sink);
        }
    }

    /// Bytes and visible lines of the filtered text so far.
    fn gained(&self, marks: Marks) -> (usize, usize) {
        let shown = self.events.iter().filter(|(fate, _)| !matches!(fate, Fate::Dropped));
        let shown = shown.map(|(_, line)| line.as_str());
        let lines = shown.clone().filter(|line| !line.trim().is_empty() && marked(line).is_none()).count();
        (marks.length(shown), lines)
    }
}

impl Work {
    fn line(&mut self, line: &str, sink: &mut dyn FnMut(FilterEvent<'_>)) {
        self.counts.lines_in += 1;
        if !is_blank(line) {
            self.counts.has_text += 1;
            if self.counts.lines_out == 0 {
                line.clone_into(&mut self.counts.last);
            }
        }
        if self.collapse && self.stages.is_empty() {
            let is_blank = is_blank(line);
            if is_blank && std::mem::replace(&mut self.after_blank, true) {
                return self.counts.give(FilterEvent::Dropped(line), sink);
            }
            self.after_blank = is_blank;
        }
        self.seen += line.len() + 1;
        if self.seen > MAX_GENERAL {
            self.end_general(sink);
        }
        let Some(head) = &mut self.head else {
            let counts = &mut self.counts;
            return feed(&mut self.stages, line, &mut |event| counts.give(event, sink));
        };
        head.text.push(line.to_owned());
        head.bytes += line.len() + 1;
        feed(&mut self.stages, line, &mut |event| head.note(event));
        if head.bytes > MAX_HEAD
            && let Some(head) = self.head.take()
        {
            head.release(&mut self.counts, sink);
        }
    }

    /// Ends the general stages: such a long output is never shown unchanged.
    fn end_general(&mut self, sink: &mut dyn FnMut(FilterEvent<'_>)) {
        let Some(first) = self.general.take() else { return };
        if let Some(head) = self.head.take() {
            head.release(&mut self.counts, sink);
        }
        let mut stages = self.stages.split_off(first);
        let counts = &mut self.counts;
        end(&mut stages, &mut self.verdicts, &mut |event| counts.give(event, sink));
    }

    fn finish(&mut self, sink: &mut dyn FnMut(FilterEvent<'_>)) -> FilterConfidence {
        let mut head = self.head.take();
        let counts = &mut self.counts;
        let mut verdicts = std::mem::take(&mut self.verdicts);
        end(&mut self.stages, &mut verdicts, &mut |event| match &mut head {
            Some(head) => head.note(event),
            None => counts.give(event, sink),
        });
        let confidence = worst(verdicts);
        let Some(head) = head else {
            self.nothing_left(sink);
            return confidence;
        };
        let (bytes, lines) = head.gained(counts.marks.clone());
        let is_lost = lines == 0 && self.exit.is_failure();
        let last = if lines == 0 { counts.last.len() } else { 0 };
        let bytes = bytes + last;
        if confidence == FilterConfidence::Fallback || is_lost || (bytes >= head.bytes && head.bytes > 0) {
            // The original text, including lines that look like marks.
            self.counts.marks = Marks::new(true);
            // Blank lines at the beginning are dropped, unless there is nothing else.
            let mut after_blank = self.collapse && head.text.iter().any(|line| !line.is_empty());
            for line in &head.text {
                let is_repeated = self.collapse && line.is_empty() && after_blank;
                after_blank = line.is_empty();
                let event = if is_repeated { FilterEvent::Dropped(line) } else { FilterEvent::Kept(line) };
                self.counts.give(event, sink);
            }
            return FilterConfidence::Fallback;
        }
        head.release(&mut self.counts, sink);
        self.nothing_left(sink);
        confidence
    }

    /// If nothing is left of an output, shows its last line, which is usually a summary. For a
    /// failed command, also the lines before it.
    fn nothing_left(&mut self, sink: &mut dyn FnMut(FilterEvent<'_>)) {
        let counts = &mut self.counts;
        counts.marked = 0;
        if counts.lines_out > 0 || counts.has_text == 0 {
            return;
        }
        let mut shown: Vec<String> = std::mem::take(&mut counts.unshown).into();
        if !self.exit.is_failure() || shown.is_empty() {
            shown = vec![std::mem::take(&mut counts.last)];
        }
        shown.retain(|line| marked(line).is_none());
        let with_text = shown.iter().filter(|line| !is_blank(line)).count() as u64;
        let hidden = counts.has_text.saturating_sub(with_text);
        if hidden > 0 {
            counts.mark(hidden, sink);
        }
        for line in &shown {
            counts.give(FilterEvent::Kept(line), sink);
        }
    }
}

/// Whether the predicate holds for one of a rule's strategies.
pub(crate) fn uses(strategies: &[StrategyConfig], wanted: impl Fn(&StrategyConfig) -> bool) -> bool {
    strategies.iter().any(wanted)
}
