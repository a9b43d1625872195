//! A server over HTTP that does what a test says, byte for byte, on loopback.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Value,
    /// The body as it came.
    pub(crate) text: String,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub(crate) fn rpc(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    /// The tool that is called.
    pub(crate) fn tool(&self) -> &str {
        self.body["params"]["name"].as_str().unwrap_or_default()
    }

    /// An answer of the protocol to this request.
    pub(crate) fn result(&self, result: &Value) -> String {
        json!({"jsonrpc": "2.0", "id": self.body["id"], "result": result}).to_string()
    }

    /// The answer of a call: one text.
    pub(crate) fn text(&self, text: &str) -> String {
        self.result(&json!({"content": [{"type": "text", "text": text}]}))
    }
}

/// What is done with a request.
pub(crate) enum Step {
    /// These bytes are written.
    Write(Vec<u8>),
    /// This is written again and again, until nobody reads any more.
    Forever(Vec<u8>),
    /// Nothing is done for so long.
    Wait(Duration),
}

/// A whole answer with a status and headers.
pub(crate) fn answer(status: &str, headers: &[&str], body: &str) -> Vec<Step> {
    let headers: Vec<&str> = headers.iter().flat_map(|header| [*header, "\r\n"]).collect();
    let headers = headers.concat();
    vec![Step::Write(
        format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n{headers}\r\n{body}", body.len()).into_bytes(),
    )]
}

pub(crate) fn json_answer(body: &str) -> Vec<Step> {
    answer("200 OK", &["Content-Type: application/json"], body)
}

/// Events, and then the end of the connection.
pub(crate) fn events(events: &[&str]) -> Vec<Step> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    vec![Step::Write(format!("{head}{}", events.concat()).into_bytes())]
}

type Script = dyn Fn(&Asked) -> Option<Vec<Step>> + Send + Sync;

/// A running server. It answers the handshake of 2025-11-25 with a session, a list of tools, and
/// calls with `done`, unless its script says otherwise.
pub(crate) struct Hostile {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    connections: Arc<Mutex<usize>>,
    written: Arc<AtomicU64>,
    listening: JoinHandle<()>,
}

impl Drop for Hostile {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

impl Hostile {
    pub(crate) async fn start(
        tools: &[&str],
        script: impl Fn(&Asked) -> Option<Vec<Step>> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let (asked, script): (Arc<Mutex<Vec<Asked>>>, Arc<Script>) = (Arc::default(), Arc::new(script));
        let connections = Arc::new(Mutex::new(0));
        let tools: Value = tools.iter().map(|name| json!({"name": name, "inputSchema": {"type": "object"}})).collect();
        let written = Arc::<AtomicU64>::default();
        let (seen, counted, sent) = (Arc::clone(&asked), Arc::clone(&connections), Arc::clone(&written));
        let listening = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                *counted.lock().unwrap() += 1;
                let (seen, script, tools, sent) =
                    (Arc::clone(&seen), Arc::clone(&script), tools.clone(), Arc::clone(&sent));
                tokio::spawn(async move { serve(stream, &seen, &*script, &tools, &sent).await });
            }
        });
        Self { url, asked, connections, written, listening }
    }

    /// The requests so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        *self.connections.lock().unwrap()
    }

    /// Bytes that were written again and again.
    pub(crate) fn written(&self) -> u64 {
        self.written.load(Ordering::Acquire)
    }

    pub(crate) fn count(&self, matches: impl Fn(&Asked) -> bool) -> usize {
        self.asked().iter().filter(|asked| matches(asked)).count()
    }
}

async fn serve(
    stream: TcpStream,
    seen: &Mutex<Vec<Asked>>,
    script: &Script,
    tools: &Value,
    sent: &AtomicU64,
) -> Option<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let asked = read(&mut stream).await?;
        seen.lock().unwrap().push(asked.clone());
        let steps = script(&asked).unwrap_or_else(|| usual(&asked, tools));
        let mut ends = false;
        for step in steps {
            match step {
                Step::Write(bytes) => {
                    ends |= String::from_utf8_lossy(&bytes).contains("Connection: close");
                    stream.write_all(&bytes).await.ok()?;
                }
                Step::Forever(bytes) => loop {
                    stream.write_all(&bytes).await.ok()?;
                    sent.fetch_add(bytes.len() as u64, Ordering::AcqRel);
                },
                Step::Wait(time) => tokio::time::sleep(time).await,
            }
        }
        if ends {
            stream.shutdown().await.ok()?;
            return None;
        }
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut first = String::new();
    stream.read_line(&mut first).await.ok()?;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_owned(), value.to_owned()));
    }
    let asked = Asked { method, path, headers, body: Value::Null, text: String::new() };
    let length = asked.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    let text = String::from_utf8_lossy(&body).into_owned();
    Some(Asked { body: serde_json::from_slice(&body).unwrap_or_default(), text, ..asked })
}

fn usual(asked: &Asked, tools: &Value) -> Vec<Step> {
    let session = "Mcp-Session-Id: s-1";
    let kind = "Content-Type: application/json";
    match (asked.method.as_str(), asked.rpc()) {
        ("POST", "initialize") => {
            let result = json!({
                "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "hostile", "version": "1"},
            });
            answer("200 OK", &[kind, session], &asked.result(&result))
        }
        ("POST", "tools/list") => json_answer(&asked.result(&json!({"tools": tools}))),
        ("POST", "tools/call") => json_answer(&asked.text("done")),
        ("POST", "server/discover") => {
            let error = json!({"jsonrpc": "2.0", "id": asked.body["id"], "error": {"code": -32601, "message": "no"}});
            answer("404 Not Found", &[kind], &error.to_string())
        }
        ("POST", _) => answer("202 Accepted", &[], ""),
        ("DELETE", _) => answer("204 No Content", &[], ""),
        _ => answer("405 Method Not Allowed", &[], ""),
    }
}
