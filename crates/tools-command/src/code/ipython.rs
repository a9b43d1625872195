//! Signs in IPython code: lines that are not Python but commands for a shell or for IPython itself.

use super::python;
use super::text::{first, pattern, without_strings};

// `!line` and `x = !line` are shell lines; `%sx line` and `x = %sx line` call the magic of that
// name.
pattern!(
    LINES,
    r"(?m)!(?:[^=]|$)|(?:^|[=;:])\s*%+\w*|\b(?:get_ipython|run_line_magic|run_cell_magic|run_cell|getoutput)\b"
);

pub(super) fn sign(code: &str) -> Option<&str> {
    let is_line = LINES.is_match(&without_strings(code));
    first(&LINES, code).filter(|_| is_line).or_else(|| python::sign(code))
}
