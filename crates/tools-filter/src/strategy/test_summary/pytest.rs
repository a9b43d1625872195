//! pytest and unittest: failures with their source, output of tests, warnings and the short
//! summary.

use super::{
    ruler::shorten,
    run::{Machine, Part},
};
use crate::{
    emit::Emitter,
    strategy::clip::Clip,
    table::{HINT, LIBRARY_PLACE, NOISE, SAYS, SOURCE},
};

impl Machine {
    /// Processes a line of a failure or of the warnings.
    pub(super) fn python_line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let is_failure = !matches!(self.part, Part::Warnings);
        if is_failure && line.starts_with("---") && line.contains(" Captured ") {
            self.leave(out);
            let (head, tail) = self.room();
            self.part = Part::PythonCaptured(Clip::new(head, tail));
            return shorten(line, out);
        }
        match &mut self.part {
            Part::PythonCaptured(clip) => clip.line(line, out),
            Part::Python(under_heading) => {
                let under_heading = *under_heading;
                self.failure_line(line, under_heading, out);
            }
            _ if SOURCE.is_match(line) => out.fold(line),
            _ if line.starts_with("    ") => out.noise(line),
            _ => self.run_line(line, out),
        }
    }

    fn failure_line(&mut self, line: &str, under_heading: bool, out: &mut Emitter<'_>) {
        self.in_library &= line.is_empty() || line.starts_with(' ');
        if LIBRARY_PLACE.is_match(line) {
            out.omit(line);
            (self.source, self.in_library) = (None, true);
        } else if self.in_library && line.starts_with("    ") {
            // The source of that frame.
            out.omit(line);
        } else if line.is_empty() || line.trim_end() == "E" || HINT.is_match(line) {
            out.fold(line);
        } else if SAYS.is_match(line) {
            if line.starts_with('E') {
                self.said.add(line);
                if let Some(source) = self.source.take() {
                    out.write(&format!("    {}", source.trim()));
                }
            } else if line.starts_with('>') {
                self.source = None;
            }
            narrow(line, out);
        } else if SOURCE.is_match(line) && !under_heading {
            // Its words are source code, not a report. The failing statement is the last line.
            out.fold(line);
            self.source = Some(line.to_owned());
        } else if line.starts_with("    ") && !under_heading {
            out.noise(line);
            self.source = None;
        } else if NOISE.is_match(line) || is_argument(line) {
            out.noise(line);
        } else {
            self.part = Part::Python(line.starts_with(' ') || is_value_heading(line));
            out.keep(line);
        }
    }
}

/// Keeps a line of a Python failure without the indentation behind its mark.
fn narrow(line: &str, out: &mut Emitter<'_>) {
    let text = line.trim_end();
    let mark = text.chars().next().filter(|mark| matches!(mark, '>' | 'E') && text[1..].starts_with("  "));
    match mark {
        Some(mark) => {
            out.fold(line);
            out.write(&format!("{mark} {}", text[1..].trim_start()));
        }
        None if text.len() < line.len() => {
            out.fold(line);
            out.write(text);
        }
        None => shorten(line, out),
    }
}

/// Whether a line is a heading of a doctest, whose values are indented below it.
fn is_value_heading(line: &str) -> bool {
    matches!(line.trim_end(), "Expected:" | "Got:" | "Exception raised:") || line.starts_with("Differences (")
}

/// Whether a line has the arguments of a Python test: `inv = <app.core.Inventory object at 0x…>, n
/// = 4`.
fn is_argument(line: &str) -> bool {
    line.split_once(" = ").is_some_and(|(name, _)| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
}
