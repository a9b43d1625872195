//! Signs in AWK, and the files that it writes and reads: read by its words, so that a bar in a
//! string is no pipe.

use tools_core::Access;

use super::named_file::NamedFile;

/// A word of the language.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Name(String),
    Text(String),
    Regex,
    Number,
    Mark(char),
    /// The end of a line or a statement.
    End,
}

/// What the code runs and which files it names.
pub(super) fn read(code: &str) -> Vec<NamedFile> {
    let Some(tokens) = tokens(code) else { return vec![NamedFile::Sign("a string without an end")] };
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Name(name) if name == "system" => found.push(NamedFile::Sign("system(")),
            Token::Name(name) if name == "getline" => read_file(&tokens[at + 1..], &mut found),
            Token::Name(name) if name == "print" || name == "printf" => written(&tokens[at + 1..], &mut found),
            Token::Mark('@') => found.push(NamedFile::Sign("@")),
            Token::Mark('|') => found.push(NamedFile::Sign("a pipe")),
            Token::Text(text) if text.starts_with("/inet") => found.push(NamedFile::Sign("/inet")),
            Token::Name(name) if matches!(name.as_str(), "ARGV" | "ARGC") && assigns(&tokens[at + 1..]) => {
                found.push(NamedFile::Sign("ARGV"));
            }
            _ => {}
        }
    }
    found
}

/// Whether what follows a name is `[…] =`.
fn assigns(rest: &[Token]) -> bool {
    let close = rest.iter().position(|token| *token == Token::Mark(']')).map_or(0, |at| at + 1);
    rest.get(close) == Some(&Token::Mark('=')) && rest.get(close + 1) != Some(&Token::Mark('='))
}

/// The file that `getline` reads.
fn read_file(rest: &[Token], found: &mut Vec<NamedFile>) {
    let end = rest.iter().position(|token| matches!(token, Token::End | Token::Mark(')' | '{' | '}' | ';')));
    let rest = &rest[..end.unwrap_or(rest.len())];
    let Some(at) = rest.iter().position(|token| *token == Token::Mark('<')) else { return };
    found.push(match rest.get(at + 1) {
        Some(Token::Text(name)) => NamedFile::File { name: name.clone(), access: Access::Read, is_exact: true },
        _ => NamedFile::Sign("getline from a file that only it knows"),
    });
}

/// The file that `print` and `printf` write.
fn written(rest: &[Token], found: &mut Vec<NamedFile>) {
    let mut depth = 0;
    for (at, token) in rest.iter().enumerate() {
        match token {
            Token::Mark('(' | '[') => depth += 1,
            Token::Mark(')' | ']') => depth -= 1,
            Token::End | Token::Mark('}' | ';') if depth <= 0 => return,
            Token::Mark('>') if depth == 0 => {
                let target = &rest[at + 1..];
                let target = target.strip_prefix(&[Token::Mark('>')]).unwrap_or(target);
                let end = target.iter().position(|token| matches!(token, Token::End | Token::Mark('}' | ';')));
                return found.extend(file(&target[..end.unwrap_or(target.len())]));
            }
            _ => {}
        }
    }
}

fn file(target: &[Token]) -> Option<NamedFile> {
    match target {
        [Token::Text(name)]
            if ["/dev/stdout", "/dev/stderr", "/dev/null", "/dev/tty", "-"].contains(&name.as_str()) =>
        {
            None
        }
        [Token::Text(name)] => Some(NamedFile::File { name: name.clone(), access: Access::Write, is_exact: true }),
        _ => Some(NamedFile::File { name: "$file".to_owned(), access: Access::Write, is_exact: false }),
    }
}

/// The words of a program; `None` where a string has no end.
fn tokens(code: &str) -> Option<Vec<Token>> {
    let mut found: Vec<Token> = Vec::new();
    let mut letters = code.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.next_if_eq(&'\n').is_some() => {}
            '\n' | ';' => found.push(Token::End),
            _ if letter.is_whitespace() => {}
            '#' => while letters.next_if(|next| *next != '\n').is_some() {},
            '"' => found.push(Token::Text(quoted(&mut letters, '"')?)),
            '/' if begins_regex(found.last()) => {
                quoted(&mut letters, '/')?;
                found.push(Token::Regex);
            }
            // Two bars are an `or`.
            '|' if letters.next_if_eq(&'|').is_some() => found.push(Token::Mark('o')),
            '>' if letters.next_if_eq(&'=').is_some() => found.push(Token::Mark('g')),
            _ if letter.is_ascii_digit() => {
                while letters.next_if(|next| next.is_ascii_alphanumeric() || *next == '.').is_some() {}
                found.push(Token::Number);
            }
            _ if letter.is_alphabetic() || letter == '_' => {
                let mut name = letter.to_string();
                while let Some(next) = letters.next_if(|next| next.is_alphanumeric() || matches!(next, '_' | ':')) {
                    name.push(next);
                }
                found.push(Token::Name(name));
            }
            _ => found.push(Token::Mark(letter)),
        }
    }
    Some(found)
}

/// What stands up to the next such letter that is not escaped.
fn quoted(letters: &mut std::iter::Peekable<std::str::Chars<'_>>, end: char) -> Option<String> {
    let (mut text, mut in_class) = (String::new(), false);
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                text.push(letter);
                text.push(letters.next()?);
            }
            '[' if end == '/' => {
                in_class = true;
                text.push(letter);
            }
            ']' if end == '/' => {
                in_class = false;
                text.push(letter);
            }
            _ if letter == end && !in_class => return Some(text),
            '\n' => return None,
            _ => text.push(letter),
        }
    }
    None
}

/// Whether a slash behind this begins a regular expression rather than divides.
fn begins_regex(before: Option<&Token>) -> bool {
    match before {
        None | Some(Token::End) => true,
        Some(Token::Name(name)) => ["print", "printf", "return", "case", "in"].contains(&name.as_str()),
        Some(Token::Mark(mark)) => !matches!(mark, ')' | ']' | '$'),
        Some(Token::Text(_) | Token::Regex | Token::Number) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, NamedFile, read};

    #[test]
    fn what_runs_is_told_from_bars_in_strings() {
        for code in [
            "BEGIN{system(\"id\")}", "BEGIN{system (\"id\")}", "{print | \"id\"}", "BEGIN{print \";\" | \"id\"}",
            "BEGIN{print \"}\" | \"id\"}", "BEGIN{\"id\" | getline x}", "BEGIN{\"id\"|&getline}", "@load \"x\"",
            "BEGIN{f=\"system\"; @f(\"id\")}", "BEGIN{print > \"/inet/tcp/0/x/1\"}", "BEGIN{\"",
        ] {
            assert!(read(code).iter().any(|found| matches!(found, NamedFile::Sign(_))), "{code}");
        }
        for code in [
            "{print $1}", "{printf \"%s|\", $0}", "{print $1\" | \"$2}", "/a|b/ {print}",
            "$1 ~ /x/ || $2 > 3 {s += $3 / 2} END {print s}", "BEGIN { for (i = 0; i < 3; i++) print i }",
            "!seen[$0]++", "{ if ($1 > 5) print $1 }",
        ] {
            assert_eq!(read(code), Vec::new(), "{code}");
        }
    }

    #[test]
    fn files_are_named() {
        let table = [
            ("{print > \"x.sh\"}", "x.sh", Access::Write, true),
            ("{print $1, $2 >> \"x\" }", "x", Access::Write, true),
            ("{print > $1\".txt\"}", "$file", Access::Write, false),
            ("{print (1 > 2) > \"x\"}", "x", Access::Write, true),
            ("BEGIN{while ((getline line < \"f\") > 0) print line}", "f", Access::Read, true),
        ];
        for (code, name, access, is_exact) in table {
            assert_eq!(read(code), [NamedFile::File { name: name.to_owned(), access, is_exact }], "{code}");
        }
    }
}
