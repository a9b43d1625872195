//! What a long conversation costs: nothing that grows with it.

use std::sync::Arc;

use serde_json::json;
use tools_agent::{Agent, AgentSettings};

use crate::doubles::{Host, Model, call, said};
use crate::loops::counter;

#[tokio::test]
async fn what_was_said_is_sent_again_as_it_was_and_not_copied() {
    let mut before: Vec<Arc<tools_providers::Message>> = vec![];
    let model = Model::answering(move |request| {
        for (old, new) in before.iter().zip(request.messages) {
            assert!(Arc::ptr_eq(old, new) || old == new);
        }
        assert!(before.iter().zip(request.messages).rev().skip(1).all(|(old, new)| Arc::ptr_eq(old, new)));
        before = request.messages.to_vec();
        said(vec![call("x", "count", json!({"n": request.messages.len()}))])
    });
    let settings = AgentSettings { max_tool_iterations: 500, ..AgentSettings::default() };
    let mut agent =
        Agent::builder(Arc::new(model), Arc::new(Host::new(counter("count", false)))).settings(settings).build();
    let turn = agent.run("go").await;
    assert_eq!(turn.iterations, 500);
    agent.history().check().unwrap();
}
