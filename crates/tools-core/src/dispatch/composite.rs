//! Several executors as one.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::{
    Approval, CallContext, DynExecutor, ExecuteResult, Inspection, Shared, ToolCall, ToolDef, ToolDefs, ToolError,
    ToolExecutor, ToolName,
};

/// Several executors as one; the first that owns a name has it.
///
/// Names are indexed once. Executors whose list changes at run time publish it with
/// [`CompositeExecutor::refresh`], at a turn boundary, so that one turn sees one list.
pub struct CompositeExecutor {
    executors: Vec<DynExecutor>,
    index: Shared<Index>,
}

struct Index {
    definitions: ToolDefs,
    owners: HashMap<ToolName, usize>,
}

impl Index {
    fn of(executors: &[DynExecutor]) -> Self {
        let mut owners = HashMap::new();
        let mut definitions: Vec<Arc<ToolDef>> = Vec::new();
        for (position, executor) in executors.iter().enumerate() {
            for definition in executor.tool_definitions().iter() {
                if !owners.contains_key(&definition.name) {
                    owners.insert(definition.name.clone(), position);
                    definitions.push(Arc::clone(definition));
                }
            }
        }
        Self { definitions: definitions.into(), owners }
    }
}

impl CompositeExecutor {
    /// Joins executors; earlier ones win where two own the same name.
    pub fn new(executors: impl IntoIterator<Item = DynExecutor>) -> Self {
        let executors: Vec<_> = executors.into_iter().collect();
        let index = Shared::new(Index::of(&executors));
        Self { executors, index }
    }

    /// The first name that two tools of these executors have: the second would never be called.
    pub fn name_twice(executors: &[DynExecutor]) -> Option<ToolName> {
        let mut names = HashSet::new();
        let all = executors.iter().flat_map(|executor| executor.tool_definitions().to_vec());
        all.map(|tool| tool.name.clone()).find(|name| !names.insert(name.clone()))
    }

    /// Asks every executor for its tools again.
    pub fn refresh(&self) {
        self.index.store(Index::of(&self.executors));
    }

    fn owner(&self, tool: &ToolName) -> Option<&DynExecutor> {
        let position = *self.index.load().owners.get(tool)?;
        self.executors.get(position)
    }
}

impl ToolExecutor for CompositeExecutor {
    fn tool_definitions(&self) -> ToolDefs {
        Arc::clone(&self.index.load().definitions)
    }

    async fn inspect(&self, call: &ToolCall, cx: &CallContext) -> Result<Inspection, ToolError> {
        match self.owner(&call.tool) {
            Some(owner) => owner.inspect(call, cx).await,
            None => Ok(Inspection::default()),
        }
    }

    async fn execute_tool_call(&self, call: &ToolCall, cx: &CallContext) -> ExecuteResult {
        match self.owner(&call.tool) {
            Some(owner) => owner.execute_tool_call(call, cx).await,
            None => Ok(None),
        }
    }

    async fn execute_tool_call_confirmed(
        &self,
        call: &ToolCall,
        approval: &Approval,
        cx: &CallContext,
    ) -> ExecuteResult {
        match self.owner(&call.tool) {
            Some(owner) => owner.execute_tool_call_confirmed(call, approval, cx).await,
            None => Ok(None),
        }
    }
}

crate::partial_debug!(CompositeExecutor { executors });
