//! `haft mcp serve --http` as a test starts it, and a client that writes its requests itself.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Haft, Running};

/// Tokens of two guests.
pub(crate) const ALICE: &str = "alice-0123456789-0123456789-0123456789";
pub(crate) const BOB: &str = "bob-0123456789-0123456789-0123456789-0";

/// A server and where it listens.
pub(crate) struct Server {
    pub(crate) running: Running,
    pub(crate) address: String,
    pub(crate) token: String,
    errors: PathBuf,
}

/// A new certificate for `localhost` in these files; `false` where there is no `openssl`.
pub(crate) fn certificate(haft: &Haft, name: &str) -> bool {
    let mut openssl = Command::new("openssl");
    openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]);
    openssl.args([
        "-subj",
        &format!("/CN={name}"),
        "-addext",
        "subjectAltName=DNS:localhost",
        "-addext",
        "basicConstraints=critical,CA:FALSE",
        "-keyout",
    ]);
    openssl.arg(haft.home.path("key.pem")).arg("-out").arg(haft.home.path("cert.pem"));
    let made = openssl.stdout(Stdio::null()).stderr(Stdio::null()).status();
    made.is_ok_and(|status| status.success())
}

impl Server {
    /// Starts a server with these options.
    pub(crate) fn start(haft: &Haft, options: &[&str]) -> Self {
        let mut words = vec!["mcp", "serve", "--http", "127.0.0.1:0", "--json"];
        words.extend(options);
        let errors = haft.home.path("server-errors");
        let stderr = std::fs::File::create(&errors).expect("a file is made");
        let mut child = haft.command(&words).stdout(Stdio::piped()).stderr(stderr).spawn().expect("the server starts");
        let mut line = String::new();
        let output = child.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("it says where it listens");
        let said: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        let url = said["url"].as_str().expect("it has an address");
        let address = url
            .split_once("://")
            .and_then(|(_, rest)| rest.strip_suffix("/mcp"))
            .expect("its form is known")
            .to_owned();
        Self { running: Running(child), address, token: said["token"].as_str().unwrap_or_default().to_owned(), errors }
    }

    /// What it wrote to standard error so far.
    pub(crate) fn said(&self) -> String {
        std::fs::read_to_string(&self.errors).unwrap_or_default()
    }

    /// Sends a request as it is written here, and reads the answer to its end.
    pub(crate) fn raw(&self, text: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_mins(1))).expect("it is a time");
        // A server that refuses may close before everything is sent.
        let _ = stream.write_all(text);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    pub(crate) fn post(&self, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut text = String::from("POST /mcp HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            let _ = write!(text, "Host: {}\r\n", self.address);
        }
        for (name, value) in headers {
            let _ = write!(text, "{name}: {value}\r\n");
        }
        text += "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
        let _ = write!(text, "Content-Length: {}\r\n\r\n{body}", body.len());
        Answer(self.raw(text.as_bytes()))
    }

    /// The answer to a request of the revision without sessions.
    pub(crate) fn without_session(&self, token: &str, method: &str, name: &str, mut params: Value) -> Answer {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let bearer = format!("Bearer {token}");
        let headers = [
            ("Authorization", bearer.as_str()),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", method),
            ("Mcp-Name", name),
        ];
        let body = json!({"jsonrpc": "2.0", "id": 4, "method": method, "params": params});
        let answer = self.post(&headers, &body.to_string());
        assert_eq!(answer.header("Mcp-Session-Id"), None, "{answer:?}");
        answer
    }

    /// The text of the result of a call without a session.
    pub(crate) fn call_without_session(&self, token: &str, tool: &str, arguments: &Value) -> String {
        let answer = self.without_session(token, "tools/call", tool, json!({"name": tool, "arguments": arguments}));
        answer.message(4)["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer:?}")).to_owned()
    }

    pub(crate) fn client(&self, token: &str) -> Client<'_> {
        Client { server: self, bearer: format!("Bearer {token}"), session: None }
    }
}

/// What a server answered, headers and all.
#[derive(Debug)]
pub(crate) struct Answer(pub(crate) String);

impl Answer {
    pub(crate) fn status(&self) -> u16 {
        self.0.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let head = self.0.split("\r\n\r\n").next()?;
        let mut headers = head.lines().filter_map(|line| line.split_once(": "));
        headers.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    /// The message of JSON-RPC with this id, as a body of its own or in an event.
    pub(crate) fn message(&self, id: u64) -> Value {
        let lines = self.0.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
        let mut messages = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        messages.find(|message| message["id"] == id).unwrap_or_else(|| panic!("{self:?}"))
    }
}

/// A client of a server over HTTP, with its token and session.
pub(crate) struct Client<'a> {
    pub(crate) server: &'a Server,
    pub(crate) bearer: String,
    pub(crate) session: Option<String>,
}

impl Client<'_> {
    pub(crate) fn post(&self, body: &Value) -> Answer {
        let mut headers = vec![("Authorization", self.bearer.as_str())];
        headers.extend(self.session.as_deref().map(|session| ("Mcp-Session-Id", session)));
        self.server.post(&headers, &body.to_string())
    }

    /// The handshake of a client that cannot ask its user.
    pub(crate) fn greeted(self) -> Self {
        self.greeted_with(&json!({}))
    }

    /// The handshake.
    pub(crate) fn greeted_with(mut self, capabilities: &Value) -> Self {
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": {"name": "test", "version": "0"}});
        let answer = self.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}));
        assert_eq!(answer.message(1)["result"]["serverInfo"]["name"], "haft", "{answer:?}");
        self.session = Some(answer.header("Mcp-Session-Id").unwrap_or_else(|| panic!("{answer:?}")).to_owned());
        assert_eq!(self.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).status(), 202);
        self
    }

    /// Sends a request of the session and leaves the connection open.
    pub(crate) fn send(&self, method: &str, headers: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.server.address).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_mins(1))).expect("it is a time");
        let text = format!(
            "{method} /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: {}\r\nMcp-Session-Id: {}\r\n{headers}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
            self.server.address,
            self.bearer,
            self.session.as_deref().expect("it was greeted"),
            body.len(),
        );
        stream.write_all(text.as_bytes()).expect("the server reads");
        stream
    }

    /// The answer to a request, result or error.
    pub(crate) fn request(&self, method: &str, params: &Value) -> Value {
        self.post(&json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})).message(7)
    }

    /// The text of a call's result.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> String {
        let answer = self.request("tools/call", &json!({"name": tool, "arguments": arguments}));
        answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// The text of the result of a call about which the user is asked, who answers so.
    #[cfg(feature = "postgres")]
    pub(crate) fn call_answering(&self, tool: &str, arguments: &Value, decision: &str) -> String {
        let params = json!({"name": tool, "arguments": arguments});
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}).to_string();
        for line in BufReader::new(self.send("POST", "Connection: close\r\n", &body)).lines().map_while(Result::ok) {
            let Ok(message) = serde_json::from_str::<Value>(line.strip_prefix("data:").unwrap_or(&line)) else {
                continue;
            };
            if message["method"] == "elicitation/create" {
                let answer = json!({"action": "accept", "content": {"decision": decision}});
                let answered = self.post(&json!({"jsonrpc": "2.0", "id": message["id"], "result": answer}));
                assert_eq!(answered.status(), 202, "{answered:?}");
            } else if message["id"] == 7 {
                return message["result"]["content"][0]["text"]
                    .as_str()
                    .unwrap_or_else(|| panic!("{message}"))
                    .to_owned();
            }
        }
        panic!("the answer to the call did not come");
    }
}
