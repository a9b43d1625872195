//! Shortens findings in the format of shellcheck: a heading `In a.sh line 3:`, the source line,
//! findings, and a correction. The first source line stays; all other source lines and all
//! corrections are counted.

use tools_core::FilterConfidence;

use super::Reducer;
use crate::{emit::Emitter, signal::reports};

#[derive(Default)]
pub(crate) struct Sketches {
    state: State,
    is_after_first: bool,
    found: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    /// The source line follows.
    Named,
    /// Findings follow; whether the source line was left out.
    Findings(bool),
    /// The corrected line follows, up to a blank line.
    Correction,
}

/// `In a.sh line 3:`
fn names_row(line: &str) -> bool {
    let place = line.strip_prefix("In ").and_then(|rest| rest.strip_suffix(':'));
    let row = place.and_then(|place| place.rsplit_once(" line ")).map_or("", |(_, row)| row);
    !row.is_empty() && row.bytes().all(|byte| byte.is_ascii_digit())
}

impl Reducer for Sketches {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let is_blank = line.trim().is_empty();
        match self.state {
            _ if names_row(line) => self.state = State::Named,
            State::Named => {
                let is_hidden = self.is_after_first && !reports(line);
                self.state = State::Findings(is_hidden);
                if is_hidden {
                    return out.omit(line);
                }
            }
            State::Findings(is_hidden) if line.trim_start().starts_with('^') => {
                (self.is_after_first, self.found) = (true, true);
                // Without its source line a mark points to nothing.
                if is_hidden && line.starts_with(' ') {
                    out.fold(line);
                    return out.write(line.trim_start());
                }
            }
            State::Findings(_) if line.trim() == "Did you mean:" => {
                (self.state, self.found) = (State::Correction, true);
                return out.omit(line);
            }
            State::Correction if !is_blank => return out.noise(line),
            State::Findings(_) if is_blank => {}
            _ => self.state = State::Outside,
        }
        out.keep(line);
    }

    fn finish(&mut self, _: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    #[test]
    fn source_and_its_correction_are_counted() {
        let sketch = |row: u32| {
            format!(
                "In a.sh line {row}:\n  rm -rf $DEST/releases/old\n         ^---^ SC2086 (info): Double quote {row}.\n\nDid you mean:\n  rm -rf \"$DEST\"\n\n"
            )
        };
        let filter = |text: &str| FilterPipeline::builtin().filter("./lint.sh", Exit::Code(1), text.as_bytes()).text;
        assert_eq!(
            filter(&[sketch(3), sketch(7)].concat()),
            "In a.sh line 3:\n  rm -rf $DEST/releases/old\n         ^---^ SC2086 (info): Double quote 3.\n\n[… 2 lines]\n\n\
             In a.sh line 7:\n[… 1]\n^---^ SC2086 (info): Double quote 7.\n\n[… 2]\n"
        );
    }
}
