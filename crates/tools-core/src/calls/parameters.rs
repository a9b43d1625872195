//! Decoding of parameters with errors that a model can act on: every wrong field by its path, with
//! the expected value.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::lenient;
use crate::{SchemaFault, SchemaProblem, ToolError, ToolErrorCategory, ToolName, inline_schema, schema_problems};

/// A JSON object: the parameters of a call.
pub type JsonObject = serde_json::Map<String, Value>;

pub(crate) fn decode<T: DeserializeOwned + JsonSchema>(tool: &ToolName, params: &JsonObject) -> Result<T, ToolError> {
    let value = Value::Object(params.clone());
    serde_path_to_error::deserialize(&value).or_else(|error| {
        // The schema is only built after an error: valid calls pay nothing for leniency and good
        // messages.
        let schema = inline_schema::<T>();
        let read = lenient::read(&value, schema.as_value());
        if let Some(args) = read.as_ref().and_then(|read| T::deserialize(read).ok()) {
            return Ok(args);
        }
        let value = read.unwrap_or(value);
        // Where the schema is met, a value is of the right type but not acceptable (a bad enum
        // member, out of range).
        Err(invalid_parameters(tool, &value, &schema_problems(&value, schema.as_value()), &described(&error)))
    })
}

fn described(error: &serde_path_to_error::Error<serde_json::Error>) -> String {
    let path = error.path().to_string();
    let said = in_plain_words(&error.inner().to_string());
    if path == "." { said } else { format!("`{path}`: {said}") }
}

/// The decoder's message with an example number in place of the Rust type.
fn in_plain_words(said: &str) -> String {
    let Some((before, wanted)) = said.rsplit_once("expected ") else { return said.to_owned() };
    let wanted = match wanted {
        "u64" | "usize" => "a whole number of at least 0".to_owned(),
        "u8" => format!("a whole number from 0 to {}", u8::MAX),
        "u16" => format!("a whole number from 0 to {}", u16::MAX),
        "u32" => format!("a whole number from 0 to {}", u32::MAX),
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number nearer to 0".to_owned(),
        _ => return said.to_owned(),
    };
    format!("{before}expected {wanted}")
}

/// Error for invalid parameters: each problem by its path with the expected value, or `otherwise`
/// if unknown. `TypeMismatch` if all problems are wrong types, else `InvalidParameters`.
pub fn invalid_parameters(tool: &ToolName, params: &Value, problems: &[SchemaProblem], otherwise: &str) -> ToolError {
    let only_types = !problems.is_empty() && problems.iter().all(|p| matches!(p.fault, SchemaFault::WrongType { .. }));
    let (category, code) = if only_types {
        (ToolErrorCategory::TypeMismatch, "type_mismatch")
    } else {
        (ToolErrorCategory::InvalidParameters, "invalid_parameters")
    };
    let mut message = format!("invalid parameters for `{tool}`: ");
    if params.as_object().is_some_and(JsonObject::is_empty) {
        message.push_str("no parameters given; ");
    }
    if problems.is_empty() {
        message.push_str(otherwise);
    } else {
        let lines: Vec<String> = problems.iter().take(8).map(SchemaProblem::to_string).collect();
        message.push_str(&lines.join("; "));
        if problems.len() > 8 {
            let _ = write!(message, "; and {} more", problems.len() - 8);
        }
    }
    ToolError::new(category, code, message)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "some fields are only decoded")]
    struct Args {
        path: String,
        #[serde(default)]
        limit: Option<u32>,
        #[serde(default)]
        edits: Vec<Edit>,
        #[serde(default)]
        mode: Mode,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only decoded")]
    struct Edit {
        old: String,
    }

    #[derive(Debug, Default, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Mode {
        /// Documented members become a list of constants.
        #[default]
        Plain,
        /// Like this one.
        Fancy,
    }

    fn check(params: Value, expected: &str) {
        let Value::Object(params) = params else { unreachable!("a test passes an object") };
        let error = decode::<Args>(&ToolName::parse("edit").unwrap(), &params).map(|_| ()).unwrap_err();
        assert_eq!(format!("{}: {error}", error.category()), expected);
    }

    #[test]
    fn numbers_out_of_range_are_told_in_plain_words() {
        let start = "invalid_parameters: invalid parameters for `edit`: `limit`: invalid value: integer";
        let wanted = "expected a whole number from 0 to 4294967295";
        check(json!({"path": "p", "limit": -1}), &format!("{start} `-1`, {wanted}"));
        check(json!({"path": "p", "limit": 5_000_000_000_u64}), &format!("{start} `5000000000`, {wanted}"));
        let large =
            "type_mismatch: invalid parameters for `edit`: `limit`: expected an integer or null, found a number";
        check(json!({"path": "p", "limit": 1e20}), &format!("{large} beyond the range of integers"));
        let at_least = "invalid value: integer `-1`, expected a whole number of at least 0";
        for name in ["u64", "usize"] {
            assert_eq!(in_plain_words(&format!("invalid value: integer `-1`, expected {name}")), at_least);
        }
        assert_eq!(in_plain_words("expected a file"), "expected a file");
    }

    #[test]
    fn every_fault_is_named_by_path() {
        check(
            json!({}),
            "invalid_parameters: invalid parameters for `edit`: no parameters given; missing field `path` (a string)",
        );
        check(
            json!({"path": 1, "limit": "five"}),
            "type_mismatch: invalid parameters for `edit`: `limit`: expected an integer or null, found a string; `path`: expected a string, found an integer",
        );
        check(
            json!({"path": "a", "edits": [{"old": "x"}, {"old": 7}]}),
            "type_mismatch: invalid parameters for `edit`: `edits[1].old`: expected a string, found an integer",
        );
        check(
            json!({"pth": "a"}),
            "invalid_parameters: invalid parameters for `edit`: missing field `path` (a string); unknown field `pth`, did you mean `path`?",
        );
        check(
            json!({"path": "a", "zzz": 1}),
            "invalid_parameters: invalid parameters for `edit`: unknown field `zzz`, known are `edits`, `limit`, `mode`, `path`",
        );
        check(
            json!({"path": "a", "mode": "odd"}),
            "invalid_parameters: invalid parameters for `edit`: `mode`: expected one of `plain`, `fancy`",
        );
    }

    #[test]
    fn numbers_and_lists_may_be_written_as_text() {
        let params = json!({"path": "1", "limit": "5", "edits": "[{\"old\": \"x\"}]"});
        let Value::Object(params) = params else { unreachable!("it is an object") };
        let args: Args = decode(&ToolName::parse("edit").unwrap(), &params).unwrap();
        assert_eq!((args.path.as_str(), args.limit, args.edits.len()), ("1", Some(5), 1));
        check(
            json!({"path": 7, "limit": "5"}),
            "type_mismatch: invalid parameters for `edit`: `path`: expected a string, found an integer",
        );
    }

    #[test]
    fn a_value_of_the_right_type_that_is_out_of_range_says_so() {
        check(
            json!({"path": "a", "limit": -1}),
            "invalid_parameters: invalid parameters for `edit`: `limit`: invalid value: integer `-1`, expected a whole number from 0 to 4294967295",
        );
    }
}
