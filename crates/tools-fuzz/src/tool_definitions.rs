//! Any JSON as the schema of a server's tool, and a value checked against it: the schema is
//! repaired or dropped, and converted for every interface.

use std::sync::Arc;

use serde_json::Value;
use tools_catalog::{Dialect, ToolRegistry, complexity};
use tools_core::{ToolCall, ToolDef, ToolKind, ToolName, ToolTraits};

pub(crate) fn check(bytes: &[u8]) {
    let Ok(Value::Object(mut given)) = serde_json::from_slice::<Value>(bytes) else { return };
    let params = given.remove("params").filter(Value::is_object).unwrap_or_else(|| Value::Object(given.clone()));
    let Ok(schema) = Value::Object(given).try_into() else { return };
    let name = ToolName::parse("tool").expect("a name");
    let tool = Arc::new(ToolDef::new(name, "A tool of a server.", schema, ToolKind::Other, ToolTraits::CAUTIOUS));
    let _ = complexity(tool.input.as_value());
    let (registry, _) = ToolRegistry::new(&[tool]);
    for dialect in Dialect::ALL {
        let rendered = dialect.render(registry.definitions());
        assert_eq!(rendered.tools.len(), registry.definitions().len(), "{}", dialect.name());
    }
    let _ = registry.check(&ToolCall::new("tool", params).expect("an object"));
}
