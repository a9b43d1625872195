//! Shortens compiler notes about places in libraries below an error elsewhere: candidates,
//! instantiations and include chains. The first two notes of each error stay; the others and the
//! source below any note are counted. Errors, warnings and notes about the user's own files always
//! stay.

use std::sync::LazyLock;

use regex::Regex;
use tools_core::FilterConfidence;

use super::Reducer;
use crate::{emit::Emitter, lines::regex};

/// `/usr/include/c++/12/ostream:108:7: note: candidate: …`.
static REMARK: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"^\S*(?:/usr/(?:local/)?(?:include|lib)/|/lib/gcc/|/(?:site|dist)-packages/|/node_modules/|/\.cargo/registry/|",
        r"/rustlib/|/go/pkg/mod/|/typeshed/|\.sdk/)\S*?[:(]\d+(?:[:,]\d+)?\)?: *(?:note: |  ?required (?:from|by) |- note: )",
    ))
});
/// `In file included from /usr/include/c++/12/iostream:39,` and its continuation lines.
static INCLUDED: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^(?:In file included|                ) from \S+:\d+(?::\d+)?[,:]$"));
/// A line of source, or marks under one.
static SOURCE: LazyLock<Regex> = LazyLock::new(|| regex(r"^ *\d* \| "));
/// Number of notes shown below an error.
const SHOWN_REMARKS: usize = 2;
/// Maximum length in bytes of a note.
const MAX_LINE_BYTES: usize = 16 << 10;

#[derive(Default)]
pub(crate) struct LibraryNotes {
    /// Whether the previous line was a note, or source under one.
    is_inside: bool,
    /// Number of notes since the last error or warning.
    remarks: usize,
    /// The include chain, which is dropped when a note follows.
    included: Vec<String>,
    found: bool,
}

impl LibraryNotes {
    fn show_included(&mut self, out: &mut Emitter<'_>) {
        self.included.drain(..).for_each(|line| out.keep(&line));
    }
}

impl Reducer for LibraryNotes {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let may_be = line.len() < MAX_LINE_BYTES;
        if may_be && line.starts_with(['I', ' ']) && INCLUDED.is_match(line) {
            self.is_inside = false;
            return self.included.push(line.to_owned());
        }
        // The line begins with a file name.
        let is_named = || line.split([' ', '\t']).next().is_some_and(|word| word.contains('/'));
        let is_remark = may_be && is_named() && REMARK.is_match(line);
        if is_remark || (self.is_inside && may_be && SOURCE.is_match(line)) {
            self.included.drain(..).for_each(|line| out.omit(&line));
            (self.is_inside, self.found) = (true, true);
            self.remarks += usize::from(is_remark);
            return if is_remark && self.remarks <= SHOWN_REMARKS { out.keep(line) } else { out.omit(line) };
        }
        self.is_inside = false;
        if self.remarks > 0 && (line.contains("error: ") || line.contains("warning: ")) {
            self.remarks = 0;
        }
        self.show_included(out);
        out.keep(line);
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.show_included(out);
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    #[test]
    fn remarks_about_libraries_are_counted() {
        let head = "t.cpp:16:42: error: no match for ‘operator<<’\n";
        let remarks = "In file included from /usr/include/c++/12/iostream:39,\n                 from t.cpp:6:\n\
            /usr/include/c++/12/ostream:108:7: note: candidate: ‘operator<<(int)’\n  108 |       operator<<(int x)\n      |       ^~~~\n\
            /usr/include/c++/12/ostream:108:36: note:   no known conversion for argument 1\n\
            /usr/include/c++/12/ostream:117:7: note: candidate: ‘operator<<(char)’\n";
        let own = "t.cpp:9:5: note: candidate: ‘add(T)’\n";
        let wrong = "/usr/include/c++/12/bits/a.h:45:23: error: no match for ‘operator<’\n";
        let filter = |text: &str| FilterPipeline::builtin().filter("./build.sh", Exit::Code(1), text.as_bytes()).text;
        let first = "/usr/include/c++/12/ostream:108:7: note: candidate: ‘operator<<(int)’\n";
        let second = "/usr/include/c++/12/ostream:108:36: note:   no known conversion for argument 1\n";
        assert_eq!(
            filter(&[head, remarks, own, wrong].concat()),
            [head, first, second, own, wrong, "[… 5 lines]\n"].concat()
        );
    }
}
