//! `hits`: shortens search hits (`path:12:text`): a file with several hits is named once above
//! them, as search tools do on a terminal. Consecutive hits of a file with the same text share a
//! line. No hit is left out.

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
        Box::<HitLines>::default()
    }
}

/// Maximum length in bytes of a line to shorten.
const MAX_LINE: usize = 4 << 10;
/// Maximum bytes and maximum number of hits held.
const MAX_HELD: (usize, usize) = (256 << 10, 1000);

#[derive(Default)]
pub(crate) struct HitLines {
    held: Vec<Hit>,
    bytes: usize,
    found: bool,
}

/// A line `path:12:text`, and the length of its path.
struct Hit {
    line: String,
    path: usize,
}

impl Hit {
    fn path(&self) -> &str {
        &self.line[..self.path]
    }

    /// `12:text`.
    fn rest(&self) -> &str {
        &self.line[self.path + 1..]
    }

    /// `12`, `text`.
    fn parts(&self) -> (&str, &str) {
        self.rest().split_once(':').unwrap_or((self.rest(), ""))
    }
}

/// The lines for the hits of a file; consecutive hits with the same text share one: `2,5,8:text`.
fn rows(hits: &[Hit]) -> impl Iterator<Item = String> {
    hits.chunk_by(|a, b| a.parts().1 == b.parts().1).map(|same| {
        let rows: Vec<&str> = same.iter().map(|hit| hit.parts().0).collect();
        format!("{}:{}", rows.join(","), same.first().map_or("", |hit| hit.parts().1))
    })
}

/// The length of the path at the beginning of a line.
fn path_of(line: &str) -> Option<usize> {
    let (path, rest) = line.split_once(':').filter(|_| line.len() < MAX_LINE)?;
    let (row, _) = rest.split_once(':')?;
    let is_row = (1..=7).contains(&row.len()) && row.bytes().all(|byte| byte.is_ascii_digit());
    (is_row && is_name(path)).then_some(path.len())
}

impl HitLines {
    fn flush(&mut self, out: &mut Emitter<'_>) {
        self.bytes = 0;
        let held = std::mem::take(&mut self.held);
        held.chunk_by(|a, b| a.path() == b.path()).for_each(|hits| self.file(hits, out));
    }

    /// Writes the hits of a file.
    fn file(&mut self, hits: &[Hit], out: &mut Emitter<'_>) {
        let Some(path) = hits.first().map(Hit::path) else { return };
        let rows: Vec<String> = rows(hits).collect();
        // The path stays with its hits if it could be mistaken for text, or if the text of a hit
        // names a file and would look like a heading.
        let is_above = rows.len() > 1 && names_source(path) && !hits.iter().any(|hit| names_source(hit.rest()));
        if !is_above && rows.len() == hits.len() {
            return hits.iter().for_each(|hit| out.keep(&hit.line));
        }
        self.found = true;
        for hit in hits {
            out.forget(&hit.line);
        }
        if is_above {
            out.write(path);
        }
        for row in rows {
            out.write(&if is_above { row } else { format!("{path}:{row}") });
        }
    }
}

impl Reducer for HitLines {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let Some(path) = path_of(line) else {
            self.flush(out);
            return out.keep(line);
        };
        self.bytes += line.len();
        self.held.push(Hit { line: line.to_owned(), path });
        if self.bytes > MAX_HELD.0 || self.held.len() == MAX_HELD.1 {
            self.flush(out);
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.flush(out);
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
            ("src/a.rs:3:x\nsrc/a.rs:7:x\nsrc/a.rs:9:y\nsrc/a.rs:11:x\n", "src/a.rs\n3,7:x\n9:y\n11:x\n"),
            ("src/a.js:3:import \"b.js\"\nsrc/a.js:9:x()\n", "src/a.js:3:import \"b.js\"\nsrc/a.js:9:x()\n"),
            ("src/a.js:3:import \"b.js\"\nsrc/a.js:9:import \"b.js\"\n", "src/a.js:3,9:import \"b.js\"\n"),
            ("a/w.feature:3:x\na/w.feature:9:y\n", "a/w.feature:3:x\na/w.feature:9:y\n"),
            ("10:00:01 up\n10:00:02 up\n", "10:00:01 up\n10:00:02 up\n"),
        ];
        for (text, expected) in table {
            let filtered = FilterPipeline::builtin().filter("grep -rn x src", Exit::Code(0), text.as_bytes()).text;
            assert_eq!(filtered, expected);
        }
    }
}
