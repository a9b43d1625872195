//! Whether a value that stands where a credential would is one: not a placeholder, an expression, a path, a word.

/// What stands in examples and redacted texts instead of a value.
const PLACEHOLDERS: &[&str] = &[
    "example",
    "changeme",
    "change_me",
    "change-me",
    "placeholder",
    "redacted",
    "your_",
    "your-",
    "dummy",
    "hidden",
    "undefined",
    "xxxx",
    "****",
    "....",
    "insert_",
    "replace_",
    "<",
    ">",
    "«",
    "»",
    "sample",
    "not-a-",
    "todo",
];
/// How long a value is looked at.
const LONGEST: usize = 4096;

/// Whether a value assigned to the name of a credential is one.
pub(super) fn is_secret(value: &str) -> bool {
    let value = &value[..value.floor_char_boundary(LONGEST)];
    value.len() >= 8
        && !is_placeholder(value)
        && !is_expression(value)
        && !is_path(value)
        && classes(value) >= 2
        && entropy(value) >= 2.8
}

/// The same for a password that stands where nothing but a password can: in an address, after `-p`.
pub(super) fn is_password(value: &str) -> bool {
    value.len() >= 3 && !is_placeholder(value) && !is_word(value)
}

/// Whether a password in a statement is long enough not to be a word of the language.
pub(super) fn is_secret_length(value: &str) -> bool {
    value.len() >= 6
}

fn is_word(value: &str) -> bool {
    ["password", "passwd", "pass", "secret", "token", "none", "null", "true", "false"]
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word))
}

fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let starts = [
        "$", "%", "{", "[", "(", "!ref", "!sub", "!getatt", "enc[", "arn:", "vault:", "ref+", "op://", "env:", "data:",
        "sha256", "sha512", "sha1-",
    ];
    // A password hash, which begins with `$`, is found elsewhere.
    starts.iter().any(|start| lower.starts_with(start) && !is_dense(value, start))
        || PLACEHOLDERS.iter().any(|word| lower.contains(word) && !is_dense(value, word))
        || lower.ends_with("_here")
        || value.chars().all(|character| character == '*' || character == '.' || character == 'x' || character == 'X')
}

/// One mark of a placeholder in a long value full of punctuation is chance.
fn is_dense(value: &str, mark: &str) -> bool {
    mark.len() == 1 && value.len() >= 16 && classes(value) == 4 && !value.ends_with(['}', ')', ']', '>', '%'])
}

/// Code rather than a value: `config.get(…`, `process.env.KEY`, `Type::Name`, `foo_bar`, words.
fn is_expression(value: &str) -> bool {
    let is_name = |character: char| {
        character.is_alphanumeric() || matches!(character, '_' | '.' | ':' | '-' | '?' | '&' | '>' | '/')
    };
    let name_end = value.find(|character| !is_name(character)).unwrap_or(value.len());
    let (name, rest) = value.split_at(name_end);
    let is_call = !name.is_empty()
        && rest.starts_with(['(', '[', '{'])
        && name.chars().filter(char::is_ascii_digit).count() <= 2
        && is_wordy(name);
    let is_words = value
        .split([' ', '_', '-', '.', ':', '/', '?', '!', ',', '\''])
        .all(|word| word.chars().all(char::is_alphabetic) && is_wordy(word));
    is_call || is_words || value.contains("::") && !value.contains(['+', '=', '/'])
}

/// Whether letters change case only as in words: at their beginning, or all upper.
fn is_wordy(text: &str) -> bool {
    let mut changes = 0;
    let mut before: Option<bool> = None;
    for character in text.chars().filter(|character| character.is_alphabetic()) {
        let is_upper = character.is_uppercase();
        if before == Some(false) && is_upper {
            changes += 1;
        }
        before = Some(is_upper);
    }
    changes * 4 <= text.len()
}

/// A path of the file system.
pub(super) fn is_path(value: &str) -> bool {
    let value = value.strip_prefix("file:").unwrap_or(value);
    let rooted = ["/", "./", "../", "~/"].iter().any(|start| value.starts_with(start));
    rooted && !value.contains(['+', '=']) && is_wordy(value)
}

/// How many of lower case, upper case, digits and the rest occur.
fn classes(value: &str) -> usize {
    let mut seen = [false; 4];
    for character in value.chars() {
        let class = match character {
            'a'..='z' => 0,
            'A'..='Z' => 1,
            '0'..='9' => 2,
            _ => 3,
        };
        seen[class] = true;
    }
    // Digits alone, or digits with dots, are numbers.
    if seen[2] && !seen[0] && !seen[1] { 1 } else { seen.iter().filter(|seen| **seen).count() }
}

/// Shannon entropy in bits per byte.
fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let length = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX).max(1));
    let share = |count: u32| f64::from(count) / length;
    counts.iter().filter(|count| **count > 0).map(|count| -share(*count) * share(*count).log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        for value in [
            "k8dz7y3doqnvelbuizvohdbyhtvr2owp",
            "1f11deaa713ad17b50c645d4f9a1e5a6",
            "ykUb7wnj*71-lOTg",
            "NO16wzrjym4p",
            "GWwemEAnW33L",
            "VWz=n7.-M6eRFM?JZ7z3",
        ] {
            assert!(is_secret(value), "{value}");
        }
        for value in [
            "short1",
            "${DB_PASSWORD}",
            "process.env.API_KEY",
            "os.environ[",
            "YOUR_API_KEY_HERE",
            "changeme123",
            "AKIAIOSFODNN7EXAMPLE",
            "config.get(",
            "tokenizer.next_token().ok_or(ParseError::UnexpectedEof)?;",
            "/run/secrets/db_password",
            "file:/run/secrets/db_password",
            "12345678901",
            "Forgot your password?",
            "aaaaaaaa1",
            "your_secret_key",
            "********",
            "request.headers.get(",
            "ParseError::Unexpected1",
        ] {
            assert!(!is_secret(value), "{value}");
        }
    }
}
