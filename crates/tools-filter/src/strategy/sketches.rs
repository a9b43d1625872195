//! A line of source with findings below it and its correction below these, as shellcheck prints
//! them: `In a.sh line 3:` names the line. Of the first the source stands; of others it is counted,
//! and so is every correction.

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
    /// The line of source follows.
    Named,
    /// Findings follow; whether the line of source was counted.
    Findings(bool),
    /// The line as it might be follows, up to a blank one.
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
                // Where its source is not shown, a mark points nowhere.
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
