//! The tools that a model sees: their definitions, and their encoding in each protocol, computed
//! once.

use std::sync::{Arc, OnceLock};

use tools_catalog::{Dialect, canonical_bytes, without_added_nulls};
use tools_core::{JsonObject, ToolDef};

/// A list of tools. It is encoded once for each protocol and shared by all requests with this list,
/// so that an unchanged list costs nothing and gives identical bytes.
#[derive(Debug, Default)]
pub struct ToolList {
    tools: Vec<Arc<ToolDef>>,
    /// Each tool as a JSON object, for each interface.
    texts: [OnceLock<Vec<String>>; Dialect::ALL.len()],
}

impl ToolList {
    /// A list in this order. If a list only grows at its end, the provider's cache of the prefix
    /// stays valid.
    pub fn new(tools: &[Arc<ToolDef>]) -> Self {
        Self { tools: tools.to_vec(), texts: Default::default() }
    }

    /// The definitions, in order.
    pub fn tools(&self) -> &[Arc<ToolDef>] {
        &self.tools
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Each tool as canonical JSON of an interface.
    pub(crate) fn encoded(&self, dialect: Dialect) -> &[String] {
        let at = Dialect::ALL.iter().position(|known| *known == dialect).unwrap_or_default();
        self.texts[at].get_or_init(|| dialect.render(&self.tools).tools.iter().map(canonical_bytes).collect())
    }

    /// The parameters as the tool expects them: removes the nulls of protocols that make every
    /// parameter required.
    pub(crate) fn without_nulls(&self, tool: &str, params: JsonObject) -> JsonObject {
        match self.tools.iter().find(|known| known.name.as_str() == tool) {
            Some(tool) => without_added_nulls(tool, params),
            None => params,
        }
    }
}
