//! Shortens source frames with one marked line (`> 12 | text`): the marked line and the signs that
//! point into it stay. The lines around it are counted.

use tools_core::FilterConfidence;

use super::{
    Reducer,
    snippets::{number, points},
};
use crate::emit::Emitter;

/// Maximum number of lines of a frame.
const MAX_LINES: usize = 16;
/// Maximum length in bytes of a line to hold.
const MAX_LINE_BYTES: usize = 4 << 10;

#[derive(Default)]
pub(crate) struct CodeFrames {
    held: Vec<String>,
    /// The line number of the previous line.
    last: Option<u32>,
    found: bool,
}

fn is_marked(line: &str) -> bool {
    line.trim_start().starts_with('>')
}

impl CodeFrames {
    fn end(&mut self, out: &mut Emitter<'_>) {
        self.last = None;
        let held = std::mem::take(&mut self.held);
        let is_frame = held.iter().filter(|line| is_marked(line)).count() == 1 && held.len() > 1;
        for line in &held {
            if is_frame && !is_marked(line) && number(line).is_some() {
                self.found = true;
                out.omit(line);
            } else {
                out.keep(line);
            }
        }
    }
}

impl Reducer for CodeFrames {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        // Before its bar a frame line has only a number, marks and blanks.
        let may_be = line.len() < MAX_LINE_BYTES && line.starts_with(|c: char| c.is_ascii_digit() || " >×".contains(c));
        let number = if may_be { number(line) } else { None };
        let goes_on = match (number, self.last) {
            (Some(number), Some(last)) => number == last + 1,
            (Some(_), None) => true,
            (None, last) => last.is_some() && points(line),
        };
        if !goes_on || self.held.len() >= MAX_LINES {
            self.end(out);
        }
        if number.is_none() && self.last.is_none() {
            return out.keep(line);
        }
        self.last = number.or(self.last);
        self.held.push(line.to_owned());
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.end(out);
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    #[test]
    fn of_a_frame_the_marked_line_stands() {
        let text = "console.warn\n  retrying valve\n    1 | const a = 1;\n    2 | const b = 2;\n  > 3 | warn(a, b, 'valve');\n\
                    \x20     |      ^\n    4 | done(a, b, 'valves');\n  in t.js\n7 | a\n8 | b\n9 | c\n";
        assert_eq!(
            FilterPipeline::builtin().filter("./run", Exit::Code(0), text.as_bytes()).text,
            "console.warn\n  retrying valve\n[… 2 lines]\n  > 3 | warn(a, b, 'valve');\n      |      ^\n[… 1]\n  in t.js\n7 | a\n8 | b\n9 | c\n"
        );
    }
}
