//! A server on loopback that follows a script, in the protocol of the request's path. For tests and
//! demonstrations: it supports only the HTTP that a client of this crate uses.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tools_core::Locked as _;

use super::answer::{Answer, End, answer, refusal};
use super::script::Script;
use crate::Protocol;

/// Maximum size in bytes of a request's body.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

/// A received request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedRequest {
    /// Its path.
    pub path: String,
    /// Its headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Vec<u8>,
}

/// A scripted server. Ends when it is dropped.
#[derive(Debug)]
pub struct ScriptedServer {
    address: SocketAddr,
    received: Arc<Mutex<Vec<ReceivedRequest>>>,
    task: JoinHandle<()>,
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl ScriptedServer {
    /// Starts a server on a free port of loopback.
    ///
    /// # Errors
    /// If no port is free.
    pub async fn start(script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let received = Arc::new(Mutex::new(Vec::new()));
        let (script, all) = (Arc::new(script), Arc::clone(&received));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (script, all) = (Arc::clone(&script), Arc::clone(&all));
                tokio::spawn(async move { drop(serve(stream, &script, &all).await) });
            }
        });
        Ok(Self { address, received, task })
    }

    /// The base URL of a protocol.
    pub fn base_url(&self, protocol: Protocol) -> String {
        match protocol {
            Protocol::OpenAiChat | Protocol::OpenAiResponses => format!("http://{}/v1", self.address),
            Protocol::Anthropic | Protocol::Ollama => format!("http://{}", self.address),
        }
    }

    /// The requests so far, in order.
    pub fn received(&self) -> Vec<ReceivedRequest> {
        self.received.locked().clone()
    }
}

async fn serve(stream: TcpStream, script: &Script, all: &Mutex<Vec<ReceivedRequest>>) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    let request = read(&mut stream).await?;
    let protocol = match request.path.as_str() {
        "/v1/messages" => Protocol::Anthropic,
        "/v1/chat/completions" => Protocol::OpenAiChat,
        "/v1/responses" => Protocol::OpenAiResponses,
        "/api/chat" => Protocol::Ollama,
        _ => {
            let answer = refusal(Protocol::Ollama, 404, "there is nothing at this path", String::new());
            return write(stream.get_mut(), &answer).await;
        }
    };
    let number = {
        let mut all = all.locked();
        all.push(request.clone());
        all.len() - 1
    };
    let answer = match script.turns.get(number) {
        None => refusal(protocol, 400, "the script has no further turn", String::new()),
        Some(turn) if !String::from_utf8_lossy(&request.body).contains(&turn.expect) => {
            refusal(protocol, 400, "the script expects another text", String::new())
        }
        Some(turn) => answer(protocol, turn, number),
    };
    write(stream.get_mut(), &answer).await
}

async fn read(stream: &mut BufReader<TcpStream>) -> io::Result<ReceivedRequest> {
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    loop {
        line.clear();
        if stream.read_line(&mut line).await? == 0 || line.trim_end().is_empty() {
            break;
        }
        if let Some((name, value)) = line.trim_end().split_once(':') {
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0).min(MAX_BODY_BYTES)];
    stream.read_exact(&mut body).await?;
    Ok(ReceivedRequest { path, headers, body })
}

async fn write(stream: &mut TcpStream, answer: &Answer) -> io::Result<()> {
    let retry =
        if answer.retry_after.is_empty() { String::new() } else { format!("retry-after: {}\r\n", answer.retry_after) };
    let head = format!(
        "HTTP/1.1 {} Scripted\r\ncontent-type: {}\r\n{retry}transfer-encoding: chunked\r\nconnection: close\r\n\r\n",
        answer.status, answer.content_type
    );
    stream.set_nodelay(true)?;
    stream.write_all(head.as_bytes()).await?;
    for piece in answer.pieces.iter().filter(|piece| !piece.is_empty()) {
        stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).await?;
        stream.write_all(piece).await?;
        stream.write_all(b"\r\n").await?;
        stream.flush().await?;
    }
    match answer.end {
        End::Whole => stream.write_all(b"0\r\n\r\n").await?,
        End::Closed => {}
        // Until the client disconnects.
        End::Stalled => drop(stream.read(&mut [0; 1]).await),
    }
    stream.shutdown().await
}
