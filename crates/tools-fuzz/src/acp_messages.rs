//! Any bytes after the greeting of an editor: every message gets an answer or an error, and the
//! agent runs until the editor disconnects.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use async_trait::async_trait;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;
use tools_acp::{
    AcpHost, ClientView, Conversation, InitializeRequest, Modes, OpenConversation, OpenError, PromptEnd, SessionEvent,
    SessionRequest, SessionSummary, serve,
};
use tools_core::SessionId;

use crate::messages::served;

const GREETING: &[u8] = concat!(
    r#"{"jsonrpc":"2.0","id":"greeting","method":"initialize","params":{"protocolVersion":1,"#,
    r#""clientCapabilities":{}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":"open","method":"session/new","params":{"cwd":"/","mcpServers":[]}}"#,
    "\n"
)
.as_bytes();

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_all().build().expect("a runtime"));

/// A host whose conversations repeat the prompt. Counts them.
#[derive(Default)]
struct Echo(AtomicUsize);

#[async_trait]
impl AcpHost for Echo {
    async fn open(&self, _: SessionRequest) -> Result<OpenConversation, OpenError> {
        Ok(OpenConversation {
            session: SessionId::parse(&format!("s-{}", self.0.fetch_add(1, Ordering::Relaxed) + 1)).expect("a name"),
            conversation: Box::new(Self::default()),
            modes: Modes::usual(),
            patience: Duration::from_secs(1),
            viewer: None,
            past: vec![],
        })
    }

    async fn kept(&self, _: Option<&Path>) -> Result<Vec<SessionSummary>, String> {
        Ok(vec![])
    }

    async fn forget(&self, _: &SessionId) -> Result<(), String> {
        Ok(())
    }
}

#[async_trait]
impl Conversation for Echo {
    async fn prompt(&mut self, task: &str, watch: &ClientView, _: &CancellationToken) -> PromptEnd {
        watch.tell(SessionEvent::Said { text: task.to_owned() }).await;
        PromptEnd::Done
    }

    async fn close(&mut self) {}
}

pub(crate) fn check(bytes: &[u8]) {
    for greeting in [GREETING, b""] {
        served(&RUNTIME, greeting, bytes, async move |input, output| {
            let name = InitializeRequest { name: "haft".to_owned(), version: "0".to_owned() };
            serve(Arc::new(Echo::default()), name, input, output, CancellationToken::new()).await;
        });
    }
}
