//! An agent in an editor: what it says, calls and saves.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, duplex, split};
use tokio_util::sync::CancellationToken;
use tools_acp::{AcpHost, InitializeRequest, OpenConversation, OpenError, SessionRequest, SessionSummary, serve};
use tools_agent::Agent;
use tools_agent::acp::{AgentConversation, ConversationParts};
use tools_agent::sessions::Sessions;
use tools_core::{NoRedaction, SessionId};

use crate::doubles::{Host, Model, call, said, text, tools};

/// Opens one agent, which reads a file and says so.
struct Editors {
    sessions: Sessions,
    is_closed: Arc<AtomicBool>,
}

#[async_trait]
impl AcpHost for Editors {
    async fn open(&self, _: SessionRequest) -> Result<OpenConversation, OpenError> {
        let session = SessionId::parse("s-1").unwrap();
        let patience = Duration::from_secs(5);
        let is_closed = Arc::clone(&self.is_closed);
        let parts = ConversationParts {
            host: Arc::new(Host::new(tools())),
            redactor: Arc::new(NoRedaction),
            patience,
            kept: None,
            held: self.sessions.hold(&session).await.unwrap(),
            closing: Box::new(move || Box::pin(async move { is_closed.store(true, Ordering::Relaxed) })),
        };
        let provider = Arc::new(Model::saying([said(vec![call("1", "read", json!({}))]), text("I read it")]));
        let opened = AgentConversation::new(parts, |host| Ok(Agent::builder(provider, host)));
        let (conversation, modes) = opened.map_err(OpenError::Failed)?;
        let conversation = Box::new(conversation);
        Ok(OpenConversation { session, conversation, modes, patience, viewer: None, past: vec![] })
    }

    async fn kept(&self, _: Option<&Path>) -> Result<Vec<SessionSummary>, String> {
        Ok(vec![])
    }

    async fn forget(&self, _: &SessionId) -> Result<(), String> {
        Ok(())
    }
}

#[tokio::test]
async fn an_editor_hears_the_call_and_the_answer_and_the_conversation_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = Sessions::in_folder(folder.path().to_owned());
    let is_closed = Arc::new(AtomicBool::new(false));
    let host = Arc::new(Editors { sessions: sessions.clone(), is_closed: Arc::clone(&is_closed) });
    let (ours, theirs) = duplex(1 << 16);
    let (input, output) = split(theirs);
    let greeting = InitializeRequest { name: "test".to_owned(), version: "0".to_owned() };
    let serving = tokio::spawn(serve(host, greeting, input, output, CancellationToken::new()));

    let (reading, mut writing) = split(ours);
    let mut lines = BufReader::new(reading).lines();
    let prompt = json!([{"type": "text", "text": "read it"}]);
    let requests = [
        ("initialize", json!({"protocolVersion": 1})),
        ("session/new", json!({"cwd": "/", "mcpServers": []})),
        ("session/prompt", json!({"sessionId": "s-1", "prompt": prompt})),
    ];
    let mut heard = Vec::new();
    for (id, (method, params)) in requests.into_iter().enumerate() {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writing.write_all(format!("{request}\n").as_bytes()).await.unwrap();
        loop {
            let line: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
            let is_answer = line["id"] == id;
            heard.push(line);
            if is_answer {
                break;
            }
        }
    }
    assert_eq!(heard.last().unwrap()["result"]["stopReason"], "end_turn", "{heard:?}");
    let told: Vec<&str> = heard.iter().filter_map(|line| line["params"]["update"]["sessionUpdate"].as_str()).collect();
    for kind in ["tool_call", "tool_call_update", "agent_message_chunk"] {
        assert!(told.contains(&kind), "{kind}: {told:?}");
    }
    drop((writing, lines));
    serving.await.unwrap();
    assert!(is_closed.load(Ordering::Relaxed));
    let listed = sessions.list().await.unwrap();
    assert_eq!((listed.len(), listed[0].title.as_str()), (1, "read it"));
}
