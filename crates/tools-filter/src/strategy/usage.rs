//! Shortens the help that a program prints after a wrong call: the usage line stays; the list of
//! options and the line on how to get more help are counted. After a report, general advice that
//! names nothing specific is counted too. In long help that the user asked for, each option keeps
//! the first line of its description.

use tools_core::FilterConfidence;

use super::Reducer;
use crate::{
    ParsedCommand,
    emit::Emitter,
    signal::{names_place, reports},
    table::{ADVICE, HELP},
};

/// Prefixes that a tool may print before each line.
const PREFIXES: &[&str] = &["npm error ", "npm ERR! "];

pub(crate) struct Usage {
    /// Whether the user asked for the help.
    is_wanted: bool,
    /// Number of options shown, the indentation of the last one, and whether its description was
    /// shown.
    options: u32,
    depth: usize,
    is_described: bool,
    /// Whether there was text before the help, and whether it reported something.
    has_text: bool,
    has_report: bool,
    state: State,
    /// A line of advice; it is more than general if source follows.
    advice: Option<String>,
    found: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Outside,
    /// After a usage heading; with the prefix of each line.
    Heading(&'static str),
    /// After the usage line; with the prefix of each line.
    Inside(&'static str),
}

impl Usage {
    pub(crate) fn new(command: &ParsedCommand) -> Self {
        let asks = |word: &String| {
            word.starts_with("--help") || matches!(word.as_str(), "-h" | "-?" | "-help" | "help" | "man" | "/?")
        };
        Self {
            is_wanted: command.earlier.iter().chain([command]).any(|command| command.words.iter().any(asks)),
            options: 0,
            depth: usize::MAX,
            is_described: false,
            has_text: false,
            has_report: false,
            state: State::Outside,
            advice: None,
            found: false,
        }
    }
}

/// Minimum number of options of long help.
const MANY_OPTIONS: u32 = 12;
/// Minimum indentation of a description, relative to its option.
const DESCRIPTION: usize = 3;

impl Usage {
    /// Whether a line continues the description of an option in long help.
    fn goes_on(&mut self, line: &str) -> bool {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if text.starts_with('-') {
            self.options += 1;
            self.depth = indent;
            self.is_described = text.contains("  ") || text.contains(" : ") || text.contains('\t');
            return false;
        }
        if text.is_empty() {
            return false;
        }
        if indent < self.depth.saturating_add(DESCRIPTION) {
            // Lines below another heading belong to no option.
            self.depth = usize::MAX;
            return false;
        }
        std::mem::replace(&mut self.is_described, true) && self.options > MANY_OPTIONS
    }
}

/// A line without the prefix that its tool prints before each line.
fn text_of<'a>(line: &'a str, prefix: &str) -> Option<&'a str> {
    if let Some(text) = line.strip_prefix(prefix) {
        return Some(text);
    }
    (line == prefix.trim_end()).then_some("")
}

fn is_usage(text: &str) -> bool {
    let text = text.trim_start();
    text.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("usage:"))
}

/// Whether a line belongs to the help: an option with its description, a heading of options, or
/// more of the usage.
fn is_help(text: &str) -> bool {
    let inner = text.trim_start();
    if inner.is_empty() {
        return true;
    }
    let is_indented = inner.len() < text.len();
    let is_option = inner.starts_with('-') || inner.starts_with('[') || inner.starts_with('<');
    let is_heading = text.ends_with(':') && text.len() < 60 && !text.contains(": ");
    is_indented || is_option || is_heading
}

/// Whether a line shows suggested source: `12 | text`, `12 + text`, `   | ~~~`.
fn is_source(line: &str) -> bool {
    let text = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = text.len() < line.trim_start().len() && text.starts_with([' ', '|']);
    let text = text.trim_start();
    (is_numbered && text.starts_with(['|', '+', '-', '│', '~'])) || (line.starts_with(' ') && text.starts_with('|'))
}

/// Whether a line is general advice that names nothing of this program.
fn is_advice(line: &str) -> bool {
    ADVICE.is_match(line)
        && !line.contains(|c: char| c.is_ascii_digit() || "`'\"‘’“”/<>_()[]{}$=".contains(c))
        && !line.contains("--")
        && !line.trim_start_matches(|c: char| !c.is_alphabetic()).trim_end_matches('.').contains('.')
}

impl Reducer for Usage {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if self.is_wanted && self.goes_on(line) {
            self.found = true;
            return out.omit(line);
        }
        let prefix = PREFIXES.iter().find(|prefix| line.starts_with(*prefix)).copied().unwrap_or_default();
        match self.state {
            State::Heading(prefix) if text_of(line, prefix).is_some_and(|text| !text.is_empty()) => {
                self.state = State::Inside(prefix);
                return out.keep(line);
            }
            // The prefix itself may be what reports something.
            State::Inside(prefix) if text_of(line, prefix).is_some_and(is_help) => {
                self.found = true;
                return if prefix.is_empty() { out.noise(line) } else { out.omit(line) };
            }
            _ => self.state = State::Outside,
        }
        if let Some(advice) = self.advice.take() {
            if is_source(line) { out.keep(&advice) } else { out.omit(&advice) }
        }
        if self.has_report && !self.is_wanted {
            let text = &line[prefix.len()..];
            if HELP.is_match(text) && !reports(text) {
                self.found = true;
                return out.omit(line);
            }
            if is_advice(text) && !reports(text) && !names_place(text) {
                self.found = true;
                self.advice = Some(line.to_owned());
                return;
            }
        }
        self.has_report = self.has_report || reports(line);
        if self.has_text && !self.is_wanted {
            match text_of(line, prefix) {
                Some(text) if text.trim().eq_ignore_ascii_case("usage:") => self.state = State::Heading(prefix),
                Some(text) if is_usage(text) => self.state = State::Inside(prefix),
                _ => {}
            }
        }
        self.has_text |= !line.trim().is_empty();
        out.keep(line);
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        if let Some(advice) = self.advice.take() {
            out.omit(&advice);
        }
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    const HELP: &str = "tool: unrecognized option '--nope'\nUsage: tool [options] file\nOptions:\n  -b, --big     Shows what is big.\n  -k            Goes on with what is left.\n\nThis is version 2.\n";

    #[test]
    fn help_after_a_wrong_call_is_counted() {
        let filtered = FilterPipeline::builtin().filter("tool --nope", Exit::Code(2), HELP.as_bytes()).text;
        assert_eq!(
            filtered,
            "tool: unrecognized option '--nope'\nUsage: tool [options] file\n[… 3 lines]\nThis is version 2.\n"
        );
    }

    #[test]
    fn where_to_ask_for_help_is_counted_behind_what_was_wrong() {
        let table = [
            (
                "error: unknown flag --nope\nRun 'tool run --help' for more information\n",
                "error: unknown flag --nope\n[… 1 line]\n",
            ),
            (
                "npm error bad flag x\nnpm error Usage:\nnpm error npm ci\nnpm error\nnpm error Options:\nnpm error   --include\nnpm error done\n",
                "npm error bad flag x\nnpm error Usage:\nnpm error npm ci\n[… 2 lines]\nnpm error done\n",
            ),
            (
                "error: unused a\n  help: Consider removing this declaration.\nhelp: Remove `a`.\nhelp: change it\n3 - let a = 1;\n3 + let b = 1;\n",
                "error: unused a\n[… 1 line]\nhelp: Remove `a`.\nhelp: change it\n3 - let a = 1;\n3 + let b = 1;\n",
            ),
            (
                "Usage: tool [FILE]\nTry 'tool --help' for more information.\n",
                "Usage: tool [FILE]\nTry 'tool --help' for more information.\n",
            ),
        ];
        for (text, expected) in table {
            assert_eq!(FilterPipeline::builtin().filter("tool --nope", Exit::Code(2), text.as_bytes()).text, expected);
        }
    }

    #[test]
    fn help_that_was_asked_for_stands() {
        for command in ["tool --help", "tool help build", "man tool"] {
            assert_eq!(FilterPipeline::builtin().filter(command, Exit::Code(0), HELP.as_bytes()).text, HELP);
        }
    }

    #[test]
    fn of_long_help_each_option_stands() {
        let option = |name: char| format!("  --{name}-of  Shows what {name} is,\n          or what is not {name}.\n");
        let text: String = ('a'..='n').map(option).collect();
        let shown = FilterPipeline::builtin().filter("tool --help", Exit::Code(0), text.as_bytes()).text;
        assert!(('a'..='n').all(|name| shown.contains(&format!("--{name}-of  Shows"))), "{shown}");
        assert_eq!(shown.matches("or what is not").count(), 12, "{shown}");
    }
}
