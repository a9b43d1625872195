//! The running servers, one per workspace and language, and their answers about a name.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use serde_json::json;
use tokio::time::timeout;
use tools_core::{CallContext, Locked as _};
use tools_sandbox::{kernel::Level, obeyed::ObeyedLook};

use super::client::{Client, Failure, Place, hover, places, uri};
use super::launch::{Child, LaunchConfinement, launch};
use crate::config::ServerConfig;

/// A query about a name at a place in a file whose text is known.
#[derive(Debug, Clone)]
pub(crate) struct NameQuery {
    pub(crate) path: PathBuf,
    /// Its language, by its name in the protocol.
    pub(crate) language_id: &'static str,
    pub(crate) text: String,
    /// Line of the name, from 0.
    pub(crate) line: u32,
    /// Offset of the name in the line, in bytes.
    pub(crate) column: usize,
}

/// The answer of a server about a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NameAnswer {
    pub(crate) definitions: Vec<Place>,
    pub(crate) references: Vec<Place>,
    pub(crate) hover: Option<String>,
}

/// The servers of one tool.
#[derive(Debug, Default)]
pub(crate) struct Servers {
    running: Mutex<HashMap<(Vec<PathBuf>, &'static str), Slot>>,
    /// Whether the kernel keeps servers from writing; known after the first start.
    are_held: OnceLock<bool>,
}

type Slot = Arc<tokio::sync::Mutex<Option<RunningServer>>>;

/// One server and the connection to it.
struct RunningServer {
    client: Client,
    _child: Option<Child>,
}

tools_core::partial_debug!(RunningServer {});

impl Servers {
    /// Asks the server of a language, and starts it if necessary. A server that does not answer in
    /// time is ended.
    ///
    /// # Errors
    /// The reason, as text for a model.
    pub(crate) async fn ask(
        &self,
        held: &LaunchConfinement,
        (language, server): (&'static str, &ServerConfig),
        roots: &[PathBuf],
        asked: &NameQuery,
        cx: &CallContext,
    ) -> Result<NameAnswer, String> {
        let slot = {
            let mut running = self.running.locked();
            Arc::clone(running.entry((roots.to_vec(), language)).or_default())
        };
        let work = async {
            let mut slot = slot.lock().await;
            // Taken out of the slot: an interrupted connection must not be used again.
            let mut running = match slot.take() {
                Some(running) => running,
                None => self.begin(held, server, roots, cx).await?,
            };
            let told = converse(&mut running.client, asked).await;
            match told {
                Ok(told) => {
                    *slot = Some(running);
                    Ok(told)
                }
                Err(failure) => Err(failure.to_string()),
            }
        };
        let waited = Duration::from_secs(server.timeout);
        // A server that the kernel does not confine could change files unnoticed; this detects it.
        let rules = held.children.hidden();
        let look = (self.are_held.get() != Some(&true)).then(|| ObeyedLook::new(rules.clone(), roots.to_vec()));
        ObeyedLook::around(look.as_ref(), cx, Box::pin(timeout(waited, work)))
            .await
            .unwrap_or_else(|_| Err(format!("the server did not answer within {} s", server.timeout)))
    }

    async fn begin(
        &self,
        held: &LaunchConfinement,
        server: &ServerConfig,
        roots: &[PathBuf],
        cx: &CallContext,
    ) -> Result<RunningServer, String> {
        let mut child = launch(held, server, roots, cx).await?;
        // All servers get the same confinement.
        self.are_held.get_or_init(|| child.level() == Level::Namespaces);
        let (Some(input), Some(output)) = (child.tree.take_stdin(), child.tree.take_stdout()) else {
            return Err("the server has no streams".to_owned());
        };
        let root = roots.first().map_or(Path::new("/"), PathBuf::as_path);
        let client = Client::begin(input, output, root).await.map_err(|failure| failure.to_string())?;
        Ok(RunningServer { client, _child: Some(child) })
    }
}

/// Opens the current file on the server, asks about the name, and closes the file.
async fn converse(client: &mut Client, asked: &NameQuery) -> Result<NameAnswer, Failure> {
    let document = uri(&asked.path);
    let line = asked.text.lines().nth(asked.line as usize).unwrap_or_default();
    let character = client.character(line, asked.column);
    let at = json!({
        "textDocument": {"uri": document},
        "position": {"line": asked.line, "character": character},
    });
    let item = json!({"uri": document, "languageId": asked.language_id, "version": 1, "text": asked.text});
    client.notify("textDocument/didOpen", json!({"textDocument": item})).await?;
    let definitions = places(&refusable(client.request("textDocument/definition", at.clone()).await)?);
    let mut with_context = at.clone();
    with_context["context"] = json!({"includeDeclaration": false});
    let references = places(&refusable(client.request("textDocument/references", with_context).await)?);
    let hover = hover(&refusable(client.request("textDocument/hover", at).await)?);
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": document}})).await?;
    Ok(NameAnswer { definitions, references, hover })
}

/// Treats a refused request as an empty result: the server may support the next one.
fn refusable(answered: super::client::RequestResult) -> super::client::RequestResult {
    match answered {
        Err(Failure::Refused(_)) => Ok(serde_json::Value::Null),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tokio::io::{AsyncRead, AsyncWrite};

    use super::*;
    use crate::lsp::frame::{Frames, send};

    /// A server that sends a request before it answers, knows one definition and two uses, and has
    /// no hover.
    async fn scripted(mut input: impl AsyncRead + Unpin, mut output: impl AsyncWrite + Unpin) -> Vec<String> {
        let (mut frames, mut methods) = (Frames::default(), Vec::new());
        while let Ok(message) = frames.next(&mut input).await {
            let method = message["method"].as_str().unwrap_or("reply").to_owned();
            methods.push(method.clone());
            let at = |line: u64| json!({"uri": "file:///w/a.py", "range": {"start": {"line": line, "character": 0}}});
            let result = match method.as_str() {
                "initialize" => json!({"capabilities": {}}),
                "textDocument/definition" => {
                    assert_eq!(message["params"]["position"], json!({"line": 1, "character": 5}), "UTF-16");
                    let ask = json!({"jsonrpc": "2.0", "id": "x", "method": "workspace/configuration", "params": {"items": [{}]}});
                    send(&mut output, &ask).await.unwrap();
                    send(&mut output, &json!({"jsonrpc": "2.0", "method": "window/logMessage"})).await.unwrap();
                    at(1)
                }
                "textDocument/references" => json!([at(4), at(7), at(4)]),
                "textDocument/hover" => {
                    let error =
                        json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}});
                    send(&mut output, &error).await.unwrap();
                    continue;
                }
                _ => continue,
            };
            send(&mut output, &json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).await.unwrap();
        }
        methods
    }

    #[tokio::test]
    async fn a_server_is_asked_about_the_file_as_it_is() {
        let (ours, theirs) = tokio::io::duplex(64);
        let (input, output) = tokio::io::split(theirs);
        let server = tokio::spawn(scripted(input, output));
        let (output, input) = tokio::io::split(ours);
        let mut client = Client::begin(input, output, Path::new("/w")).await.unwrap();
        let asked = NameQuery {
            path: "/w/a.py".into(),
            language_id: "python",
            text: "x\n\u{1F600}ü = name\n".to_owned(),
            line: 1,
            column: 8,
        };
        let told = converse(&mut client, &asked).await.unwrap();
        let place = |line| Place { path: "/w/a.py".into(), line };
        assert_eq!(told, NameAnswer { definitions: vec![place(1)], references: vec![place(4), place(7)], hover: None });
        drop(client);
        let methods = server.await.unwrap();
        assert_eq!(
            methods,
            [
                "initialize",
                "initialized",
                "textDocument/didOpen",
                "textDocument/definition",
                "reply",
                "textDocument/references",
                "textDocument/hover",
                "textDocument/didClose"
            ]
        );
        let _ = Value::Null;
    }
}
