//! `hits`: what a search found, `path:12:text`: a file with several hits is named once, above them, as searching tools
//! print it on a terminal. No hit is left out.

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{
    Facts, Reducer, Strategy,
    findings::{is_name, names_source},
};
use crate::emit::Emitter;

/// Parameters of `hits`: none.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hits {}

impl Strategy for Hits {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        Box::<Machine>::default()
    }
}

/// Hits that are held; the file is named again above those behind them.
const MAX_HELD: usize = 1000;
/// A longer line stays as it is.
const MAX_LINE: usize = 4 << 10;

#[derive(Default)]
struct Machine {
    /// Hits in one file, as they came.
    held: Vec<String>,
    /// The length of its path.
    path: usize,
    found: bool,
}

/// The length of the path in `path:12:text`; `None` for every other line.
fn path(line: &str) -> Option<usize> {
    let (path, rest) = line.split_once(':')?;
    let (row, _) = rest.split_once(':')?;
    let is_row = (1..=7).contains(&row.len()) && row.bytes().all(|byte| byte.is_ascii_digit());
    (is_row && is_name(path)).then_some(path.len())
}

impl Machine {
    fn end(&mut self, out: &mut Emitter<'_>) {
        let held = std::mem::take(&mut self.held);
        // A hit that names a file would be taken for the name above those that follow.
        let can_be_told = held.iter().all(|line| !names_source(&line[self.path + 1..]));
        if held.len() < 2 || !can_be_told {
            return held.iter().for_each(|line| out.keep(line));
        }
        self.found = true;
        out.write(&held[0][..self.path]);
        for line in &held {
            out.forget(line);
            out.write(&line[self.path + 1..]);
        }
    }
}

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let Some(path) = path(line).filter(|_| line.len() < MAX_LINE) else {
            self.end(out);
            return out.keep(line);
        };
        let is_other = self.held.first().is_some_and(|first| first[..self.path] != line[..path]);
        if is_other || self.held.len() == MAX_HELD {
            self.end(out);
        }
        self.path = path;
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
    fn a_file_is_named_once_above_its_hits() {
        let table = [
            ("src/a.rs:3:use x;\nsrc/a.rs:9:x()\nsrc/b.rs:1:x\n", "src/a.rs\n3:use x;\n9:x()\nsrc/b.rs:1:x\n"),
            ("src/a.js:3:import \"b.js\"\nsrc/a.js:9:x()\n", "src/a.js:3:import \"b.js\"\nsrc/a.js:9:x()\n"),
            ("10:00:01 up\n10:00:02 up\n", "10:00:01 up\n10:00:02 up\n"),
        ];
        for (text, expected) in table {
            let filtered = FilterPipeline::builtin().filter("grep -rn x src", Exit::Code(0), text.as_bytes()).text;
            assert_eq!(filtered, expected);
        }
    }
}
