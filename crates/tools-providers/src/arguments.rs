//! Arguments of a call as a model wrote them: a JSON object, or a description of the fault in the
//! text.

use serde_json::Value;
use tools_core::{JsonObject, ToolError, ToolErrorCategory};

/// Maximum length of a faulty text that is kept.
const KEPT_CHARS: usize = 2_000;

/// Arguments that are not a JSON object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadArguments {
    /// The text that the model wrote; cut after 2,000 bytes.
    pub text: String,
    /// The problem.
    pub problem: String,
    /// Line and column of the problem, from 1; `None` if the text is JSON but not an object.
    pub at: Option<(usize, usize)>,
}

/// Parses arguments that come as text. An empty text means no arguments.
///
/// # Errors
/// What is wrong with the text, and where.
pub fn parse_arguments(text: &str) -> Result<JsonObject, BadArguments> {
    if text.trim().is_empty() {
        return Ok(JsonObject::new());
    }
    match serde_json::from_str::<Value>(text) {
        Ok(value) => object(value, text),
        Err(error) => {
            let (line, column) = (error.line(), error.column());
            let problem = error.to_string();
            // serde_json repeats the position at the end of its message.
            let problem = problem.split(" at line ").next().unwrap_or_default().to_owned();
            Err(BadArguments { text: kept(text), problem, at: Some((line, column)) })
        }
    }
}

fn object(value: Value, text: &str) -> Result<JsonObject, BadArguments> {
    let found = match value {
        Value::Object(map) => return Ok(map),
        Value::Null => return Ok(JsonObject::new()),
        Value::Array(_) => "an array",
        Value::String(_) => "a string",
        Value::Number(_) => "a number",
        Value::Bool(_) => "a boolean",
    };
    Err(BadArguments { text: kept(text), problem: format!("expected a JSON object, found {found}"), at: None })
}

fn kept(text: &str) -> String {
    text[..text.floor_char_boundary(KEPT_CHARS)].to_owned()
}

impl BadArguments {
    /// The failure of the call that has these arguments.
    pub(crate) fn to_error(&self, tool: &str) -> ToolError {
        let at = self.at.map_or_else(String::new, |(line, column)| format!(" at line {line}, column {column}"));
        let message = format!("the arguments of `{tool}` are no JSON object: {}{at}", self.problem);
        ToolError::new(ToolErrorCategory::InvalidParameters, "arguments_not_json", message)
            .with_suggestion("send the call again with the arguments as one complete JSON object")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_has_its_place() {
        assert!(parse_arguments("").unwrap().is_empty() && parse_arguments("null").unwrap().is_empty());
        assert_eq!(parse_arguments("{\"a\": 1}").unwrap()["a"], 1);
        let bad = parse_arguments("{\"a\":\n 1,, }").unwrap_err();
        assert_eq!(bad.at, Some((2, 4)));
        assert!(bad.to_error("bash").message().contains("at line 2, column 4"), "{:?}", bad.to_error("bash"));
        assert_eq!(parse_arguments("[1]").unwrap_err().problem, "expected a JSON object, found an array");
        let cut = parse_arguments("{\"command\": \"ls").unwrap_err();
        assert!(cut.problem.starts_with("EOF"), "{cut:?}");
        let deep = "[".repeat(100_000);
        assert!(parse_arguments(&deep).is_err());
        assert_eq!(parse_arguments(&"я".repeat(3_000)).unwrap_err().text.len(), 2_000);
    }
}
