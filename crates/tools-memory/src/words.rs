//! Splits a text into words for indexing and search: identifiers also into their parts, scripts
//! without spaces into characters.

use std::collections::BTreeSet;

/// Maximum number of distinct words of a query: further ones only make the search slower.
const MAX_WORDS: usize = 48;

/// English words that occur in every text: they would make nearly every entry a hit.
const COMMON: &[&str] = &[
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "do", "does", "for", "from",
    "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "may", "me", "my", "no", "not", "of",
    "on", "or", "our", "s", "should", "so", "such", "t", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "to", "was", "we", "what", "when", "where", "which", "who", "why", "will", "with",
    "would", "you", "your",
];

/// The text to index: every word, with the parts of identifiers after it.
pub(crate) fn indexed(text: &str) -> String {
    let mut words = String::with_capacity(text.len() + text.len() / 4);
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        for piece in pieces(word) {
            words.push_str(&piece);
            words.push(' ');
        }
    }
    words
}

/// Query for the index: any of the words, each quoted.
pub(crate) fn any_of(words: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    // A word has only letters and digits, so it cannot end the quotation.
    let quoted: Vec<String> = words.into_iter().map(|word| format!("\"{}\"", word.as_ref())).collect();
    quoted.join(" OR ")
}

/// Search words of a query, in lower case; `None` if there are none.
pub(crate) fn telling(text: &str) -> Option<Vec<String>> {
    let split = || text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let all: Vec<String> = split().flat_map(pieces).map(|word| word.to_lowercase()).collect();
    let is_telling = |word: &&String| COMMON.binary_search(&word.as_str()).is_err();
    let telling: Vec<&String> = all.iter().filter(is_telling).collect();
    let words = if telling.is_empty() { all.iter().collect() } else { telling };
    let mut seen = BTreeSet::new();
    let words: Vec<String> = words.into_iter().filter(|word| seen.insert(*word)).take(MAX_WORDS).cloned().collect();
    (!words.is_empty()).then_some(words)
}

/// A word and its parts, if any: `parseHTTPRequest2` is also `parse`, `HTTP`, `Request` and `2`.
fn pieces(word: &str) -> Vec<String> {
    if word.chars().any(is_unspaced) {
        return unspaced(word);
    }
    let mut parts: Vec<String> = vec![];
    let characters: Vec<char> = word.chars().collect();
    let mut start = 0;
    for at in 1..characters.len() {
        let (before, here) = (characters[at - 1], characters[at]);
        let next_is_lower = characters.get(at + 1).is_some_and(|next| next.is_lowercase());
        let begins = (before.is_lowercase() && here.is_uppercase())
            || (before.is_uppercase() && here.is_uppercase() && next_is_lower)
            || (before.is_numeric() != here.is_numeric());
        if begins {
            parts.push(characters[start..at].iter().collect());
            start = at;
        }
    }
    if parts.is_empty() {
        return vec![word.to_owned()];
    }
    parts.push(characters[start..].iter().collect());
    parts.insert(0, word.to_owned());
    parts
}

/// Splits off characters that are words by themselves; runs of other characters stay together.
fn unspaced(word: &str) -> Vec<String> {
    let mut words = vec![];
    let mut run = String::new();
    for c in word.chars() {
        if is_unspaced(c) {
            if !run.is_empty() {
                words.push(std::mem::take(&mut run));
            }
            words.push(c.to_string());
        } else {
            run.push(c);
        }
    }
    if !run.is_empty() {
        words.push(run);
    }
    words
}

/// Scripts without spaces between words: Han, kana, Thai, Lao, Khmer, Burmese.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_found_by_their_parts_and_as_a_whole() {
        let check = |text: &str, expected: &str| assert_eq!(indexed(text).trim_end(), expected, "{text}");
        check("parse the `HTTPRequest`!", "parse the HTTPRequest HTTP Request");
        check("user_name utf8", "user name utf8 utf 8");
        check("東京 tower", "東 京 tower");
        check("", "");
    }

    #[test]
    fn a_query_is_words_and_never_syntax() {
        let check =
            |text: &str, expected: Option<&str>| assert_eq!(telling(text).map(any_of).as_deref(), expected, "{text}");
        check("how do I set the port", Some("\"set\" OR \"port\""));
        check("\" OR words:* NEAR(", Some("\"words\" OR \"near\""));
        check("is it on", Some("\"is\" OR \"it\" OR \"on\""));
        check("!!! ??? --", None);
        let long = (0..5_000).map(|n| "x".repeat(n % 90 + 1)).collect::<Vec<_>>().join(" ");
        assert_eq!(telling(&long).unwrap().len(), MAX_WORDS);
    }

    #[test]
    fn common_words_are_in_order_so_that_they_are_found() {
        assert!(COMMON.is_sorted());
    }
}
