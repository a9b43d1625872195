//! The tools of a stack as MCP definitions, converted once per published list.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use rmcp::model::{MetaObject, Tool, ToolAnnotations};
use tools_core::{JsonObject, Locked as _, ToolDef, ToolDefs, ToolName};

/// The last converted list and its source.
#[derive(Default)]
pub(crate) struct Catalog {
    hints: Hints,
    made: Mutex<Option<BuiltList>>,
}

/// Hints for hosts beyond the protocol.
#[derive(Default)]
struct Hints {
    /// Tools that a host should load even if others are found by its own search.
    always_load: BTreeSet<ToolName>,
    /// Maximum size of results, if the operator set one.
    result_size: Option<usize>,
    /// Whether results are structured: only then is the output schema published.
    structured: bool,
}

type BuiltList = (ToolDefs, Arc<[Tool]>);

impl Catalog {
    pub(crate) fn new(always_load: BTreeSet<ToolName>, result_size: Option<usize>, structured: bool) -> Self {
        Self { hints: Hints { always_load, result_size, structured }, made: Mutex::default() }
    }

    /// The tools; the same list as long as the stack publishes the same definitions.
    pub(crate) fn tools(&self, definitions: &ToolDefs) -> Arc<[Tool]> {
        self.renew(definitions).0
    }

    /// Updates the list if the definitions changed. `true` if it differs from the previous list;
    /// `false` also if there was none, since no client has seen a list yet.
    pub(crate) fn changed(&self, definitions: impl FnOnce() -> ToolDefs) -> bool {
        let made = self.made.locked().is_some();
        made && self.renew(&definitions()).1
    }

    fn renew(&self, definitions: &ToolDefs) -> (Arc<[Tool]>, bool) {
        let mut made = self.made.locked();
        if let Some((of, tools)) = made.as_ref()
            && same(of, definitions)
        {
            return (Arc::clone(tools), false);
        }
        let tools: Arc<[Tool]> = definitions.iter().map(|definition| tool(definition, &self.hints)).collect();
        let before = made.replace((Arc::clone(definitions), Arc::clone(&tools)));
        let differs = before.is_none_or(|(_, before)| before != tools);
        (tools, differs)
    }
}

/// Whether two lists hold identical definitions.
fn same(a: &ToolDefs, b: &ToolDefs) -> bool {
    Arc::ptr_eq(a, b) || (a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| Arc::ptr_eq(a, b)))
}

fn tool(definition: &ToolDef, hints: &Hints) -> Tool {
    let traits = definition.traits;
    let annotations = ToolAnnotations::new()
        .read_only(traits.read_only)
        .destructive(traits.destructive)
        .idempotent(traits.idempotent)
        .open_world(traits.open_world);
    let tool =
        Tool::new(definition.name.as_str().to_owned(), definition.description.to_string(), Arc::new(input(definition)));
    let tool = tool.with_annotations(annotations);
    let mut meta = MetaObject::new();
    if hints.always_load.contains(&definition.name) {
        meta.insert("anthropic/alwaysLoad".to_owned(), true.into());
    }
    if let Some(size) = hints.result_size {
        meta.insert("anthropic/maxResultSizeChars".to_owned(), size.into());
    }
    let tool = if meta.is_empty() { tool } else { tool.with_meta(meta) };
    let tool = match definition.output.as_ref().and_then(|schema| schema.as_object()).filter(|_| hints.structured) {
        Some(schema) => tool.with_raw_output_schema(Arc::new(schema.clone())),
        None => tool,
    };
    match &definition.title {
        Some(title) => tool.with_title(title.as_ref()),
        None => tool,
    }
}

/// Schema of the parameters. MCP requires an object with a type, which the schema of a tool without
/// parameters may lack.
fn input(definition: &ToolDef) -> JsonObject {
    let mut schema = definition.input.as_object().cloned().unwrap_or_default();
    schema.entry("type").or_insert_with(|| "object".into());
    schema
}

#[cfg(test)]
mod tests {
    use schemars::{JsonSchema, Schema};
    use serde_json::json;
    use tools_core::{ToolKind, ToolName, ToolTraits};

    use super::*;

    /// Reads.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Args {
        path: String,
        limit: Option<u64>,
    }

    #[test]
    fn a_definition_becomes_a_tool_with_all_its_hints() {
        let definition = ToolDef::of::<Args>("read", ToolKind::Read, ToolTraits::FETCH).titled("Read a file");
        let expected = json!({
            "name": "read",
            "title": "Read a file",
            "description": "Reads.",
            "inputSchema": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
                "required": ["path"],
            },
            "annotations": {
                "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": true,
            },
        });
        assert_eq!(serde_json::to_value(tool(&definition, &Hints::default())).unwrap(), expected);
        let hints =
            Hints { always_load: [definition.name.clone()].into(), result_size: Some(60_000), structured: true };
        let value = serde_json::to_value(tool(&definition.with_output::<Args>(), &hints)).unwrap();
        assert_eq!(value["outputSchema"]["properties"]["path"], json!({"type": "string"}));
        assert_eq!(value["_meta"], json!({"anthropic/alwaysLoad": true, "anthropic/maxResultSizeChars": 60_000}));
    }

    #[test]
    fn a_schema_without_a_type_gets_one() {
        let name = ToolName::parse("x").unwrap();
        let definition = ToolDef::new(name, "", Schema::default(), ToolKind::Other, ToolTraits::CAUTIOUS);
        assert_eq!(json!(*tool(&definition, &Hints::default()).input_schema), json!({"type": "object"}));
    }

    #[test]
    fn the_list_changes_when_it_says_something_else() {
        let definitions = |title: &'static str| -> ToolDefs {
            let definition = ToolDef::of::<Args>("read", ToolKind::Read, ToolTraits::READ_ONLY).titled(title);
            [Arc::new(definition)].into_iter().collect()
        };
        let (catalog, first) = (Catalog::default(), definitions("a"));
        assert!(!catalog.changed(|| first.clone()), "nobody was told anything yet");
        let tools = catalog.tools(&first);
        assert!(Arc::ptr_eq(&tools, &catalog.tools(&first.iter().cloned().collect())));
        assert!(!catalog.changed(|| first.clone()));
        assert!(!catalog.changed(|| definitions("a")), "made anew, but says the same");
        assert!(catalog.changed(|| definitions("b")));
        assert!(!catalog.changed(|| definitions("b")));
    }
}
