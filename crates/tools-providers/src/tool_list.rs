//! The tools that a model is shown: the definitions, and their text in each interface, made once.

use std::sync::{Arc, OnceLock};

use tools_catalog::{Dialect, canonical_bytes, without_added_nulls};
use tools_core::{JsonObject, ToolDef};

/// A list of tools. Its text is made once for each interface and shared by all requests with this
/// list, so that a list that stays the same costs nothing and gives the same bytes.
#[derive(Debug, Default)]
pub struct ToolList {
    tools: Vec<Arc<ToolDef>>,
    /// Each tool as a JSON object, for each interface.
    texts: [OnceLock<Vec<String>>; Dialect::ALL.len()],
}

impl ToolList {
    /// A list in this order. A list that grows at its end keeps the provider's cache of what comes
    /// before.
    pub fn new(tools: &[Arc<ToolDef>]) -> Self {
        Self { tools: tools.to_vec(), texts: Default::default() }
    }

    /// The definitions, in their order.
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

    /// The parameters as the tool takes them, where an interface holds every parameter to be
    /// required.
    pub(crate) fn without_nulls(&self, tool: &str, params: JsonObject) -> JsonObject {
        match self.tools.iter().find(|known| known.name.as_str() == tool) {
            Some(tool) => without_added_nulls(tool, params),
            None => params,
        }
    }
}
