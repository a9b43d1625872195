//! Rewrites wrong parameters of a call once, and checks what was changed.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tools_core::{JsonObject, ToolDef, ToolError};
use tools_providers::{Provider, rewrite_parameters};

/// Wrong parameters of a call.
#[derive(Debug, Clone, Copy)]
pub struct ReformatRequest<'a> {
    /// The tool.
    pub definition: &'a ToolDef,
    /// The parameters as the model wrote them.
    pub written: &'a str,
    /// The tool's error about them.
    pub error: &'a ToolError,
}

/// Rewrites wrong parameters. Called by the loop at most once per call; every gate judges the
/// result like any other call.
#[async_trait]
pub trait Reformat: Send + Sync {
    /// New parameters for the same tool; `None` if there are none.
    async fn reformat(&self, request: &ReformatRequest<'_>) -> Option<JsonObject>;
}

/// Lets a model rewrite wrong parameters.
pub struct ModelReformat(Arc<dyn Provider>);

impl ModelReformat {
    /// Uses this model.
    pub fn new(provider: Arc<dyn Provider>) -> Self {
        Self(provider)
    }
}

#[async_trait]
impl Reformat for ModelReformat {
    async fn reformat(&self, request: &ReformatRequest<'_>) -> Option<JsonObject> {
        rewrite_parameters(&*self.0, request.definition, request.written, request.error).await
    }
}

/// Whether rewritten parameters keep what was right: a field may differ, be added or removed only
/// if the error names it, or if it was missing although required.
pub(crate) fn is_faithful(before: &JsonObject, after: &JsonObject, definition: &ToolDef, error: &ToolError) -> bool {
    let schema = definition.input.as_value();
    let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    names.into_iter().filter(|name| before.get(*name) != after.get(*name)).all(|name| {
        let is_missing = !before.contains_key(name) && required.contains(&Value::from(name.as_str()));
        is_missing || is_named(error.message(), name)
    })
}

/// Whether an error mentions a field by its name, as a separate word.
fn is_named(message: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    message
        .match_indices(name)
        .any(|(at, _)| !message[..at].ends_with(is_part) && !message[at + name.len()..].starts_with(is_part))
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde_json::json;
    use tools_core::{ToolErrorCategory, ToolKind, ToolTraits};

    use super::*;

    /// Reads.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Args {
        path: String,
        limit: Option<u32>,
    }

    #[test]
    fn only_what_was_wrong_may_change() {
        let definition = ToolDef::of::<Args>("read", ToolKind::Read, ToolTraits::READ_ONLY);
        let error = ToolError::new(ToolErrorCategory::TypeMismatch, "x", "`limit`: expected a number, found a string");
        let of = |value: Value| value.as_object().unwrap().clone();
        let check = |before: Value, after: Value, expected: bool| {
            assert_eq!(is_faithful(&of(before), &of(after), &definition, &error), expected);
        };
        check(json!({"path": "a", "limit": "3"}), json!({"path": "a", "limit": 3}), true);
        check(json!({"path": "a", "limit": "3"}), json!({"path": "a"}), true);
        check(json!({"path": "a", "limit": "3"}), json!({"path": "/etc/passwd", "limit": 3}), false);
        check(json!({"limit": "3"}), json!({"path": "a", "limit": 3}), true);
        check(json!({"path": "a", "limit": "3"}), json!({"path": "a", "limit": 3, "more": 1}), false);
        check(json!({"path": "a", "limits": 3}), json!({"path": "a"}), false);
    }
}
