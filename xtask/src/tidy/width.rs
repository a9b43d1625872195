//! Text wraps at 100 columns: paragraphs of Markdown, and comments. A line that cannot be broken (a
//! table, a link, a piece of code) may be longer.

use super::{links::is_page, rust_text::RustFile};
use crate::repository::{self, File};

/// Maximum number of columns, in characters.
const MAX_COLUMNS: usize = 100;

pub(crate) fn check(files: &[File], rust: &[RustFile]) -> Vec<String> {
    // Generated pages are not checked.
    let is_written = |file: &&File| {
        is_page(&file.path) && !file.path.starts_with("docs/reference/") && !file.path.contains("/tests/")
    };
    let pages = files.iter().filter(is_written).flat_map(|file| {
        let lines = (1..).zip(file.text.lines().map(|line| (line, line)));
        long(&file.path, lines)
    });
    let comments = rust.iter().filter(|file| repository::is_rust(&file.path)).flat_map(|file| {
        let mut start = 0;
        let lines = (1..).zip(file.text.split_inclusive('\n')).filter_map(|(number, line)| {
            let here = start;
            start += line.len();
            let quoted = file.strings.iter().any(|string| string.contains(&here));
            let words = line.trim().strip_prefix("//").filter(|_| !quoted)?;
            Some((number, (line.trim_end(), words.trim_start_matches(['/', '!']).trim())))
        });
        long(&file.path, lines)
    });
    pages.chain(comments).collect()
}

/// The lines that are too long and could be broken; each with its words.
fn long<'a>(path: &str, lines: impl Iterator<Item = (usize, (&'a str, &'a str))>) -> Vec<String> {
    let mut is_code = false;
    let mut found = Vec::new();
    for (number, (line, words)) in lines {
        is_code ^= words.trim_start().starts_with("```");
        if !is_code && line.chars().count() > MAX_COLUMNS && can_break(line, words) {
            found.push(format!("{path}:{number}: longer than {MAX_COLUMNS} columns"));
        }
    }
    found
}

/// Whether the line could end earlier: after a word that is not its first, outside of inline code.
fn can_break(line: &str, words: &str) -> bool {
    if words.trim_start().starts_with(['|', '#', '<', '[']) || words.starts_with("    ") {
        return false;
    }
    let indent = line.chars().count() - words.trim_start().chars().count();
    let mut in_code = false;
    let mut breaks = 0;
    for character in line.chars().take(MAX_COLUMNS + 1).skip(indent) {
        in_code ^= character == '`';
        breaks += usize::from(character == ' ' && !in_code);
    }
    // The marker of a list and its first word belong together.
    breaks > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        let file = File { path: path.to_owned(), text: text.to_owned() };
        let rust = repository::is_rust(path).then(|| RustFile::new(path, text));
        check(&[file], rust.as_slice()).len()
    }

    #[test]
    fn only_what_could_be_broken_is_found() {
        let words = "word ".repeat(21);
        let table = format!("| {words} |\n```\n{words}\n```\n");
        assert_eq!(found("docs/a.md", &format!("{words}\n- {words}\n{table}")), 2);
        assert_eq!(found("docs/a.md", &format!("[{0}]({0})\n- `{words}`\n", "x".repeat(60))), 0);
        assert_eq!(found("docs/reference/a.md", &words), 0);
        let rust = format!("/// {words}\nfn a() {{ \"\n// {words}\" }} // {words}\n// `{words}`\n");
        assert_eq!(found("crates/a/src/a.rs", &rust), 1);
    }
}
