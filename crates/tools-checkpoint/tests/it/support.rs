//! A workspace, a store beside it, and calls that do what a test says.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;
use tools_checkpoint::{Checkpoint, CheckpointConfig, Checkpoints, Coverage, UndoSelection, Undone};
use tools_core::{
    CallContext, Inspection, Invocation, Layer, Next, Outcome, RecordedResult, Stack, ToolCall, ToolTraits,
};
use tools_sandbox::ReadRules;
use tools_testkit::{Behaviour, ScriptedExecutor, Workspace};

type Doing = Arc<dyn Fn(&Path) + Send + Sync>;

/// Stands where the tool is, and does the work.
struct Work(Doing);

#[async_trait]
impl Layer for Work {
    fn name(&self) -> &'static str {
        "work"
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        (self.0)(inv.context.workdir());
        next.run(inv).await
    }
}

pub(crate) struct World {
    pub(crate) workspace: Workspace,
    pub(crate) store: Workspace,
    pub(crate) checkpoints: Checkpoints,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(&CheckpointConfig::default())
    }

    pub(crate) fn with(config: &CheckpointConfig) -> Self {
        let (workspace, store) = (Workspace::new(), Workspace::new());
        let closed = ReadRules::preset(None);
        let checkpoints = Checkpoints::new(
            config,
            store.path("kept"),
            Coverage { workspace: workspace.root().to_owned(), roots: Vec::new(), others: Vec::new(), closed },
        );
        Self { workspace, store, checkpoints }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.workspace.root().to_owned()
    }

    /// A call that does `work` and says that it touches what `inspection` says.
    pub(crate) async fn call_touching(
        &self,
        inspection: Inspection,
        behaviour: Behaviour,
        work: impl Fn(&Path) + Send + Sync + 'static,
    ) -> Outcome {
        self.recorded(inspection, behaviour, work).await.outcome
    }

    /// The same with all that is recorded of the call.
    pub(crate) async fn recorded(
        &self,
        inspection: Inspection,
        behaviour: Behaviour,
        work: impl Fn(&Path) + Send + Sync + 'static,
    ) -> RecordedResult {
        let tool = ScriptedExecutor::new().inspected("change", ToolTraits::CAUTIOUS, behaviour, Ok(inspection));
        let layers: Vec<Arc<dyn Layer>> = vec![Arc::new(self.checkpoints.clone()), Arc::new(Work(Arc::new(work)))];
        let call = ToolCall::new("change", json!({})).unwrap();
        Stack::new(layers, tool).run(call, None, &CallContext::new(self.root())).await
    }

    /// A call that does `work` and does not say what it touches.
    pub(crate) async fn call(&self, work: impl Fn(&Path) + Send + Sync + 'static) {
        self.call_touching(Inspection::mutating(), Behaviour::reply("done"), work).await.unwrap();
    }

    pub(crate) fn undo(&self, calls: impl Into<UndoSelection>) -> Undone {
        self.checkpoints.undo(&self.root(), calls).unwrap()
    }

    pub(crate) fn list(&self) -> Vec<Checkpoint> {
        self.checkpoints.list(&self.root()).unwrap()
    }
}
