//! Syntax that code in every language shares: strings, and characters written by their number.

use regex::Regex;

macro_rules! pattern {
    ($visibility:vis $name:ident, $pattern:expr) => {
        $visibility static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| regex::Regex::new($pattern).expect("the pattern is a constant"));
    };
}
pub(super) use pattern;

/// The first match of a pattern in the code.
pub(super) fn first<'a>(pattern: &Regex, code: &'a str) -> Option<&'a str> {
    pattern.find(code).map(|found| found.as_str())
}

pattern!(ESCAPE, r"\\(?:x\{?([0-9a-fA-F]{1,8})|[uU]\{?([0-9a-fA-F]{1,8})|([0-7]{3})|([0-9]{2,3})|N\{|o\{|U\+)");

/// A letter that is written by its number: it can hide a name from the patterns. Control characters
/// and non-ASCII characters do not count, because names have none.
pub(super) fn hidden_letter(code: &str) -> Option<&str> {
    ESCAPE.captures_iter(code).find_map(|found| {
        let number =
            |group: usize, radix| found.get(group).and_then(|text| u32::from_str_radix(text.as_str(), radix).ok());
        // Only the first two digits are used if the language takes two.
        let hex = |group: usize| {
            let digits = found.get(group)?.as_str();
            let short = u32::from_str_radix(&digits[..digits.len().min(2)], 16).ok()?;
            let all = u32::from_str_radix(digits, 16).ok()?;
            Some(if is_printable(short) && digits.len() != 4 { short } else { all })
        };
        let spelt = hex(1).or_else(|| hex(2)).or_else(|| number(3, 8)).or_else(|| number(4, 10));
        spelt.is_none_or(is_printable).then(|| found.get(0).map_or("", |all| all.as_str()))
    })
}

fn is_printable(letter: u32) -> bool {
    (0x20..0x7f).contains(&letter)
}

/// The code without its strings and `#` comments.
pub(super) fn without_strings(code: &str) -> String {
    let mut found = String::new();
    let mut letters = code.chars().peekable();
    while let Some(letter) = letters.next() {
        found.push(letter);
        match letter {
            '#' => while letters.next_if(|next| *next != '\n').is_some() {},
            '"' | '\'' => {
                while let Some(next) = letters.next() {
                    match next {
                        '\\' => drop(letters.next()),
                        _ if next == letter => break,
                        _ => {}
                    }
                }
                found.push(letter);
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_by_number_are_found_where_they_spell_a_name() {
        for code in [r"\u0065xec", r"'\x73ystem'", r"'\163ystem'", r"'\115'", r"\N{LATIN SMALL LETTER S}", r"\u{65}"] {
            assert!(hidden_letter(code).is_some(), "{code}");
        }
        for code in [r"'\n\t\\'", r"\033[0m", r"\x1b[1m", r"\u2713", r"\d+\.\w", r"\1", r"\u001b"] {
            assert!(hidden_letter(code).is_none(), "{code}");
        }
    }

    #[test]
    fn strings_and_comments_are_taken_out() {
        assert_eq!(without_strings(r#"a("b\"c") + 'd' # e"#), r#"a("") + '' #"#);
    }
}
