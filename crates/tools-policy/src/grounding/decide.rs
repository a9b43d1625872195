//! What a call names that neither exists nor was told to the model. Pure, but for the question whether a path exists.

use std::path::Path;

use serde::Serialize;
use serde_json::Value;
use tools_core::{Access, Inspection, JsonObject, Subject};

use super::extract::entities;

/// Longer texts are content, not names: what a model writes need not have stood anywhere.
const LONGEST_NAME: usize = 200;

/// What is looked at.
#[derive(Clone, Copy)]
pub struct GroundingQuestion<'a> {
    /// What the call is made with.
    pub params: &'a JsonObject,
    /// What it would touch.
    pub inspection: &'a Inspection,
    /// What the model was given: the conversation and the results of tools.
    pub context: &'a str,
    /// Whether a path exists.
    pub exists: &'a dyn Fn(&Path) -> bool,
}

/// What sort of thing is suspicious.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SuspectKind {
    /// A path.
    Path,
    /// A mail address, a host or a number.
    Entity,
}

/// Something that a model may have made up. Display is the warning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HallucinationSuspect {
    /// The parameter it stands in; empty for what the tool found in it.
    pub field: String,
    /// What it is.
    pub value: String,
    /// What sort of thing it is.
    pub kind: SuspectKind,
}

impl std::fmt::Display for HallucinationSuspect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value: String = self.value.chars().take(LONGEST_NAME).collect();
        match self.kind {
            SuspectKind::Path => write!(f, "`{value}` does not exist and was not mentioned before"),
            SuspectKind::Entity => write!(f, "`{value}` was not mentioned before"),
        }
    }
}

/// What a call names out of nowhere; empty when everything exists or was told.
pub fn suspects(question: &GroundingQuestion<'_>) -> Vec<HallucinationSuspect> {
    let context = question.context.to_lowercase();
    let mut found: Vec<HallucinationSuspect> = question
        .inspection
        .subjects
        .iter()
        .filter_map(|subject| match subject {
            Subject::Path { path, access } if !is_grounded(path, *access, &context, question.exists) => {
                let value = path.to_string_lossy().into_owned();
                Some(HallucinationSuspect { field: String::new(), value, kind: SuspectKind::Path })
            }
            _ => None,
        })
        .collect();
    for (field, value) in question.params {
        for entity in texts(value).into_iter().flat_map(entities) {
            if !context.contains(&entity.to_lowercase()) {
                let (field, value) = (field.clone(), entity.to_owned());
                found.push(HallucinationSuspect { field, value, kind: SuspectKind::Entity });
            }
        }
    }
    found.dedup();
    found
}

/// Whether a path exists, could be made where it is named, or stands in the context by its last two parts.
fn is_grounded(path: &Path, access: Access, context: &str, exists: &dyn Fn(&Path) -> bool) -> bool {
    if exists(path) || (access == Access::Write && path.parent().is_some_and(exists)) {
        return true;
    }
    let parts: Vec<String> =
        path.components().rev().take(2).map(|part| part.as_os_str().to_string_lossy().to_lowercase()).collect();
    match parts.as_slice() {
        [name, above] if above != "/" => context.contains(&format!("{above}/{name}")),
        [name, ..] => context.contains(name.as_str()),
        [] => true,
    }
}

/// The short texts of a value, however deep.
fn texts(value: &Value) -> Vec<&str> {
    let (mut found, mut open) = (Vec::new(), vec![value]);
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) if text.len() <= LONGEST_NAME && !text.contains('\n') => found.push(text.as_str()),
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(params: &Value, paths: &[(&str, Access)], context: &str) -> Vec<String> {
        let inspection = paths.iter().fold(Inspection::default(), |inspection, (path, access)| {
            inspection.touching(Subject::path(*path, *access))
        });
        let exists = |path: &Path| ["/w", "/w/src", "/w/src/main.rs"].iter().any(|there| path == Path::new(there));
        let params = params.as_object().unwrap();
        let question = GroundingQuestion { params, inspection: &inspection, context, exists: &exists };
        suspects(&question).iter().map(|suspect| suspect.value.clone()).collect()
    }

    #[test]
    fn a_path_that_is_nowhere_is_suspicious() {
        let none: [String; 0] = [];
        let nothing = json!({});
        assert_eq!(found(&nothing, &[("/w/src/main.rs", Access::Read)], ""), none);
        assert_eq!(found(&nothing, &[("/w/src/foo.rs", Access::Read)], ""), ["/w/src/foo.rs"]);
        assert_eq!(found(&nothing, &[("/w/src/foo.rs", Access::Write)], ""), none);
        assert_eq!(found(&nothing, &[("/w/lib/foo.rs", Access::Write)], ""), ["/w/lib/foo.rs"]);
        assert_eq!(found(&nothing, &[("/w/lib/foo.rs", Access::Read)], "see `Lib/Foo.rs`"), none);
        assert_eq!(found(&nothing, &[("/w/lib/foo.rs", Access::Read)], "see foo.rs"), ["/w/lib/foo.rs"]);
    }

    #[test]
    fn an_entity_out_of_nowhere_is_suspicious_and_content_is_not() {
        let none: [String; 0] = [];
        let params = json!({"to": "ann@example.org", "body": "x 4711\n"});
        assert_eq!(found(&params, &[], ""), ["ann@example.org"]);
        assert_eq!(found(&params, &[], "write to Ann@Example.org"), none);
        assert_eq!(found(&json!({"ids": [{"id": "90210"}]}), &[], "the zip is 10001"), ["90210"]);
    }
}
