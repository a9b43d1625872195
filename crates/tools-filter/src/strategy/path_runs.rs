//! Joins consecutive paths in the same folder, and tests in the same file
//! (`tests/test_a.py::test_b`): the common beginning once, then the names. Order and all names are
//! kept.

use super::{
    beginnings::{LineJoiner, LinePrefix},
    findings::is_name,
};
use crate::{emit::Emitter, signal::reports};

/// Minimum number of paths in a folder to join.
const MIN_PATHS: usize = 3;
/// Approximate length of a line of names.
const WIDTH: usize = 160;

/// Joins paths in the same folder.
pub(crate) type PathRuns = LineJoiner<Paths>;

/// Which words count as a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paths {
    /// Every word with a slash: the output is a list of files.
    Any,
    /// Only absolute paths.
    Absolute,
}

impl LinePrefix for Paths {
    fn beginning(&self, line: &str) -> Option<usize> {
        if let Some((file, name)) = line.split_once("::").filter(|_| line.len() < 1000) {
            let is_test = is_name(file) && file.contains('.') && !name.is_empty() && !name.contains(' ');
            return is_test.then_some(file.len() + 2);
        }
        let is_word =
            line.bytes().all(|byte| byte >= 0x80 || byte.is_ascii_alphanumeric() || b"._-/@+~%=".contains(&byte));
        if !is_word || line.len() > 1000 || (*self == Self::Absolute && !line.starts_with('/')) || reports(line) {
            return None;
        }
        let name = line.trim_end_matches('/').rfind('/')? + 1;
        (name > 1).then_some(name)
    }

    fn joined(&self, lines: &[String], folder: usize, out: &mut Emitter<'_>) -> bool {
        if lines.len() < MIN_PATHS {
            return false;
        }
        for line in lines {
            out.forget(line);
        }
        let mut text = format!("{} :", &lines[0][..folder]);
        for name in lines.iter().map(|line| &line[folder..]) {
            if text.len() + name.len() > WIDTH && text.len() > 1 && !text.ends_with(':') {
                out.write(&text);
                " ".clone_into(&mut text);
            }
            text.push_str("  ");
            text.push_str(name);
        }
        out.write(&text);
        true
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
            (
                "pytest --collect-only",
                "a_t.py::one\na_t.py::two[1-x]\na_t.py::B::c\n",
                "a_t.py:: :  one  two[1-x]  B::c\n",
            ),
            ("./list.sh", "/w/a b\n/w/a c\n/w/a d\n", "/w/a b\n/w/a c\n/w/a d\n"),
        ];
        for (command, text, expected) in table {
            let filtered = FilterPipeline::builtin().filter(command, Exit::Code(0), text.as_bytes()).text;
            assert_eq!(filtered, expected, "{command}");
        }
    }
}
