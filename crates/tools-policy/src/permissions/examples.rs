//! Tests rules with their own examples: `match` must be decided by the rule, `not_match` must not.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};
use tools_core::{ToolCall, ToolDef};

use super::PermissionsConfig;
use crate::Explanation;

/// Test result of one example.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestedExample {
    /// The rule, as named in the configuration: `permissions.bash[2]`.
    pub rule: String,
    /// The example.
    pub example: String,
    /// The problem; `None` if it is decided as the rule says.
    pub problem: Option<String>,
}

/// An example of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleExample<'a> {
    /// The tool of the rule.
    pub tool: &'a str,
    /// Index of the rule in the list of the tool.
    pub index: usize,
    /// The example.
    pub text: &'a str,
    /// Whether the rule should decide about it.
    pub is_match: bool,
}

/// Parameters that an example can fill, in order of preference.
const TELLING: &[&str] = &["command", "path", "url", "source", "query", "pattern"];

impl PermissionsConfig {
    /// The examples of all rules.
    pub fn examples(&self) -> impl Iterator<Item = RuleExample<'_>> {
        self.tools.iter().flat_map(|(tool, rules)| {
            rules.iter().enumerate().flat_map(move |(index, rule)| {
                let example = move |text, is_match| RuleExample { tool, index, text, is_match };
                let matches = rule.matches.iter().map(move |text| example(text, true));
                matches.chain(rule.not_match.iter().map(move |text| example(text, false)))
            })
        })
    }
}

impl RuleExample<'_> {
    /// The call of the example, with harmless values in all other parameters.
    pub fn call(&self, definitions: &[Arc<ToolDef>]) -> Result<ToolCall, String> {
        let tool = self.tool;
        let definition = definitions.iter().find(|definition| definition.name.as_str() == tool);
        let definition = definition.ok_or_else(|| format!("there is no tool `{tool}`"))?;
        let params = params(definition, self.text).ok_or("no parameter of the tool can hold an example")?;
        ToolCall::new(tool, params).map_err(|error| error.to_string())
    }

    /// The test result of the example, from the decision about its call.
    pub(crate) fn tested(&self, decided: Result<Explanation, String>) -> TestedExample {
        let problem = decided.and_then(|explained| self.check(explained)).err();
        let rule = format!("permissions.{}[{}]", self.tool, self.index);
        TestedExample { rule, example: self.text.to_owned(), problem }
    }

    fn check(&self, explained: Explanation) -> Result<(), String> {
        let start = format!("permissions.{}[{}] ", self.tool, self.index);
        let by: Vec<&str> = explained.subjects.iter().map(|part| part.rule.as_str()).collect();
        let decides = by.iter().any(|rule| rule.starts_with(&start));
        match (decides, self.is_match) {
            (true, true) | (false, false) => Ok(()),
            (true, false) => Err("is decided by this rule, and should not be".to_owned()),
            (false, true) if by.is_empty() => {
                Err(format!("was not judged: {}", explained.error.unwrap_or(explained.decided_by)))
            }
            (false, true) => Err(format!("is not decided by this rule but by: {}", by.join(", "))),
        }
    }
}

/// Parameters with the example in the first suitable one, and harmless values in all other required
/// ones.
fn params(definition: &ToolDef, example: &str) -> Option<Value> {
    let properties = definition.input.get("properties")?.as_object()?;
    let telling = TELLING.iter().find(|name| properties.contains_key(**name))?;
    let required = definition.input.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut params = serde_json::Map::new();
    for name in required.iter().filter_map(Value::as_str) {
        let kind = properties.get(name).and_then(|schema| schema.get("type")).and_then(Value::as_str);
        let value = match kind {
            Some("array") => json!([]),
            Some("object") => json!({}),
            Some("integer" | "number") => json!(1),
            Some("boolean") => json!(false),
            _ => json!("x"),
        };
        params.insert(name.to_owned(), value);
    }
    params.insert((*telling).to_owned(), json!(example));
    Some(Value::Object(params))
}
