//! Paths in sequence, one a line, in the same folder: the folder is named once, with the names in it. The order stays, and
//! no name is left out.

use tools_core::FilterConfidence;

use super::Reducer;
use crate::{emit::Emitter, signal::reports};

/// Fewer paths in a folder are left as they are.
const FEW: usize = 3;
/// Names are written in lines of about this length.
const WIDTH: usize = 160;
/// Paths of one folder that are held; the folder is named again for those behind them.
const MAX_HELD: usize = 1000;

pub(crate) struct PathRuns {
    of: Paths,
    held: Vec<String>,
    /// Where in these the name begins.
    name: usize,
    found: bool,
}

/// What is taken for a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paths {
    /// Every word with a slash: the output is a list of files.
    Any,
    /// What begins at the root.
    Absolute,
}

impl PathRuns {
    pub(crate) fn new(of: Paths) -> Self {
        Self { of, held: Vec::new(), name: 0, found: false }
    }

    /// Where the name in a path begins; `None` for every other line.
    fn name(&self, line: &str) -> Option<usize> {
        let is_word =
            line.bytes().all(|byte| byte >= 0x80 || byte.is_ascii_alphanumeric() || b"._-/@+~%=".contains(&byte));
        if !is_word || line.len() > 1000 || (self.of == Paths::Absolute && !line.starts_with('/')) || reports(line) {
            return None;
        }
        let name = line.trim_end_matches('/').rfind('/')? + 1;
        (name > 1).then_some(name)
    }

    fn end(&mut self, out: &mut Emitter<'_>) {
        let held = std::mem::take(&mut self.held);
        if held.len() < FEW {
            return held.iter().for_each(|line| out.keep(line));
        }
        self.found = true;
        for line in &held {
            out.forget(line);
        }
        let mut text = format!("{} :", &held[0][..self.name]);
        for name in held.iter().map(|line| &line[self.name..]) {
            if text.len() + name.len() > WIDTH && text.len() > 1 && !text.ends_with(':') {
                out.write(&text);
                " ".clone_into(&mut text);
            }
            text.push_str("  ");
            text.push_str(name);
        }
        out.write(&text);
    }
}

impl Reducer for PathRuns {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let Some(name) = self.name(line) else {
            self.end(out);
            return out.keep(line);
        };
        let is_other = self.held.first().is_some_and(|first| first[..self.name] != line[..name]);
        if is_other || self.held.len() == MAX_HELD {
            self.end(out);
        }
        self.name = name;
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
    fn a_folder_is_named_once() {
        let table = [
            (
                "find /w -type f",
                "/w/a/x.py\n/w/a/y.py\n/w/a/z.py\n/w/b/x.py\n",
                "/w/a/ :  x.py  y.py  z.py\n/w/b/x.py\n",
            ),
            ("./list.sh", "files:\n/w/a/x.py\n/w/a/y/\n/w/a/z.py\n", "files:\n/w/a/ :  x.py  y/  z.py\n"),
            ("./list.sh", "a/x.py\na/y.py\na/z.py\n", "a/x.py\na/y.py\na/z.py\n"),
            ("./list.sh", "/w/a b\n/w/a c\n/w/a d\n", "/w/a b\n/w/a c\n/w/a d\n"),
        ];
        for (command, text, expected) in table {
            let filtered = FilterPipeline::builtin().filter(command, Exit::Code(0), text.as_bytes()).text;
            assert_eq!(filtered, expected, "{command}");
        }
    }
}
