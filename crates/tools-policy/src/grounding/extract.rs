//! Extracts paths, mail addresses, hosts and long numbers from a text. Pure.

/// File name extensions that make a word without any `/` a path.
const SOURCES: &[&str] = &[
    "c", "cc", "cpp", "css", "go", "h", "hpp", "html", "java", "js", "json", "jsx", "kt", "lock", "md", "php", "py",
    "rb", "rs", "sh", "sql", "swift", "toml", "ts", "tsx", "txt", "xml", "yaml", "yml",
];

/// The words of a text that are paths: absolute, relative, or a name with the extension of a source
/// file. URLs are not paths.
pub fn extract_paths(text: &str) -> Vec<&str> {
    words(text).filter(|word| is_path(word)).collect()
}

fn is_path(word: &str) -> bool {
    if word.contains("://") || word.contains('@') || word.starts_with('-') {
        return false;
    }
    let has_letters = word.chars().any(char::is_alphanumeric);
    has_letters && (word.contains('/') || is_source(word))
}

fn is_source(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && SOURCES.contains(&ending))
}

/// Whether a word of a command is a file name, by its extension. Patterns and words with expansions
/// are not.
pub(super) fn is_file(word: &str) -> bool {
    is_path(word) && is_source(word) && !word.contains(['*', '?', '[', '{', '$', '~', '=', ':', '%', '\\'])
}

/// Mail addresses, hosts, numbers of four or more digits, and hexadecimal identifiers: values that
/// a model knows only if it was given them.
pub(super) fn entities(text: &str) -> Vec<&str> {
    let parts = words(text).flat_map(|word| word.split([':', '/', '=', '?', '#', '[', ']']));
    parts.filter(|word| is_mail(word) || is_host(word) || is_long_number(word) || is_identifier(word)).collect()
}

fn is_mail(word: &str) -> bool {
    word.split_once('@').is_some_and(|(name, host)| !name.is_empty() && is_domain(host))
}

/// Whether a word is a host. A domain of two parts may also be a field (`config.name`).
fn is_host(word: &str) -> bool {
    is_domain(word) && word.split('.').count() >= 3
}

fn is_domain(word: &str) -> bool {
    let labels: Vec<&str> = word.split('.').collect();
    let is_label = |label: &&str| {
        !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') && !label.starts_with('-')
    };
    let top = labels.last().copied().unwrap_or_default();
    // `main.rs` and `Cargo.toml` are files, `v1.2` is a version.
    labels.len() >= 2
        && labels.iter().all(is_label)
        && top.len() >= 2
        && top.chars().all(|c| c.is_ascii_alphabetic())
        && !SOURCES.contains(&top)
}

fn is_long_number(word: &str) -> bool {
    word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word is a hexadecimal identifier: a commit, a container, a UUID.
fn is_identifier(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let is_made_of_them = word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    word.len() >= 7
        && is_made_of_them
        && digits >= 2
        && digits < word.len()
        && !word.starts_with('-')
        && word.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let ends =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | '<' | '>' | ',' | ';' | '|' | '&');
    text.split(ends).map(|word| word.trim_end_matches(['.', ':', '!', '?'])).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_addresses_and_words() {
        let text =
            "look at ./src/main.rs, ../x, /etc/hosts (not https://a.b/c or me@x.org) and Cargo.toml; e.g. v1.2 --a/b";
        assert_eq!(extract_paths(text), ["./src/main.rs", "../x", "/etc/hosts", "Cargo.toml"]);
    }

    #[test]
    fn entities_are_what_nobody_can_guess() {
        let found = entities("mail ann@example.org or https://db.example.org:5432/x, not main.rs, v1.2, 42 or a.b");
        assert_eq!(found, ["ann@example.org", "db.example.org", "5432"]);
        assert_eq!(entities("commit=3fa9c1e07 at 12:30 of feedface"), ["3fa9c1e07"]);
    }
}
