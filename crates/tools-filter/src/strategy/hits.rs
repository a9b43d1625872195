//! `hits`: what a search found, `path:12:text`: a file with several hits is named once, above them,
//! as searching tools print it on a terminal, and a folder around its files. No hit is left out.

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

/// A longer line stays as it is.
const MAX_LINE: usize = 4 << 10;
/// More bytes, and more hits, are not held.
const MAX_HELD: (usize, usize) = (256 << 10, 1000);
/// Where naming a folder once saves less, it is named with each file.
const MIN_SAVED_BYTES: usize = 20;

#[derive(Default)]
struct Machine {
    held: Vec<Hit>,
    bytes: usize,
    found: bool,
}

/// A line `path:12:text`, and how long its path is.
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
}

/// How long the path is that a line begins with.
fn path_of(line: &str) -> Option<usize> {
    let (path, rest) = line.split_once(':').filter(|_| line.len() < MAX_LINE)?;
    let (row, _) = rest.split_once(':')?;
    let is_row = (1..=7).contains(&row.len()) && row.bytes().all(|byte| byte.is_ascii_digit());
    (is_row && is_name(path)).then_some(path.len())
}

/// How often a file is named for hits in it: once where its name can stand above them.
fn is_named_once(hits: &[Hit]) -> bool {
    // A hit that names a file would be taken for the name above those that follow.
    hits.len() > 1 && hits.iter().all(|hit| !names_source(hit.rest()))
}

/// The folder that the first of these files is named shortest in, and how many of them are in it.
fn best_folder<'a>(files: &[&'a [Hit]]) -> Option<(&'a str, usize)> {
    let first = files.first()?.first()?.path();
    let folders = first.match_indices('/').map(|(at, _)| &first[..=at]);
    let saved = |folder: &str| {
        let inside = || files.iter().take_while(|hits| hits.first().is_some_and(|hit| hit.path().starts_with(folder)));
        let named: usize = inside().map(|hits| if is_named_once(hits) { 1 } else { hits.len() }).sum();
        (folder.len() * named.saturating_sub(1), inside().count())
    };
    let (best, (saved, files)) = folders.map(|folder| (folder, saved(folder))).max_by_key(|(_, (saved, _))| *saved)?;
    (saved >= MIN_SAVED_BYTES && files > 1).then_some((best, files))
}

impl Machine {
    fn flush(&mut self, out: &mut Emitter<'_>) {
        self.bytes = 0;
        let held = std::mem::take(&mut self.held);
        let files: Vec<&[Hit]> = held.chunk_by(|a, b| a.path() == b.path()).collect();
        let mut rest = files.as_slice();
        while let Some(first) = rest.first() {
            let Some((folder, inside)) = best_folder(rest) else {
                self.file(first, 0, out);
                rest = &rest[1..];
                continue;
            };
            out.write(&format!("{folder}{{"));
            for hits in &rest[..inside] {
                self.file(hits, folder.len(), out);
            }
            out.write("}");
            rest = &rest[inside..];
        }
    }

    /// Shows the hits in a file, without the folder that stands above.
    fn file(&mut self, hits: &[Hit], folder: usize, out: &mut Emitter<'_>) {
        let Some(first) = hits.first() else { return };
        let is_once = is_named_once(hits);
        if !is_once && folder == 0 {
            return hits.iter().for_each(|hit| out.keep(&hit.line));
        }
        self.found = true;
        if is_once {
            out.write(&first.path()[folder..]);
        }
        for hit in hits {
            out.forget(&hit.line);
            out.write(if is_once { hit.rest() } else { &hit.line[folder..] });
        }
    }
}

impl Reducer for Machine {
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
            ("src/a.js:3:import \"b.js\"\nsrc/a.js:9:x()\n", "src/a.js:3:import \"b.js\"\nsrc/a.js:9:x()\n"),
            (
                "lib/parts/a.rs:3:x\nlib/parts/b.rs:1:x\nlib/parts/in/c.rs:7:x\nlib/parts/in/c.rs:9:x\nsrc/d.rs:1:x\n",
                "lib/parts/{\na.rs:3:x\nb.rs:1:x\nin/c.rs\n7:x\n9:x\n}\nsrc/d.rs:1:x\n",
            ),
            ("10:00:01 up\n10:00:02 up\n", "10:00:01 up\n10:00:02 up\n"),
        ];
        for (text, expected) in table {
            let filtered = FilterPipeline::builtin().filter("grep -rn x src", Exit::Code(0), text.as_bytes()).text;
            assert_eq!(filtered, expected);
        }
    }
}
