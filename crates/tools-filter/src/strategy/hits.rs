//! `hits`: what a search found, `path:12:text`: a file with several hits is named once, above them,
//! as searching tools print it on a terminal. No hit is left out.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Facts, Reducer, Strategy,
    beginnings::{LineJoiner, LinePrefix},
    findings::{is_name, names_source},
};
use crate::emit::Emitter;

/// Parameters of `hits`: none.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hits {}

impl Strategy for Hits {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        Box::new(LineJoiner::new(PathPrefix))
    }
}

/// A longer line stays as it is.
const MAX_LINE: usize = 4 << 10;

/// `path:12:text`.
struct PathPrefix;

impl LinePrefix for PathPrefix {
    fn beginning(&self, line: &str) -> Option<usize> {
        let (path, rest) = line.split_once(':').filter(|_| line.len() < MAX_LINE)?;
        let (row, _) = rest.split_once(':')?;
        let is_row = (1..=7).contains(&row.len()) && row.bytes().all(|byte| byte.is_ascii_digit());
        (is_row && is_name(path)).then_some(path.len())
    }

    fn joined(&self, lines: &[String], path: usize, out: &mut Emitter<'_>) -> bool {
        // A hit that names a file would be taken for the name above those that follow.
        let can_be_told = lines.iter().all(|line| !names_source(&line[path + 1..]));
        if lines.len() < 2 || !can_be_told {
            return false;
        }
        out.write(&lines[0][..path]);
        for line in lines {
            out.forget(line);
            out.write(&line[path + 1..]);
        }
        true
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
