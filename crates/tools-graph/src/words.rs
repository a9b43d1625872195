//! Splits texts into search terms, and definitions into weighted texts.

use serde_json::Value;
use tools_core::ToolDef;

/// Words that questions share with every tool.
const COMMON: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "could", "do", "does", "for", "from", "how", "i", "in",
    "is", "it", "like", "me", "my", "need", "of", "on", "or", "our", "please", "that", "the", "this", "to", "want",
    "we", "what", "which", "will", "with", "would", "you", "your",
];

/// Maximum depth at which a schema is searched for parameter names.
const DEEPEST: usize = 16;

/// Maximum number of characters considered of one definition.
const MAX_DEFINITION_CHARS: usize = 20_000;

/// Terms of a text: runs of letters or digits, split at `camelCase`, in lower case, without English
/// inflections and without common words.
pub(crate) fn terms(text: &str) -> impl Iterator<Item = String> + '_ {
    runs(text).filter(|word| !COMMON.contains(&word.as_str())).map(stem)
}

fn runs(text: &str) -> impl Iterator<Item = String> + '_ {
    let mut rest = text.chars().peekable();
    std::iter::from_fn(move || {
        while rest.next_if(|c| !c.is_alphanumeric()).is_some() {}
        let mut before = rest.next()?;
        let mut word: String = before.to_lowercase().collect();
        while let Some(c) = rest.next_if(|&c| belongs(before, c)) {
            word.extend(c.to_lowercase());
            before = c;
        }
        Some(word)
    })
}

/// Whether a character continues the word that ends with `before`.
fn belongs(before: char, c: char) -> bool {
    c.is_alphanumeric() && before.is_numeric() == c.is_numeric() && !(before.is_lowercase() && c.is_uppercase())
}

fn stem(mut word: String) -> String {
    if !word.is_ascii() || word.len() < 5 {
        return word;
    }
    let ending =
        ["ing", "ies", "es", "ed", "s"].into_iter().find(|&end| word.ends_with(end) && word.len() >= end.len() + 3);
    if let Some(end) = ending {
        word.truncate(word.len() - end.len());
        if end == "ies" {
            word.push('y');
        }
    }
    if word.len() > 4 && word.ends_with('e') {
        word.pop();
    }
    word
}

/// The texts of a definition and the weight of a term in each.
pub(crate) fn weighted(tool: &ToolDef) -> [(String, f32); 3] {
    let mut parameters = String::new();
    add_parameters(tool.input.as_value(), DEEPEST, &mut parameters);
    let name = format!("{} {}", tool.name, tool.title.as_deref().unwrap_or_default());
    [(name, 3.0), (cut(&tool.description).to_owned(), 1.0), (parameters, 1.0)]
}

/// Adds names, descriptions and allowed values of parameters: a question often names a value rather
/// than a tool.
fn add_parameters(schema: &Value, depth: usize, text: &mut String) {
    if depth == 0 || text.len() > MAX_DEFINITION_CHARS {
        return;
    }
    let Some(object) = schema.as_object() else { return };
    for (name, property) in object.get("properties").and_then(Value::as_object).into_iter().flatten() {
        add(name, text);
        add(property.get("description").and_then(Value::as_str).unwrap_or_default(), text);
        for value in property.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            add(value, text);
        }
        add_parameters(property, depth - 1, text);
    }
    for inner in ["items", "additionalProperties"].into_iter().filter_map(|key| object.get(key)) {
        add_parameters(inner, depth - 1, text);
    }
    for one in ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| object.get(key)?.as_array()).flatten() {
        add_parameters(one, depth - 1, text);
    }
}

fn add(words: &str, text: &mut String) {
    text.push_str(cut(words));
    text.push(' ');
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_DEFINITION_CHARS)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(terms(text).collect::<Vec<_>>(), expected, "{text:?}");
    }

    #[test]
    fn names_are_parted_and_inflections_joined() {
        check("getUserName", &["get", "user", "name"]);
        check("list_files2 HTTPServer", &["list", "fil", "2", "httpserver"]);
        check("Cities city, the queries!", &["city", "city", "query"]);
        check("booking booked books book", &["book", "book", "book", "book"]);
        check("überprüfen Überprüfen 天气", &["überprüfen", "überprüfen", "天气"]);
        check("", &[]);
        check("the of ... \u{0}", &[]);
    }
}
