//! Summaries: append only, in two phases, and never between a call and its result.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;
use tools_agent::{Agent, AgentSettings, CompressDesk, CompressionStrategy, History, Stop, select};
use tools_core::{CompositeExecutor, DynExecutor, Typed};
use tools_providers::{Block, Message, ProviderFault, Role, ToolResult, Usage};

use crate::doubles::{Host, Model, call, fault, said, text, tools};
use crate::loops::counter;

/// A conversation in which the model makes so many calls in each of its answers.
fn conversation(calls: &[usize]) -> Vec<Arc<Message>> {
    let mut messages = vec![Message::user("task")];
    for (at, count) in calls.iter().enumerate() {
        let ids: Vec<String> = (0..*count).map(|n| format!("c{at}-{n}")).collect();
        let mut blocks = vec![Block::Text(format!("step {at} {}", "words ".repeat(50)))];
        blocks.extend(ids.iter().map(|id| call(id, "read", json!({"path": id}))));
        messages.push(Arc::new(Message { role: Role::Assistant, blocks }));
        let result = |id: &String| ToolResult {
            id: id.clone(),
            name: "read".to_owned(),
            text: format!("{}\nmore: read_overflow, ref {id}", "line\n".repeat(200)),
            is_error: false,
            images: vec![],
        };
        messages.push(if ids.is_empty() { Message::user("go on") } else { Message::results(ids.iter().map(result)) });
    }
    messages
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn a_call_and_its_result_stay_together(calls in prop::collection::vec(0_usize..4, 0..30), keep in 2_usize..20) {
        let messages = conversation(&calls);
        if let Some(selection) = select(&messages, 0, keep) {
            prop_assert!(selection.end >= 4 && messages.len() - selection.end >= keep);
            let open = messages[selection.end - 1].calls().count();
            prop_assert_eq!(open, 0, "a call stands before the cut");
            prop_assert_eq!(messages[selection.end].tool_results().count(), 0);
        } else {
            prop_assert!(messages.len() < keep + 4 || calls.iter().all(|count| *count > 0) || messages.len() - keep < 8);
        }
    }
}

fn agent(model: Model, summaries: Model, messages: Vec<Arc<Message>>) -> Agent {
    let history = History::restored(messages, 0, vec![]).unwrap();
    Agent::builder(Arc::new(model), Arc::new(Host::new(tools())))
        .compressor(Arc::new(summaries))
        .resuming(history, 3)
        .build()
}

#[tokio::test]
async fn a_failure_leaves_the_conversation_as_it_was() {
    let calls = [1, 0, 2, 0, 1, 0, 3, 0, 1, 0];
    let long = "x".repeat(1_000_000);
    for summary in [fault(ProviderFault::Auth), fault(ProviderFault::Stalled), text(""), text(" \n"), text(&long)] {
        let mut agent = agent(Model::saying([]), Model::saying([summary]), conversation(&calls));
        let before: Vec<Arc<Message>> = agent.history().messages().to_vec();
        agent.compact(None).await.unwrap_err();
        assert_eq!(agent.history().messages(), before);
        assert!(before.iter().zip(agent.history().messages()).all(|(a, b)| Arc::ptr_eq(a, b)));
    }
}

#[tokio::test]
async fn summaries_are_added_and_earlier_ones_stay() {
    let summaries = Model::saying([text("first summary"), text("second summary")]);
    let mut agent = agent(Model::saying([]), summaries, conversation(&[1, 0, 2, 0, 1, 0, 3, 0, 1, 0]));
    let removed = agent.compact(Some("the paths")).await.unwrap();
    assert!(removed >= 4);
    agent.history().check().unwrap();
    let first = agent.history().messages()[0].text();
    assert!(first.contains("first summary") && first.contains("read_overflow, ref c0-0"), "{first}");
    for turn in 0..12 {
        agent.run(&format!("turn {turn} {}", "more ".repeat(100))).await;
    }
    agent.compact(None).await.unwrap();
    agent.history().check().unwrap();
    let blocks = &agent.history().messages()[0].blocks;
    assert!(matches!(&blocks[0], Block::Text(text) if text.contains("first summary")));
    assert!(matches!(&blocks[1], Block::Text(text) if text.contains("second summary")));
    let methods: Vec<_> = agent.history().summaries().iter().map(|one| one.compaction_method).collect();
    assert_eq!(methods, [CompressionStrategy::Manual; 2]);
}

#[tokio::test]
async fn a_model_asks_for_a_summary_of_its_own_conversation() {
    let desk = CompressDesk::default();
    let executor = CompositeExecutor::new([DynExecutor::new(Typed::new(desk.tool())), DynExecutor::new(tools())]);
    let model = Model::saying([
        said(vec![call("s", "compress_context", json!({"keep_last": 4})), call("r", "read", json!({}))]),
        text("done"),
    ]);
    let history = History::restored(conversation(&[1, 0, 2, 0, 1, 0]), 0, vec![]).unwrap();
    let mut agent = Agent::builder(Arc::new(model), Arc::new(Host::new(executor)))
        .compressor(Arc::new(Model::saying([text("what was before")])))
        .compress_desk(desk)
        .resuming(history, 3)
        .build();
    let turn = agent.run("go on").await;
    assert_eq!((turn.stop, turn.calls), (Stop::Done, 2));
    agent.history().check().unwrap();
    assert_eq!(agent.history().summaries()[0].compaction_method, CompressionStrategy::Autonomous);
    let result = agent.history().messages().iter().find_map(|message| message.tool_results().next()).unwrap();
    assert!(agent.history().messages()[0].text().contains("what was before"), "{result:?}");
}

#[tokio::test]
async fn a_full_context_loses_old_results_first_and_then_becomes_a_summary() {
    let settings =
        AgentSettings { context_budget_tokens: Some(4_000), max_tool_iterations: 40, ..AgentSettings::default() };
    let mut at = 0;
    let model = Model::answering(move |request| {
        at += 1;
        // As much as the conversation has: four bytes a token.
        let bytes: usize = request.messages.iter().map(|message| format!("{message:?}").len()).sum();
        let mut reply = if at % 8 == 0 {
            text("done")?
        } else {
            said(vec![Block::Text("so ".repeat(200)), call(&format!("c{at}"), "count", json!({"n": at}))])?
        };
        reply.usage = Usage { input: bytes as u64 / 5, ..Usage::default() };
        Ok(reply)
    });
    let summaries = Model::answering(|_| text("a summary"));
    let mut agent = Agent::builder(Arc::new(model), Arc::new(Host::new(counter("count", false))))
        .settings(settings)
        .compressor(Arc::new(summaries))
        .build();
    for turn in 0..6 {
        let ended = agent.run(&format!("turn {turn}")).await;
        assert_eq!(ended.stop, Stop::Done);
        agent.history().check().unwrap();
    }
    let methods: Vec<_> = agent.history().summaries().iter().map(|one| one.compaction_method).collect();
    assert!(!methods.is_empty() && methods.iter().all(|one| *one == CompressionStrategy::Triggered), "{methods:?}");
}
