//! Rules tested by the examples they carry: `match` must be decided by the rule, `not_match` must
//! not.

use serde::Serialize;
use serde_json::{Value, json};
use tools_core::{ToolCall, ToolDef};
use tools_policy::permissions::RuleConfig;

use crate::Toolbox;

/// One example, tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestedExample {
    /// The rule, as it stands in the configuration: `permissions.bash[2]`.
    pub rule: String,
    /// The example.
    pub example: String,
    /// The problem; `None` when it is decided as the rule says.
    pub problem: Option<String>,
}

/// Parameters that an example can stand for, the telling one first.
const TELLING: &[&str] = &["command", "path", "url", "source", "query", "pattern"];

impl Toolbox {
    /// Tests every rule by its examples. Nothing runs.
    pub async fn test_rules(&self) -> Vec<TestedExample> {
        let mut tested = Vec::new();
        for (tool, rules) in &self.config().tools.permissions.tools {
            for (index, rule) in rules.iter().enumerate() {
                for (example, expected) in examples(rule) {
                    let problem = self.example(tool, index, example, expected).await.err();
                    let rule = format!("permissions.{tool}[{index}]");
                    tested.push(TestedExample { rule, example: example.to_owned(), problem });
                }
            }
        }
        tested
    }

    async fn example(&self, tool: &str, index: usize, example: &str, expected: bool) -> Result<(), String> {
        let definitions = self.stack().definitions();
        let definition = definitions.iter().find(|definition| definition.name.as_str() == tool);
        let definition = definition.ok_or_else(|| format!("there is no tool `{tool}`"))?;
        let params = params(definition, example).ok_or("no parameter of the tool can hold an example")?;
        let call = ToolCall::new(tool, params).map_err(|error| error.to_string())?;
        let explained = self.explain(call, &self.context()).await;
        let start = format!("permissions.{tool}[{index}] ");
        let by: Vec<&str> = explained.subjects.iter().map(|part| part.rule.as_str()).collect();
        let decides = by.iter().any(|rule| rule.starts_with(&start));
        match (decides, expected) {
            (true, true) | (false, false) => Ok(()),
            (true, false) => Err("is decided by this rule, and should not be".to_owned()),
            (false, true) if by.is_empty() => {
                Err(format!("was not judged: {}", explained.error.unwrap_or(explained.decided_by)))
            }
            (false, true) => Err(format!("is not decided by this rule but by: {}", by.join(", "))),
        }
    }
}

fn examples(rule: &RuleConfig) -> impl Iterator<Item = (&str, bool)> {
    let matches = rule.matches.iter().map(|example| (example.as_str(), true));
    matches.chain(rule.not_match.iter().map(|example| (example.as_str(), false)))
}

/// Parameters with the example in the telling one, and something harmless in whatever else is
/// required.
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
