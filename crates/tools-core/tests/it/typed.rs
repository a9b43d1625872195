//! From a tool to an executor.

use serde_json::json;
use tools_core::{
    CallContext, ConfirmReason, DynExecutor, Inspection, Stack, Tool, ToolCall, ToolDef, ToolError, ToolErrorCategory,
    ToolKind, ToolOutput, ToolTraits, Typed, requires_confirmation,
};

/// Says a text back.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EchoArgs {
    /// What to say.
    text: String,
}

/// Asks before it shouts.
pub(crate) struct Echo;

impl Tool for Echo {
    type Args = EchoArgs;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<EchoArgs>("echo", ToolKind::Other, ToolTraits::READ_ONLY)
    }

    async fn inspect(&self, args: &EchoArgs, _: &CallContext) -> Result<Inspection, ToolError> {
        let inspection = Inspection::read_only();
        Ok(if args.text.ends_with('!') {
            inspection.confirming(ConfirmReason::new("it shouts", "manners"))
        } else {
            inspection
        })
    }

    async fn run(&self, args: EchoArgs, _: &CallContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(args.text))
    }
}

fn call(params: serde_json::Value) -> ToolCall {
    ToolCall::new("echo", params).expect("a name and an object")
}

#[tokio::test]
async fn faults_of_parameters_reach_the_model_by_name() {
    let stack = Stack::new(vec![], Typed::new(Echo));
    let error = stack.dispatch(call(json!({"txet": 1})), &CallContext::new("/")).await.unwrap_err();
    assert_eq!(error.category(), ToolErrorCategory::InvalidParameters);
    assert_eq!(
        error.to_string(),
        "invalid parameters for `echo`: missing field `text` (a string); unknown field `txet`, did you mean `text`?"
    );
    let error = stack.dispatch(call(json!({"text": 1})), &CallContext::new("/")).await.unwrap_err();
    assert_eq!(error.category(), ToolErrorCategory::TypeMismatch);
}

#[tokio::test]
async fn a_wish_for_a_person_is_asked_of_the_tool_through_every_wrapper() {
    let cx = CallContext::new("/");
    let wrapped = DynExecutor::new(DynExecutor::new(Typed::new(Echo)));
    assert!(requires_confirmation(&wrapped, &call(json!({"text": "hey!"})), &cx).await);
    assert!(!requires_confirmation(&wrapped, &call(json!({"text": "hey"})), &cx).await);
    assert!(requires_confirmation(&wrapped, &call(json!({"text": 7})), &cx).await);

    let refused = Stack::new(vec![], wrapped).dispatch(call(json!({"text": "hey!"})), &cx).await.unwrap_err();
    assert_eq!(refused.category(), ToolErrorCategory::ConfirmationRequired);
    assert_eq!(refused.prompt().map(|prompt| prompt.reason.as_str()), Some("it shouts"));
}
