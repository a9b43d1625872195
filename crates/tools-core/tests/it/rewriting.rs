//! What a layer may change of a call that was judged: the texts that become the content of files,
//! and nothing else.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use tools_core::{
    Approval, CallContext, CallerId, Invocation, Layer, Next, Outcome, Stack, ToolCall, ToolDef, ToolKind, ToolName,
    ToolTraits,
};
use tools_testkit::{Behaviour, FakeClock, ScriptedExecutor};

/// Hands the tool other parameters.
struct Rewrites(Value);

#[async_trait]
impl Layer for Rewrites {
    fn name(&self) -> &'static str {
        "rewrites"
    }
    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let params = self.0.as_object().cloned().unwrap_or_default();
        next.run(&inv.with_params(params)?).await
    }
}

async fn rewritten(given: Value, changed: Value, consents: bool) -> Result<Value, String> {
    let name = ToolName::parse("write").unwrap();
    let definition = ToolDef::new(name, "x", schemars::Schema::default(), ToolKind::Edit, ToolTraits::EDIT);
    let executor = ScriptedExecutor::new().defined(definition.with_content(&["content"]), Behaviour::reply("written"));
    let stack = Stack::new(vec![Arc::new(Rewrites(changed))], executor.clone());
    let call = ToolCall::new("write", given).unwrap();
    let approval = consents.then(|| Approval::grant(&call, CallerId::parse("tester").unwrap(), &FakeClock::default()));
    match stack.run(call, approval, &CallContext::new("/")).await.outcome {
        Ok(_) => Ok(Value::Object(executor.calls()[0].params.clone())),
        Err(error) => {
            assert_eq!(executor.ran(), []);
            Err(format!("{}: {}", error.code(), error.message()))
        }
    }
}

#[tokio::test]
async fn only_content_can_be_changed() {
    let given = || json!({"path": "a", "content": "«secret:x#1»"});
    for consents in [false, true] {
        let check = async |changed: Value, refused: Option<&str>| match (
            rewritten(given(), changed.clone(), consents).await,
            refused,
        ) {
            (Ok(ran), None) => assert_eq!(ran, changed),
            (Err(error), Some(name)) => {
                let expected = format!(
                    "parameters_changed: a layer may not change the parameter `{name}` of `write`, which was judged"
                );
                assert_eq!(error, expected);
            }
            (ended, expected) => panic!("{changed}: {ended:?} instead of {expected:?}"),
        };
        check(given(), None).await;
        check(json!({"path": "a", "content": "the value"}), None).await;
        check(json!({"path": "b", "content": "«secret:x#1»"}), Some("path")).await;
        check(json!({"content": "x"}), Some("path")).await;
        check(json!({"path": "a"}), Some("content")).await;
        check(json!({"path": "a", "content": "x", "mode": "append"}), Some("mode")).await;
    }
}
