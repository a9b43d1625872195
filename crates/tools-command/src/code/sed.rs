//! Commands and files in `sed` scripts. Implementations differ in where a regular expression, a
//! label or a text ends. A script is therefore read in every way, and the findings of all readings
//! count.

use std::collections::BTreeSet;

use tools_core::Access;

use super::delimited::{end, regex_ends};
use super::named_file::NamedFile;

/// Everything that a script does besides its output.
pub(super) fn read(script: &str) -> Vec<NamedFile> {
    let text: Vec<char> = script.chars().collect();
    let mut found = Vec::new();
    // Positions where a command may begin.
    let mut starts = BTreeSet::from([0]);
    while let Some(at) = starts.pop_first() {
        if at >= text.len() {
            return found;
        }
        starts.extend(command(&text, at, &mut found));
    }
    found.push(NamedFile::Sign("a script of `sed` that cannot be read"));
    found
}

/// Reads the command at a position. Returns the positions at which the next command may begin;
/// empty if the script is invalid.
fn command(text: &[char], at: usize, found: &mut Vec<NamedFile>) -> BTreeSet<usize> {
    let next = at + 1;
    match text[at] {
        '/' => regex_ends(text, next, '/'),
        '\\' => text.get(next).map(|delimiter| regex_ends(text, next + 1, *delimiter)).unwrap_or_default(),
        's' | 'y' => {
            let Some(delimiter) = text.get(next) else { return BTreeSet::new() };
            let firsts = if text[at] == 's' {
                regex_ends(text, next + 1, *delimiter)
            } else {
                end(text, next + 1, *delimiter).into_iter().collect()
            };
            let seconds: BTreeSet<usize> =
                firsts.into_iter().filter_map(|first| end(text, first, *delimiter)).collect();
            seconds.into_iter().filter_map(|second| flags(text, second, text[at] == 's', found)).collect()
        }
        'e' => {
            found.push(NamedFile::Sign("the command `e` of `sed`"));
            BTreeSet::from([line_end(text, next)])
        }
        'w' | 'W' => BTreeSet::from([file(text, next, Access::Write, found)]),
        'r' | 'R' => BTreeSet::from([file(text, next, Access::Read, found)]),
        '#' => BTreeSet::from([line_end(text, next)]),
        'a' | 'i' | 'c' => text_ends(text, next),
        ':' | 'b' | 't' | 'T' | 'v' => label_ends(text, next),
        // Addresses, separators, groups, and commands without a relevant argument.
        letter if letter.is_whitespace() || letter.is_ascii_digit() => BTreeSet::from([next]),
        ',' | '+' | '~' | '!' | '$' | ';' | '{' | '}' | 'I' | 'M' | '=' | 'd' | 'D' | 'F' | 'g' | 'G' | 'h' | 'H'
        | 'l' | 'L' | 'n' | 'N' | 'p' | 'P' | 'q' | 'Q' | 'x' | 'z' => BTreeSet::from([next]),
        _ => BTreeSet::new(),
    }
}

/// Reads the flags of `s` (`is_substitution`) or `y`. Returns where the next command may begin.
fn flags(text: &[char], from: usize, is_substitution: bool, found: &mut Vec<NamedFile>) -> Option<usize> {
    let is_flag = |letter: &char| letter.is_ascii_digit() || "gpiImMe".contains(*letter);
    let count = text[from..].iter().take_while(|letter| is_substitution && is_flag(letter)).count();
    let at = from + count;
    let names_file = is_substitution && text.get(at) == Some(&'w');
    if !names_file && !text.get(at).is_none_or(|next| next.is_whitespace() || matches!(next, ';' | '}' | '#')) {
        return None;
    }
    if text[from..at].contains(&'e') {
        found.push(NamedFile::Sign("the flag `e` of `sed`"));
    }
    Some(if names_file { file(text, at + 1, Access::Write, found) } else { at })
}

/// Reads a file name, which extends to the end of the line.
fn file(text: &[char], from: usize, access: Access, found: &mut Vec<NamedFile>) -> usize {
    let end = line_end(text, from);
    let name: String = text[from..end].iter().collect();
    let name = name.trim();
    if !["/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/null", ""].contains(&name) {
        found.push(NamedFile::File { name: name.to_owned(), access, is_exact: true });
    }
    end
}

fn line_end(text: &[char], from: usize) -> usize {
    text[from..].iter().position(|letter| *letter == '\n').map_or(text.len(), |offset| from + offset)
}

/// The possible ends of the text of `a`, `i` and `c`: the first line without a backslash at its
/// end. The text may begin after a backslash and blanks that end a line.
fn text_ends(text: &[char], from: usize) -> BTreeSet<usize> {
    let is_blank = |letter: &char| matches!(letter, ' ' | '\t' | '\\');
    let at = from + text[from..].iter().take_while(|letter| is_blank(letter)).count();
    let next_line = (text.get(at) == Some(&'\n')).then_some(at + 1);
    let begins = next_line.into_iter().chain([from]);
    begins.map(|begin| end(text, begin, '\n').unwrap_or(text.len())).collect()
}

/// The possible ends of a label: its line, a blank, a semicolon or a brace.
fn label_ends(text: &[char], from: usize) -> BTreeSet<usize> {
    let line = &text[from..line_end(text, from)];
    let name = line.iter().position(|letter| !letter.is_whitespace()).unwrap_or(line.len());
    let first = |is_end: fn(&char) -> bool| line[name..].iter().position(is_end);
    let ends = [first(|letter| letter.is_whitespace()), first(|letter| *letter == ';'), first(|letter| *letter == '}')];
    ends.into_iter().flatten().map(|offset| from + name + offset).chain([from + line.len()]).collect()
}

#[cfg(test)]
mod tests {
    use super::{Access, NamedFile, read};

    #[test]
    fn files_are_named() {
        let table = [
            ("s/a/b/w .envrc", ".envrc", Access::Write),
            ("w x", "x", Access::Write),
            ("/a/W y", "y", Access::Write),
            ("$r footer.txt", "footer.txt", Access::Read),
        ];
        for (script, name, access) in table {
            assert_eq!(read(script), [NamedFile::File { name: name.to_owned(), access, is_exact: true }], "{script}");
        }
    }
}
