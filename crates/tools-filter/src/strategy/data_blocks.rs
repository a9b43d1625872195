//! Joins a short list or object that is printed over several lines, as JSON and similar formats,
//! into one line. Nothing is left out. Every line must be data: names with values, values, or
//! brackets.

use std::sync::LazyLock;

use regex::Regex;
use tools_core::FilterConfidence;

use super::{Reducer, unfinished::names_running};
use crate::{emit::Emitter, lines::regex, signal::names_place};

/// Maximum length in bytes of a joined line, and maximum number of lines to join.
const MAX_JOINED_BYTES: usize = 320;
const MAX_LINES: usize = 40;

/// The start of a list or an object: `"items": [`, `{`, `Object {`.
static OPENING: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"^ *(?:["']?[\w$@./-]+["']?: )?(?:[A-Z]\w*(?:\(\d+\))? )?[\[{]$"#));
/// A line inside a list or an object.
static INNER: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r#"^ *(?:["']?[\w$@./-]+["']?: )?(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|-?[\w.+]+|\[\]|\{\}|"#,
        r"(?:[A-Z]\w*(?:\(\d+\))? )?[\[{]|[\]}]),?$"
    ))
});

#[derive(Default)]
pub(crate) struct DataBlocks {
    held: Vec<String>,
    bytes: usize,
    /// Number of open brackets.
    depth: usize,
    found: bool,
}

fn opens(line: &str) -> bool {
    line.ends_with(['[', '{'])
}

fn closes(line: &str) -> bool {
    matches!(line.trim_start_matches(' '), "]" | "}" | "]," | "},")
}

impl DataBlocks {
    /// Emits the held lines unchanged. A line after the first may start another block.
    fn give_up(&mut self, out: &mut Emitter<'_>) {
        let held = std::mem::take(&mut self.held);
        (self.bytes, self.depth) = (0, 0);
        let mut lines = held.iter();
        if let Some(first) = lines.next() {
            out.keep(first);
        }
        for line in lines {
            self.line(line, out);
        }
    }

    fn joined(&mut self, out: &mut Emitter<'_>) {
        let held = std::mem::take(&mut self.held);
        (self.bytes, self.depth) = (0, 0);
        let indent = held.first().map_or(0, |first| first.len() - first.trim_start_matches(' ').len());
        let mut text = " ".repeat(indent);
        for (at, line) in held.iter().enumerate() {
            let after_bracket =
                text.ends_with(['[', '{']) && held.get(at.wrapping_sub(1)).is_some_and(|last| opens(last));
            if at > 0 && !after_bracket && !closes(line) {
                text.push(' ');
            }
            text.push_str(line.trim_start_matches(' '));
            out.forget(line);
        }
        self.found = true;
        out.write(&text);
    }
}

impl Reducer for DataBlocks {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if self.held.is_empty() {
            if !line.ends_with(['[', '{']) || line.len() > MAX_JOINED_BYTES || !OPENING.is_match(line) {
                return out.keep(line);
            }
        } else if self.held.len() >= MAX_LINES
            || self.bytes + line.trim_start().len() > MAX_JOINED_BYTES
            || !INNER.is_match(line)
            || names_place(line)
            || names_running(line)
        {
            self.give_up(out);
            return self.line(line, out);
        }
        self.bytes += line.trim_start().len() + 1;
        self.held.push(line.to_owned());
        if opens(line) {
            self.depth += 1;
        } else if closes(line) {
            self.depth -= 1;
            if self.depth == 0 {
                self.joined(out);
            }
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        while !self.held.is_empty() {
            self.give_up(out);
        }
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    #[test]
    fn short_data_stands_in_one_line() {
        let filter = |text: &str| FilterPipeline::builtin().filter("./api", Exit::Code(0), text.as_bytes()).text;
        assert_eq!(
            filter(
                "{\n  \"items\": [\n    {\n      \"id\": 1,\n      \"tags\": [\n        \"a\",\n        \"b\"\n      ]\n    },\n    {\n      \"id\": 2\n    }\n  ],\n  \"next\": null\n}\n"
            ),
            "{\"items\": [{\"id\": 1, \"tags\": [\"a\", \"b\"]}, {\"id\": 2}], \"next\": null}\n"
        );
        for text in ["fn main() {\n    run();\n}\n", "{\n- a\n}\n", "items: [\n  \"a\",\n", "[\n# 3\n]\n"] {
            assert_eq!(filter(text), text);
        }
    }
}
