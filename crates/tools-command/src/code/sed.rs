//! What the scripts of `sed` run, write and read.

use tools_core::Access;

use super::named_file::NamedFile;

/// Everything that a script does beyond its output.
pub(super) fn read(script: &str) -> Vec<NamedFile> {
    let text: Vec<char> = script.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            '/' => at = after_delimited(&text, at + 1, '/'),
            '\\' => {
                let delimiter = text.get(at + 1).copied().unwrap_or('/');
                at = after_delimited(&text, at + 2, delimiter);
            }
            'e' => {
                found.push(NamedFile::Sign("the command `e` of `sed`"));
                at += 1;
            }
            's' | 'y' => at = substitution(&text, at, &mut found),
            'w' | 'W' => at = file(&text, at + 1, Access::Write, &mut found),
            'r' | 'R' => at = file(&text, at + 1, Access::Read, &mut found),
            // Text and labels run to the end of the line.
            'a' | 'i' | 'c' | '#' | ':' | 'b' | 't' | 'T' | 'v' => {
                let is_label = matches!(text[at], 'b' | 't' | 'T' | ':');
                at = text[at..]
                    .iter()
                    .position(|c| *c == '\n' || (is_label && matches!(c, ';' | '}')))
                    .map_or(text.len(), |offset| at + offset);
            }
            // Numbers, negation and separators before a command, and commands that do no harm.
            _ => at += 1,
        }
    }
    found
}

/// Reads `s` and `y` from their position on; gives the next position.
fn substitution(text: &[char], start: usize, found: &mut Vec<NamedFile>) -> usize {
    let delimiter = text.get(start + 1).copied().unwrap_or('/');
    let mut at = after_delimited(text, start + 2, delimiter);
    at = after_delimited(text, at, delimiter);
    while text[start] == 's' && at < text.len() && text[at].is_ascii_alphanumeric() {
        match text[at] {
            'e' => found.push(NamedFile::Sign("the flag `e` of `sed`")),
            'w' => return file(text, at + 1, Access::Write, found),
            _ => {}
        }
        at += 1;
    }
    at
}

/// The name of a file runs to the end of the line.
fn file(text: &[char], from: usize, access: Access, found: &mut Vec<NamedFile>) -> usize {
    let end = text[from.min(text.len())..].iter().position(|c| *c == '\n').map_or(text.len(), |offset| from + offset);
    let name: String = text[from.min(end)..end].iter().collect();
    let name = name.trim();
    if !["/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/null", ""].contains(&name) {
        found.push(NamedFile::File { name: name.to_owned(), access, is_exact: true });
    }
    end
}

fn after_delimited(text: &[char], from: usize, delimiter: char) -> usize {
    let mut at = from;
    let mut in_class = false;
    while at < text.len() {
        match text[at] {
            '\\' => at += 1,
            '[' if !in_class => in_class = true,
            ']' if in_class => in_class = false,
            character if character == delimiter && !in_class => return at + 1,
            _ => {}
        }
        at += 1;
    }
    // An unbalanced class hides the delimiter: look again without classes.
    let mut at = from;
    while at < text.len() {
        match text[at] {
            '\\' => at += 1,
            character if character == delimiter => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
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
