//! A client of lines: what it sends is written as it stands, what it gets is kept in order.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex, split,
};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tools_acp::{InitializeRequest, serve};

use crate::doubles::Host;

const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Client {
    writer: Option<WriteHalf<DuplexStream>>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    /// What came while something else was waited for.
    early: VecDeque<Value>,
    next: i64,
    pub(crate) server: JoinHandle<()>,
}

impl Client {
    /// A client of a server, before the first word.
    pub(crate) fn raw(host: Host) -> Self {
        let (near, far) = duplex(64 * 1024);
        let (reader, writer) = split(near);
        let (input, output) = split(far);
        let greeting = InitializeRequest { name: "haft".to_owned(), version: "1".to_owned() };
        let server = tokio::spawn(serve(Arc::new(host), greeting, input, output, CancellationToken::new()));
        let lines = BufReader::new(reader).lines();
        Self { writer: Some(writer), lines, early: VecDeque::new(), next: 1, server }
    }

    /// A client that was greeted and has a session.
    pub(crate) async fn open(host: Host) -> Self {
        Self::open_with(host, json!({})).await
    }

    /// The same with a client that can do this.
    pub(crate) async fn open_with(host: Host, capabilities: Value) -> Self {
        let mut client = Self::raw(host);
        client.greet_with(capabilities).await;
        let opened = client.request("session/new", json!({"cwd": "/", "mcpServers": []})).await;
        assert_eq!(opened["result"]["sessionId"], "s-1", "{opened}");
        client
    }

    pub(crate) async fn greet(&mut self) {
        self.greet_with(json!({})).await;
    }

    async fn greet_with(&mut self, capabilities: Value) {
        let params = json!({"protocolVersion": 1, "clientCapabilities": capabilities});
        let greeted = self.request("initialize", params).await;
        assert_eq!(greeted["result"]["protocolVersion"], 1, "{greeted}");
    }

    pub(crate) async fn send_text(&mut self, text: &str) {
        let writer = self.writer.as_mut().expect("it is open");
        writer.write_all(text.as_bytes()).await.expect("the server reads");
        writer.write_all(b"\n").await.expect("the server reads");
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string()).await;
    }

    /// Sends a request and gives its id.
    pub(crate) async fn begin(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        id
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        self.until(|message| message["id"] == id && message.get("method").is_none()).await
    }

    /// Says something in the session.
    pub(crate) async fn say(&mut self, text: &str) -> i64 {
        self.begin("session/prompt", json!({"sessionId": "s-1", "prompt": [{"type": "text", "text": text}]})).await
    }

    /// The next message.
    pub(crate) async fn message(&mut self) -> Value {
        if let Some(early) = self.early.pop_front() {
            return early;
        }
        self.read().await.expect("the server is there")
    }

    /// The next message of the server; `None` when it is gone.
    pub(crate) async fn read(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await.expect("the server answers");
        line.expect("the pipe works").map(|line| serde_json::from_str(&line).expect("every line is JSON"))
    }

    /// The first message that fits; others are kept.
    pub(crate) async fn until(&mut self, mut fits: impl FnMut(&Value) -> bool) -> Value {
        if let Some(at) = self.early.iter().position(&mut fits) {
            return self.early.remove(at).expect("it is there");
        }
        loop {
            let message = self.read().await.expect("the server is there");
            if fits(&message) {
                return message;
            }
            self.early.push_back(message);
        }
    }

    /// Leaves without a word, and waits for the server to end.
    pub(crate) async fn leave(mut self) {
        drop(self.writer.take());
        drop(self.lines);
        tokio::time::timeout(PATIENCE, self.server).await.expect("the server ends").expect("it does not panic");
    }
}
