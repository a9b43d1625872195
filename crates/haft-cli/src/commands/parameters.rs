//! Parses typed parameters: a JSON object, `key=value` pairs, or JSON on standard input.

use std::io::Read;

use haft::core::ToolDef;
use serde_json::{Map, Value};

/// Parses the parameters of a call of `definition` (`None` for an unknown tool).
///
/// A value is text if the schema wants text, else JSON if it parses as JSON.
///
/// # Errors
/// What is wrong with the words, for the person who typed them.
pub(crate) fn parse(words: &[String], definition: Option<&ToolDef>) -> Result<Value, String> {
    match words {
        [] => Ok(Value::Object(Map::new())),
        [word] if word == "-" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).map_err(|error| format!("standard input: {error}"))?;
            json(&text)
        }
        [word] if word.trim_start().starts_with('{') => json(word),
        words => words.iter().map(|word| pair(word, definition)).collect::<Result<Map<_, _>, _>>().map(Value::Object),
    }
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("invalid JSON in the parameters: {error}"))
}

fn pair(word: &str, definition: Option<&ToolDef>) -> Result<(String, Value), String> {
    let (key, text) = word.split_once('=').ok_or_else(|| {
        format!("`{word}` is neither a JSON object nor `key=value`; write `key=value` for each parameter")
    })?;
    let schema = definition.and_then(|definition| definition.input.get("properties")?.get(key));
    let wants_text = schema.and_then(|schema| schema.get("type")).is_some_and(|kind| match kind {
        Value::String(kind) => kind == "string",
        Value::Array(kinds) => kinds.contains(&Value::from("string")),
        _ => false,
    });
    let value = if wants_text { None } else { serde_json::from_str(text).ok() };
    Ok((key.to_owned(), value.unwrap_or_else(|| Value::String(text.to_owned()))))
}

#[cfg(test)]
mod tests {
    use haft::core::{ToolDef, ToolKind, ToolTraits};
    use serde_json::json;

    use super::*;

    #[derive(schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Args {
        path: String,
        limit: Option<u32>,
    }

    #[test]
    fn values_follow_the_schema() {
        let definition = ToolDef::of::<Args>("read", ToolKind::Read, ToolTraits::READ_ONLY);
        let check = |words: &[&str], expected: Result<Value, &str>| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(parse(&words, Some(&definition)), expected.map_err(str::to_owned));
        };
        check(&[], Ok(json!({})));
        check(&["path=42", "limit=5"], Ok(json!({"path": "42", "limit": 5})));
        check(&["path=a=b", "other=x"], Ok(json!({"path": "a=b", "other": "x"})));
        check(&[r#"{"path": "a"}"#], Ok(json!({"path": "a"})));
        check(&["path"], Err("`path` is neither a JSON object nor `key=value`; write `key=value` for each parameter"));
    }
}
