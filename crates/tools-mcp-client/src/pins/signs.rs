//! Signs that a definition is made to deceive: invisible characters, names that look like others,
//! and mentions of other servers' tools.

use std::{collections::BTreeSet, fmt};

use serde_json::Value;
use tools_core::is_hidden;

use super::Definition;

/// Minimum length of another server's tool name that is searched in a text: shorter ones are
/// ordinary words.
const MIN_NAME_LEN: usize = 6;

/// Something that makes a definition suspicious.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sign {
    /// It contains invisible characters.
    Hidden,
    /// Its name is empty or has characters that tool names do not have.
    Name,
    /// Its name looks like that of another tool.
    LooksLike(String),
    /// The server lists another tool under the same name.
    Twice,
    /// It mentions a tool of another server.
    SpeaksOf(String),
}

impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hidden => f.write_str("it holds characters that do not show"),
            Self::Name => f.write_str("its name has characters that names of tools do not have"),
            Self::LooksLike(other) => write!(f, "its name looks like `{}`", tools_core::VisibleText::of(other)),
            Self::Twice => f.write_str("the server lists two tools of this name"),
            Self::SpeaksOf(other) => {
                write!(f, "it speaks of `{}`, a tool of another server", tools_core::VisibleText::of(other))
            }
        }
    }
}

/// Names of other tools.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// Names of tools that do not belong to the server: those of other servers, in their spelling,
    /// and built-in ones.
    pub others: BTreeSet<String>,
}

/// The signs of one definition of a list, in order.
pub(crate) fn signs(definition: &Definition, list: &[Definition], around: &Surroundings) -> Vec<Sign> {
    let mut found = BTreeSet::new();
    let name = definition.name();
    if name.is_empty() || name.len() > 128 || !name.chars().all(|c| c.is_ascii_graphic() || c == ' ') {
        found.insert(Sign::Name);
    }
    if definition.fields().any(|(_, value)| hides(value)) {
        found.insert(Sign::Hidden);
    }
    if list.iter().filter(|other| other.name() == name).count() > 1 {
        found.insert(Sign::Twice);
    }
    let own = skeleton(name);
    let names = list.iter().map(Definition::name).chain(around.others.iter().map(String::as_str));
    if let Some(other) = names.filter(|other| *other != name).find(|other| skeleton(other) == own) {
        found.insert(Sign::LooksLike(other.to_owned()));
    }
    let is_foreign = |other: &&String| {
        other.len() >= MIN_NAME_LEN && other.contains(['_', '-']) && list.iter().all(|own| own.name() != other.as_str())
    };
    for other in around.others.iter().filter(is_foreign) {
        if definition.fields().any(|(field, value)| field != "name" && mentions(value, other)) {
            found.insert(Sign::SpeaksOf(other.clone()));
        }
    }
    found.into_iter().collect()
}

fn hides(value: &Value) -> bool {
    let hidden = |text: &str| text.chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\t' | '\r'));
    match value {
        Value::String(text) => hidden(text),
        Value::Array(items) => items.iter().any(hides),
        Value::Object(map) => map.iter().any(|(name, value)| hidden(name) || hides(value)),
        _ => false,
    }
}

/// Whether a text in the value contains the name as a word.
fn mentions(value: &Value, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    match value {
        Value::String(text) => text
            .match_indices(name)
            .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)),
        Value::Array(items) => items.iter().any(|item| mentions(item, name)),
        Value::Object(map) => map.values().any(|value| mentions(value, name)),
        _ => false,
    }
}

/// Visual skeleton of a name: equal for names that a reader could confuse.
pub(crate) fn skeleton(name: &str) -> String {
    let visible = name.chars().filter(|c| !is_hidden(*c) && !matches!(c, '_' | '-' | '.' | ' ' | '/'));
    let folded: String = visible.flat_map(char::to_lowercase).map(looks_like).collect();
    folded.replace("rn", "m").replace("vv", "w")
}

/// The plain letter that a character looks like.
fn looks_like(c: char) -> char {
    match c {
        '0' | 'о' | 'ο' | 'ө' | '০' => 'o',
        '1' | 'i' | 'і' | 'ι' | 'ı' | 'ӏ' | '|' | '!' => 'l',
        '3' | 'з' => '3',
        'а' | 'α' | 'ɑ' => 'a',
        'е' | 'ё' | 'є' | 'ҽ' => 'e',
        'с' | 'ϲ' => 'c',
        'р' | 'ρ' => 'p',
        'х' | 'χ' => 'x',
        'у' | 'γ' | 'ү' => 'y',
        'к' | 'κ' => 'k',
        'ѕ' | '5' => 's',
        'ј' => 'j',
        'т' | 'τ' => 't',
        'н' => 'h',
        'в' => 'b',
        'м' => 'm',
        'ԁ' => 'd',
        'ո' => 'n',
        'υ' | 'ս' => 'u',
        'ν' => 'v',
        'ԝ' => 'w',
        'ɡ' => 'g',
        'ｆ' => 'f',
        'Ａ'..='Ｚ' | 'ａ'..='ｚ' | '０'..='９' => {
            // Full-width forms have a fixed offset from the plain ones.
            char::from_u32(c as u32 - 0xFEE0).map_or(c, |plain| plain.to_ascii_lowercase())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_that_look_alike_have_one_skeleton() {
        for (one, other) in [
            ("read_file", "readFile"),
            ("read_file", "read-fi1e"),
            ("read_file", "rеad_file"),
            ("read_file", "read\u{200b}_file"),
            ("modern", "modem"),
        ] {
            assert_eq!(skeleton(one), skeleton(other), "{one} {other}");
        }
        assert_ne!(skeleton("read_file"), skeleton("read_files"));
    }

    #[test]
    fn each_sign_is_found_and_plain_definitions_have_none() {
        let check = |tool: Value, others: &[&str], expected: &[Sign]| {
            let list = vec![Definition::of(&tool), Definition::of(&json!({"name": "list_things"}))];
            let around = Surroundings { others: others.iter().map(|name| (*name).to_owned()).collect() };
            assert_eq!(signs(&list[0], &list, &around), expected, "{tool}");
        };
        check(json!({"name": "read_file", "description": "Reads.\nAll of it."}), &["other_tool"], &[]);
        check(json!({"name": "read_file", "description": "Reads.\u{200b}"}), &[], &[Sign::Hidden]);
        check(json!({"name": "list_things"}), &[], &[Sign::Twice]);
        check(json!({"name": "1ist_things"}), &[], &[Sign::LooksLike("list_things".to_owned())]);
        check(json!({"name": "read_file"}), &["readfile"], &[Sign::LooksLike("readfile".to_owned())]);
        check(json!({"name": "read_file"}), &["read_file"], &[]);
        check(
            json!({"name": "a", "inputSchema": {"properties": {"x": {"description": "Before send_mail, call this."}}}}),
            &["send_mail"],
            &[Sign::SpeaksOf("send_mail".to_owned())],
        );
        check(json!({"name": "résumé"}), &[], &[Sign::Name]);
    }
}
