//! The connection to a language server: sends one request at a time, and replies to requests of the
//! server.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tools_core::hex;

use super::frame::{Frames, send};

/// Result of a request.
pub(super) type RequestResult = Result<Value, Failure>;

/// Reason why there is no result.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The stream ended or failed.
    #[error("the server ended or sent what is not a message ({0})")]
    Stream(#[from] io::Error),
    /// The server refused this request.
    #[error("the server answered: {0}")]
    Refused(String),
}

/// A place in a file, from a server. Lines are counted from 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    pub(crate) line: u32,
}

pub(super) struct Client {
    input: Pin<Box<dyn AsyncWrite + Send>>,
    output: Pin<Box<dyn AsyncRead + Send>>,
    frames: Frames,
    last: u64,
    /// Whether positions are counted in bytes instead of UTF-16 units.
    in_bytes: bool,
}

impl Client {
    /// Initializes the connection for a workspace.
    pub(super) async fn begin(
        input: impl AsyncWrite + Send + 'static,
        output: impl AsyncRead + Send + 'static,
        root: &Path,
    ) -> Result<Self, Failure> {
        let frames = Frames::default();
        let mut client = Self { input: Box::pin(input), output: Box::pin(output), frames, last: 0, in_bytes: false };
        let folder = uri(root);
        let asked = json!({
            "processId": null,
            "clientInfo": {"name": "haft"},
            "rootUri": folder,
            "workspaceFolders": [{"uri": folder, "name": "workspace"}],
            "capabilities": {
                "general": {"positionEncodings": ["utf-8", "utf-16"]},
                "textDocument": {
                    "synchronization": {},
                    "definition": {"linkSupport": false},
                    "references": {},
                    "hover": {"contentFormat": ["plaintext", "markdown"]},
                },
                "workspace": {"configuration": true, "workspaceFolders": true},
            },
        });
        let told = client.request("initialize", asked).await?;
        client.in_bytes = told.pointer("/capabilities/positionEncoding").and_then(Value::as_str) == Some("utf-8");
        client.notify("initialized", json!({})).await?;
        Ok(client)
    }

    pub(super) async fn request(&mut self, method: &str, params: Value) -> RequestResult {
        self.last += 1;
        let id = self.last;
        send(&mut self.input, &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await?;
        loop {
            let message = self.frames.next(&mut self.output).await?;
            if message.get("method").is_some() {
                self.reply(&message).await?;
            } else if message.get("id").and_then(Value::as_u64) == Some(id) {
                if let Some(error) = message.get("error") {
                    let text = error.get("message").and_then(Value::as_str).unwrap_or("an error without a message");
                    return Err(Failure::Refused(text.chars().take(300).collect()));
                }
                return Ok(message.get("result").cloned().unwrap_or_default());
            }
        }
    }

    pub(super) async fn notify(&mut self, method: &str, params: Value) -> Result<(), Failure> {
        Ok(send(&mut self.input, &json!({"jsonrpc": "2.0", "method": method, "params": params})).await?)
    }

    /// Replies to a request of the server, and ignores its notifications. The server may not change
    /// anything.
    async fn reply(&mut self, message: &Value) -> Result<(), Failure> {
        let Some(id) = message.get("id") else { return Ok(()) };
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
        let items = message.pointer("/params/items").and_then(Value::as_array).map_or(0, Vec::len);
        let reply = match method {
            "workspace/configuration" => json!({"jsonrpc": "2.0", "id": id, "result": vec![Value::Null; items]}),
            "workspace/applyEdit" => json!({"jsonrpc": "2.0", "id": id, "result": {"applied": false}}),
            "client/registerCapability"
            | "client/unregisterCapability"
            | "window/workDoneProgress/create"
            | "workspace/workspaceFolders"
            | "window/showMessageRequest" => {
                json!({"jsonrpc": "2.0", "id": id, "result": null})
            }
            _ => json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "not supported"}}),
        };
        Ok(send(&mut self.input, &reply).await?)
    }

    /// The position of a byte in a line, in the units of this server.
    pub(super) fn character(&self, line: &str, byte: usize) -> usize {
        let before = line.get(..byte).unwrap_or(line);
        if self.in_bytes { before.len() } else { before.encode_utf16().count() }
    }
}

pub(super) fn uri(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    let mut uri = "file://".to_owned();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(*byte)),
            _ => {
                uri.push('%');
                uri.push_str(&hex(&[*byte]).to_uppercase());
            }
        }
    }
    uri
}

/// The path of a `file:` URI.
fn path_of(uri: &str) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    let path = uri.strip_prefix("file://")?.as_bytes();
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.iter();
    while let Some(byte) = rest.next() {
        let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
        bytes.push(match byte {
            b'%' => u8::try_from(digit(rest.next())? * 16 + digit(rest.next())?).ok()?,
            _ => *byte,
        });
    }
    Some(std::ffi::OsString::from_vec(bytes).into())
}

/// The places in a result: one, several, or links to them.
pub(super) fn places(answer: &Value) -> Vec<Place> {
    let one = |value: &Value| {
        let uri = value.get("uri").or_else(|| value.get("targetUri"))?.as_str()?;
        let range = value.get("range").or_else(|| value.get("targetSelectionRange"))?;
        let line = u32::try_from(range.pointer("/start/line")?.as_u64()?).ok()?;
        Some(Place { path: path_of(uri)?, line })
    };
    let mut places: Vec<Place> = match answer {
        Value::Array(all) => all.iter().filter_map(one).collect(),
        other => one(other).into_iter().collect(),
    };
    places.sort_unstable();
    places.dedup();
    places
}

/// The text of a hover in any of its forms.
pub(super) fn hover(answer: &Value) -> Option<String> {
    fn text(contents: &Value) -> String {
        match contents {
            Value::String(text) => text.clone(),
            Value::Array(all) => all.iter().map(text).collect::<Vec<_>>().join("\n"),
            other => other.get("value").and_then(Value::as_str).unwrap_or_default().to_owned(),
        }
    }
    let text = text(answer.get("contents")?);
    let lines: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("```")).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_come_back_from_their_uris() {
        for path in ["/w/a b/ü%.rs", "/w/a.rs"] {
            assert_eq!(path_of(&uri(Path::new(path))).as_deref(), Some(Path::new(path)));
        }
        assert_eq!(uri(Path::new("/a b")), "file:///a%20b");
        assert_eq!((path_of("https://x/"), path_of("file:///%zz")), (None, None));
    }

    #[test]
    fn places_and_texts_are_read_in_every_form() {
        let at = |line: u64| json!({"start": {"line": line, "character": 0}, "end": {"line": line, "character": 1}});
        let place = |line| Place { path: "/a".into(), line };
        assert_eq!(places(&json!({"uri": "file:///a", "range": at(3)})), [place(3)]);
        assert_eq!(places(&json!([{"targetUri": "file:///a", "targetSelectionRange": at(4)}, {"uri": 1}])), [place(4)]);
        assert_eq!(places(&Value::Null), []);
        assert_eq!(hover(&json!({"contents": "a"})).as_deref(), Some("a"));
        assert_eq!(
            hover(&json!({"contents": {"kind": "markdown", "value": "```rust\nfn a()\n```\n\ntext"}})).as_deref(),
            Some("fn a()\ntext")
        );
        assert_eq!(hover(&json!({"contents": [{"language": "x", "value": "b"}, "c"]})).as_deref(), Some("b\nc"));
        assert_eq!(hover(&Value::Null), None);
    }
}
