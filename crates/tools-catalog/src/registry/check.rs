//! Checks the parameters of one tool.

use std::fmt;

use jsonschema::Validator;
use serde_json::Value;
use tools_core::{SchemaProblem, ToolDef, ToolError, ToolName, invalid_parameters, schema_problems};

/// Maximum number of faults of one call that are listed.
const NAMED: usize = 8;

/// The compiled schema of one tool's parameters.
pub struct ParameterCheck {
    tool: ToolName,
    schema: Value,
    validator: Validator,
}

impl ParameterCheck {
    /// The check for the parameters of a tool.
    ///
    /// # Errors
    /// The schema is not valid. This cannot happen for a tool from a [`crate::ToolRegistry`].
    pub fn compile(tool: &ToolDef) -> Result<Self, String> {
        let schema = tool.input.as_value().clone();
        let validator = jsonschema::draft202012::new(&schema).map_err(|error| error.to_string())?;
        Ok(Self { tool: tool.name.clone(), schema, validator })
    }

    /// Checks the parameters of a call, which must be an object.
    ///
    /// # Errors
    /// `TypeMismatch` when values have other types than the schema says, `InvalidParameters` for
    /// every other fault. The message gives the path of each fault and the expected value.
    pub fn check(&self, params: &Value) -> Result<(), ToolError> {
        if self.validator.is_valid(params) {
            return Ok(());
        }
        let known = schema_problems(params, &self.schema);
        if !known.is_empty() {
            return Err(invalid_parameters(&self.tool, params, &known, ""));
        }
        let others: Vec<String> =
            self.validator.iter_errors(params).take(NAMED).map(|error| described(&error)).collect();
        let none: [SchemaProblem; 0] = [];
        Err(invalid_parameters(&self.tool, params, &none, &others.join("; ")))
    }
}

/// A fault as `edits[1].old: …`.
fn described(error: &jsonschema::ValidationError<'_>) -> String {
    let mut path = String::new();
    for part in error.instance_path().as_str().split('/').filter(|part| !part.is_empty()) {
        let part = part.replace("~1", "/").replace("~0", "~");
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            path.extend(["[", &part, "]"]);
        } else {
            path.extend([if path.is_empty() { "" } else { "." }, &part]);
        }
    }
    let text: String = error.to_string().chars().take(300).collect();
    if path.is_empty() { text } else { format!("`{path}`: {text}") }
}

impl fmt::Debug for ParameterCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ParameterCheck").field(&self.tool.as_str()).finish()
    }
}
