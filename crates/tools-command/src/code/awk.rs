//! Signs in AWK code, and the files that it writes and reads. The code is read token by token, so
//! that a bar in a string does not count as a pipe.

use tools_core::Access;

use super::delimited::{end, regex_ends};
use super::named_file::NamedFile;

/// A token of the language.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Name(String),
    Text(String),
    Regex,
    Number,
    Mark(char),
    /// The end of a line or statement.
    End,
}

/// Maximum number of readings of a program.
const MAX_READINGS: usize = 256;

/// The signs and files in the code, over all of its readings.
pub(super) fn read(code: &str) -> Vec<NamedFile> {
    let text: Vec<char> = code.chars().collect();
    let Some(readings) = readings(&text) else { return vec![NamedFile::Sign("many slashes")] };
    if readings.is_empty() {
        return vec![NamedFile::Sign("a string without an end")];
    }
    let mut found = Vec::new();
    for one in readings.iter().flat_map(|tokens| read_words(tokens)) {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

fn read_words(tokens: &[Token]) -> Vec<NamedFile> {
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

/// Whether the tokens after a name are `[…] =`.
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
        Some(Token::Text(name)) if !name.contains('\\') => {
            NamedFile::File { name: name.clone(), access: Access::Read, is_exact: true }
        }
        _ => NamedFile::Sign("getline from a file that only it knows"),
    });
}

/// The files that `print` and `printf` write.
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
        [Token::Text(name)] if !name.contains('\\') => {
            Some(NamedFile::File { name: name.clone(), access: Access::Write, is_exact: true })
        }
        _ => Some(NamedFile::File { name: "$file".to_owned(), access: Access::Write, is_exact: false }),
    }
}

/// The tokens of a program in every possible reading: it is not always certain whether a slash
/// divides and where a regular expression ends. `None` if there are too many readings.
fn readings(text: &[char]) -> Option<Vec<Vec<Token>>> {
    let mut found = Vec::new();
    let mut open = vec![(Vec::new(), 0)];
    let mut count = 0;
    while let Some((mut tokens, mut at)) = open.pop() {
        count += 1;
        if count > MAX_READINGS {
            return None;
        }
        while at < text.len() {
            if text[at] == '/' {
                let slash = slash(&tokens);
                if slash != Slash::Divides {
                    let ends = regex_ends(text, at + 1, '/');
                    let with_regex = || tokens.iter().cloned().chain([Token::Regex]).collect();
                    open.extend(ends.into_iter().filter(|end| is_line(text, at, *end)).map(|end| (with_regex(), end)));
                }
                if slash == Slash::Begins {
                    break;
                }
            }
            let Some(next) = token(text, at, &mut tokens) else { break };
            at = next;
        }
        if at >= text.len() {
            found.push(tokens);
        }
    }
    Some(found)
}

/// Reads the token at a position. Returns its end; `None` for an unterminated string.
fn token(text: &[char], at: usize, found: &mut Vec<Token>) -> Option<usize> {
    let length = |is_part: fn(char) -> bool| text[at..].iter().take_while(|letter| is_part(**letter)).count();
    let (letter, next) = (text[at], text.get(at + 1).copied());
    match (letter, next) {
        ('\\', Some('\n')) => return Some(at + 2),
        ('\n' | ';', _) => found.push(Token::End),
        _ if letter.is_whitespace() => {}
        ('#', _) => return Some(at + length(|letter| letter != '\n')),
        ('"', _) => {
            let end = end(text, at + 1, '"').filter(|end| is_line(text, at, *end))?;
            found.push(Token::Text(text[at + 1..end - 1].iter().collect()));
            return Some(end);
        }
        // `||` is an `or`, not a pipe.
        ('|', Some('|')) => {
            found.push(Token::Mark('o'));
            return Some(at + 2);
        }
        ('>', Some('=')) => {
            found.push(Token::Mark('g'));
            return Some(at + 2);
        }
        _ if letter.is_ascii_digit() => {
            let length = length(|letter| letter.is_alphanumeric() || matches!(letter, '.' | '_'));
            let written: String = text[at..at + length].iter().collect();
            found.push(Token::Number);
            // A name may follow a number without a blank: `1system("x")`.
            let name = ["system", "getline", "length"].into_iter().find(|name| written.ends_with(name));
            found.extend(name.map(|name| Token::Name(name.to_owned())));
            return Some(at + length);
        }
        _ if letter.is_alphabetic() || letter == '_' => {
            let length = length(|letter| letter.is_alphanumeric() || letter == '_');
            found.push(Token::Name(text[at..at + length].iter().collect()));
            return Some(at + length);
        }
        _ => found.push(Token::Mark(letter)),
    }
    Some(at + 1)
}

/// Whether no line ends between these positions, apart from line continuations.
fn is_line(text: &[char], from: usize, to: usize) -> bool {
    end(text, from, '\n').is_none_or(|line| line > to)
}

/// Meaning of a slash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slash {
    Divides,
    /// It begins a regular expression.
    Begins,
    /// Implementations differ, or the tokens before it do not decide it.
    Either,
}

fn slash(before: &[Token]) -> Slash {
    match before {
        [.., Token::Name(name)] => match name.as_str() {
            "print" | "printf" | "return" | "in" | "do" | "else" | "exit" => Slash::Begins,
            "length" | "getline" | "case" => Slash::Either,
            _ => Slash::Divides,
        },
        [.., Token::Mark('+'), Token::Mark('+')] | [.., Token::Mark('-'), Token::Mark('-')] => Slash::Either,
        [before @ .., Token::Mark(')')] if closes_condition(before) => Slash::Either,
        [.., Token::Mark(')' | ']') | Token::Text(_) | Token::Regex | Token::Number] => Slash::Divides,
        _ => Slash::Begins,
    }
}

/// Whether a parenthesis after these tokens closes the condition of `if`, `while` and the like,
/// rather than a value.
fn closes_condition(words: &[Token]) -> bool {
    let mut depth = 1;
    let open = words.iter().rposition(|word| {
        depth += match word {
            Token::Mark(')') => 1,
            Token::Mark('(') => -1,
            _ => 0,
        };
        depth == 0
    });
    let head = open.and_then(|open| words[..open].last());
    matches!(head, Some(Token::Name(name)) if ["if", "while", "for", "switch"].contains(&name.as_str()))
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
