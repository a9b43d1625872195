//! Questions outside a conversation.

use std::sync::Arc;

use tools_core::{Judge as _, JudgeRequest, ToolError, ToolErrorCategory};
use tools_providers::scripted::{Script, ScriptedProvider};
use tools_providers::{ModelJudge, rewrite_parameters};

use crate::history;

fn provider(script: &str) -> ScriptedProvider {
    ScriptedProvider::new(Script::parse(script).unwrap())
}

#[tokio::test]
async fn a_judge_passes_the_answer_on_as_it_came() {
    let judge = ModelJudge::new(Arc::new(provider(
        "[[turns]]\nexpect = 'Tool: bash'\ntext = 'DENY: it deletes'\n[[turns]]\nfault = 'status'\nstatus = 500",
    )));
    let request = JudgeRequest { instructions: "Judge.".to_owned(), material: "Tool: bash".to_owned() };
    assert_eq!(judge.judge(&request).await.unwrap(), "DENY: it deletes");
    assert!(judge.judge(&request).await.is_err());
    assert_eq!(judge.model(), "scripted");
}

#[tokio::test]
async fn parameters_are_written_anew_or_not_at_all() {
    let check = async |answer: &str, written: &str, expected: Option<&str>| {
        let script = Script {
            turns: vec![tools_providers::scripted::Turn { text: answer.to_owned(), ..Default::default() }],
            ..Script::default()
        };
        let provider = ScriptedProvider::new(script);
        let tools = history::tools();
        let error = ToolError::new(ToolErrorCategory::TypeMismatch, "x", "`limit`: expected a number");
        let found = rewrite_parameters(&provider, &tools.tools()[0], written, &error).await;
        assert_eq!(found.map(|params| serde_json::to_string(&params).unwrap()).as_deref(), expected, "{answer}");
        provider
    };
    let written = r#"{"path":"a","limit":"```3"}"#;
    let provider = check(r#"{"limit":3}"#, written, Some(r#"{"limit":3}"#)).await;
    let body = String::from_utf8(provider.bodies().remove(0)).unwrap();
    assert!(body.contains("````") && body.contains("`limit`: expected a number"), "{body}");
    check("```json\n{\"limit\":3}\n```", written, Some(r#"{"limit":3}"#)).await;
    check("I cannot.", written, None).await;
    check("[]", written, None).await;
    check(written, written, None).await;
    check("{}", &"x".repeat(20_000), None).await;
}
