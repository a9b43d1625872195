//! Reads a query: names as written in code, and words.

use crate::error::CodeError;
use crate::words::{parts, words};

/// Maximum length of a query in characters.
pub(crate) const MAX_QUERY_CHARS: usize = 2000;
/// Maximum number of names and words that are searched for.
const MAX_WORDS: usize = 32;

/// Words that belong to the wording of a question, not to its topic.
const ASKING: [&str; 60] = [
    "the",
    "is",
    "are",
    "was",
    "and",
    "or",
    "of",
    "in",
    "on",
    "to",
    "for",
    "with",
    "by",
    "from",
    "at",
    "as",
    "it",
    "its",
    "that",
    "this",
    "these",
    "those",
    "what",
    "where",
    "which",
    "who",
    "how",
    "when",
    "why",
    "does",
    "do",
    "did",
    "be",
    "an",
    "we",
    "you",
    "they",
    "there",
    "here",
    "can",
    "could",
    "should",
    "would",
    "has",
    "have",
    "had",
    "get",
    "gets",
    "got",
    "into",
    "than",
    "then",
    "about",
    "all",
    "any",
    "code",
    "find",
    "show",
    "defined",
    "definition",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Query {
    /// The original text, on one line.
    pub(crate) text: String,
    /// Names in it, as written in code.
    pub(crate) names: Vec<Name>,
    /// Parts of its words, without the words of `ASKING`.
    pub(crate) parts: Vec<String>,
    /// Whether the query consists of a single name.
    pub(crate) is_name: bool,
}

/// A name, as written in code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) text: String,
    /// Name of the scope that contains it: `Stack` of `Stack::dispatch`.
    pub(crate) within: Option<String>,
    /// Whether its spelling shows that it is a name.
    pub(crate) is_spelled: bool,
}

impl Query {
    /// Reads a query.
    ///
    /// # Errors
    /// The query is too long, or contains neither names nor words.
    pub(crate) fn read(text: &str) -> Result<Self, CodeError> {
        let length = text.chars().count();
        if length > MAX_QUERY_CHARS {
            return Err(CodeError::TooLong { chars: length, most: MAX_QUERY_CHARS });
        }
        let mut names: Vec<Name> = Vec::new();
        let mut found = Vec::new();
        let mut last: Option<(String, usize)> = None;
        for word in words(text.as_bytes()) {
            let Some(name) = text.get(word.at..word.at + word.text.len()) else { continue };
            let within =
                last.take().filter(|(_, end)| matches!(text.get(*end..word.at), Some("::" | "." | "#" | "->" | "::~")));
            last = Some((name.to_owned(), word.at + word.text.len()));
            let is_spelled = is_spelled(name) || within.is_some();
            if let Some((outer, _)) = &within {
                names.retain(|name| name.text != *outer);
            }
            found.push(name.to_owned());
            if !names.iter().any(|known| known.text == name) {
                names.push(Name { text: name.to_owned(), within: within.map(|(outer, _)| outer), is_spelled });
            }
        }
        if found.is_empty() {
            return Err(CodeError::NoWords);
        }
        let is_name = names.len() == 1 && !text.trim().contains(char::is_whitespace);
        // `fn name`, `struct Name`: the keyword marks the next word as a name.
        let keywords = [
            "fn",
            "struct",
            "enum",
            "trait",
            "class",
            "def",
            "function",
            "func",
            "interface",
            "type",
            "macro",
            "mod",
            "const",
        ];
        let is_introduced = found.len() == 2 && keywords.contains(&found[0].as_str());
        if is_introduced {
            names.retain(|name| name.text == found[1]);
        }
        let mut parts: Vec<String> = found
            .iter()
            .filter(|word| !ASKING.contains(&word.to_lowercase().as_str()))
            .flat_map(|word| parts(word))
            .collect();
        if parts.is_empty() {
            parts = found.iter().flat_map(|word| self::parts(word)).collect();
        }
        let mut seen = std::collections::HashSet::new();
        parts.retain(|part| seen.insert(part.clone()));
        parts.truncate(MAX_WORDS);
        names.truncate(MAX_WORDS);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(Self { text, names, parts, is_name: is_name || is_introduced })
    }

    /// The names to look up as definitions: all names if the query is a single name, otherwise
    /// those with the spelling of a name.
    pub(crate) fn definition_names(&self) -> impl Iterator<Item = &Name> {
        self.names.iter().filter(|name| self.is_name || name.is_spelled)
    }
}

/// Whether a word has a spelling that only code uses: `read_line`, `readLine`, `HTTPClient`, `MAX`.
fn is_spelled(name: &str) -> bool {
    let inner = name.trim_matches('_');
    let upper = inner.chars().skip(1).any(char::is_uppercase);
    name.contains('_')
        || name.contains('$')
        || (upper && inner.chars().count() > 2)
        || inner.chars().any(|one| one.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(query: &str) -> Vec<(String, Option<String>)> {
        Query::read(query).unwrap().definition_names().map(|name| (name.text.clone(), name.within.clone())).collect()
    }

    #[test]
    fn names_are_told_from_words() {
        let check = |query: &str, expected: &[(&str, Option<&str>)]| {
            let expected: Vec<_> =
                expected.iter().map(|(name, within)| ((*name).to_owned(), within.map(str::to_owned))).collect();
            assert_eq!(names(query), expected, "{query}");
        };
        check("Stack", &[("Stack", None)]);
        check("Stack::dispatch", &[("dispatch", Some("Stack"))]);
        check("fn dispatch", &[("dispatch", None)]);
        check("dispatch()", &[("dispatch", None)]);
        check("where is the read_line function", &[("read_line", None)]);
        check("how are calls recorded", &[]);
    }

    #[test]
    fn words_that_only_ask_are_left_out() {
        assert_eq!(Query::read("where are the calls recorded?").unwrap().parts, ["call", "record"]);
        assert_eq!(Query::read("what is it").unwrap().parts, ["what", "is", "it"]);
    }

    #[test]
    fn what_cannot_be_looked_for_is_said() {
        assert!(matches!(Query::read("!!! ??? 123"), Err(CodeError::NoWords)));
        assert!(matches!(Query::read(""), Err(CodeError::NoWords)));
        assert!(matches!(Query::read(&"word ".repeat(2000)), Err(CodeError::TooLong { chars: 10_000, .. })));
    }
}
