//! A list of tools that can be shown and called: repaired, unique, each with its check.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use tools_core::{ToolCall, ToolDef, ToolDefs, ToolError, ToolName};

use super::{CatalogFault, ParameterCheck, repair::repaired};

/// Tools that can be shown and called. A new registry is made when the list changes. Each check is
/// compiled at the first call of its tool, because most tools of a long list are never called.
#[derive(Debug)]
pub struct ToolRegistry {
    definitions: ToolDefs,
    checks: HashMap<ToolName, (usize, OnceLock<Option<ParameterCheck>>)>,
}

impl ToolRegistry {
    /// A registry of these tools, and the faults of their definitions. Faults are repaired where
    /// possible; other parts are omitted.
    pub fn new(tools: &[Arc<ToolDef>]) -> (Self, Vec<CatalogFault>) {
        let mut faults = Vec::new();
        let mut definitions = Vec::with_capacity(tools.len());
        let mut checks = HashMap::with_capacity(tools.len());
        for tool in tools {
            if checks.contains_key(&tool.name) {
                faults.push(CatalogFault::Duplicate(tool.name.clone()));
                continue;
            }
            checks.insert(tool.name.clone(), (definitions.len(), OnceLock::new()));
            definitions.push(repaired(tool, &mut faults));
        }
        (Self { definitions: definitions.into(), checks }, faults)
    }

    /// The tools, in their order.
    pub fn definitions(&self) -> &ToolDefs {
        &self.definitions
    }

    /// The tool of this name; `None` when there is none.
    pub(crate) fn get(&self, tool: &ToolName) -> Option<&Arc<ToolDef>> {
        self.definitions.get(self.checks.get(tool)?.0)
    }

    /// Checks the parameters of a call; does not check tools that are not in the registry.
    ///
    /// # Errors
    /// Those of [`ParameterCheck::check`].
    pub fn check(&self, call: &ToolCall) -> Result<(), ToolError> {
        let Some((place, check)) = self.checks.get(&call.tool) else { return Ok(()) };
        let compiled = check.get_or_init(|| {
            let compiled = ParameterCheck::compile(&self.definitions[*place]);
            compiled.inspect_err(|error| tracing::warn!(tool = %call.tool, error, "parameters cannot be checked")).ok()
        });
        match compiled {
            Some(check) => check.check(&Value::Object(call.params.clone())),
            None => Ok(()),
        }
    }
}
