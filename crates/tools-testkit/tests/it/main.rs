//! The kit's own tests: the contract accepts what holds to it and refuses what does not.

use std::sync::Arc;

use serde_json::json;
use tools_core::{
    Approval, CallContext, ExecuteResult, Inspection, Tool, ToolCall, ToolDef, ToolDefs, ToolError, ToolExecutor,
    ToolKind, ToolOutput, ToolTraits, Typed,
};
use tools_testkit::{Workspace, contract};

/// Writes a fixed text to a file.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    name: String,
}

struct Scribe;

impl Tool for Scribe {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<Args>("scribe", ToolKind::Edit, ToolTraits::EDIT)
    }

    async fn inspect(&self, _: &Args, _: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::mutating())
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        std::fs::write(cx.workdir().join(args.name), "x").expect("the workspace can be written");
        Ok(ToolOutput::text("written"))
    }
}

/// Breaks one rule at a time.
struct Wrapped {
    inner: Typed<Scribe>,
    claims_everything: bool,
    scribbles_when_inspected: bool,
    takes_any_approval: bool,
}

impl ToolExecutor for Wrapped {
    fn tool_definitions(&self) -> ToolDefs {
        self.inner.tool_definitions()
    }

    async fn inspect(&self, call: &ToolCall, cx: &CallContext) -> Result<Inspection, ToolError> {
        if self.scribbles_when_inspected {
            std::fs::write(cx.workdir().join("trace"), "x").expect("the workspace can be written");
        }
        self.inner.inspect(call, cx).await
    }

    async fn execute_tool_call(&self, call: &ToolCall, cx: &CallContext) -> ExecuteResult {
        match self.inner.execute_tool_call(call, cx).await {
            Ok(None) if self.claims_everything => Ok(Some(ToolOutput::text("mine"))),
            executed => executed,
        }
    }

    async fn execute_tool_call_confirmed(
        &self,
        call: &ToolCall,
        approval: &Approval,
        cx: &CallContext,
    ) -> ExecuteResult {
        if self.takes_any_approval {
            return self.inner.execute_tool_call(call, cx).await;
        }
        self.inner.execute_tool_call_confirmed(call, approval, cx).await
    }
}

fn sound() -> Wrapped {
    Wrapped {
        inner: Typed::new(Scribe),
        claims_everything: false,
        scribbles_when_inspected: false,
        takes_any_approval: false,
    }
}

async fn verdict(executor: Wrapped) -> Result<(), String> {
    let workspace = Arc::new(Workspace::new());
    let sample = ToolCall::new("scribe", json!({"name": "a.txt"})).expect("a name and an object");
    let checking = tokio::spawn(async move { contract::check(executor, &workspace, &[sample]).await });
    checking.await.map_err(|error| {
        let panic = error.into_panic();
        let text = panic.downcast_ref::<&'static str>().map(|text| (*text).to_owned());
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no text".to_owned())
    })
}

#[tokio::test]
async fn an_executor_that_holds_to_the_contract_passes() {
    assert_eq!(verdict(sound()).await, Ok(()));
}

#[tokio::test]
async fn each_broken_rule_is_named() {
    let table = [
        (Wrapped { claims_everything: true, ..sound() }, "a foreign call is not its own"),
        (Wrapped { scribbles_when_inspected: true, ..sound() }, "has no effect"),
        (Wrapped { takes_any_approval: true, ..sound() }, "an approval of another call is refused"),
    ];
    for (executor, rule) in table {
        let said = verdict(executor).await.expect_err(rule);
        assert!(said.contains(rule), "{rule}: {said}");
    }
}
