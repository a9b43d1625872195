//! An MCP server that wants a login, and its authorization server, in one: it rotates refresh
//! tokens, and takes everything back when an old one comes again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tools_core::{CallContext, SessionId, ToolCall, ToolError, ToolExecutor as _};
use tools_mcp_client::{
    ClientKeys, Launcher, LoginError, LoginRequest, LoginStore, LoginSummary, McpServers, McpTools, PendingLogin,
    PreparedRemote, PreparedServer, Server, ServerLogin, StartedLogin, compile, pins::LockStore,
};
use tools_testkit::FakeClock;

use crate::hostile::{Asked, Hostile, Step, answer, json_answer};

pub(crate) const SECRET: &str = "s3cret-of-the-authorization-server";

/// What the authorization server knows.
#[derive(Debug, Default)]
pub(crate) struct Issued {
    count: usize,
    /// The access token that is good now, and its scope.
    pub(crate) access: Option<(String, String)>,
    pub(crate) refresh: Option<String>,
    /// Whether an old refresh token came, which is a theft or a lost rotation.
    pub(crate) was_reused: bool,
    challenge: String,
    scope: String,
}

impl Issued {
    fn issue(&mut self) -> Vec<Step> {
        self.count += 1;
        let (access, refresh) =
            (format!("access-{}-0123456789", self.count), format!("refresh-{}-0123456789", self.count));
        self.access = Some((access.clone(), self.scope.clone()));
        self.refresh = Some(refresh.clone());
        let token = json!({
            "access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": 3600, "scope": self.scope,
        });
        json_answer(&token.to_string())
    }
}

pub(crate) type Script = Arc<dyn Fn(&Asked) -> Option<Vec<Step>> + Send + Sync>;

/// A client of the server, with a login of its own.
pub(crate) struct World {
    folder: tempfile::TempDir,
    pub(crate) hostile: Hostile,
    pub(crate) issued: Arc<Mutex<Issued>>,
    pub(crate) server: Arc<Server>,
    pub(crate) clock: FakeClock,
    keys: ClientKeys,
    servers: Arc<McpServers>,
    tools: McpTools,
    launcher: Launcher,
}

impl World {
    /// A server whose answers `script` changes; `more` is added to its section, with `BASE` for its
    /// own address.
    pub(crate) async fn new(more: Value, script: impl Fn(&Asked) -> Option<Vec<Step>> + Send + Sync + 'static) -> Self {
        let keys = ClientKeys { secret: Some(SECRET.to_owned()), private_key: None };
        let (issued, script): (Arc<Mutex<Issued>>, Script) = (Arc::default(), Arc::new(script));
        let known = Arc::clone(&issued);
        let hostile = Hostile::start(&["say"], move |asked| script(asked).or_else(|| usual(asked, &known))).await;
        let mut config = json!({"id": "far", "url": hostile.url, "timeout": 20, "start_timeout": 20});
        let more: Value =
            serde_json::from_str(&more.to_string().replace("BASE", hostile.url.trim_end_matches("/mcp"))).unwrap();
        config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let server = Arc::new(compile(&[serde_json::from_value(config).unwrap()]).unwrap().remove(0));
        let folder = tempfile::tempdir().unwrap();
        let clock = FakeClock::default();
        let servers = McpServers::new(vec![(*server).clone()], LockStore::new(folder.path().join("mcp.lock.json")), []);
        let servers = Arc::new(servers);
        let (store, ticks, known) = (LoginStore::new(folder.path().join("logins")), clock.clone(), keys.clone());
        let launcher: Launcher = Arc::new(move |server: &Server, _: &CallContext| {
            let login = ServerLogin::new(server, known.clone(), &store, Arc::new(ticks.clone()));
            let login = Some(login.map_err(|error| error.to_string())?);
            Ok(PreparedServer::Remote(PreparedRemote { login, ..PreparedRemote::default() }))
        });
        let tools = McpTools::new(Arc::clone(&servers), Arc::clone(&launcher));
        Self { folder, hostile, issued, server, clock, keys, servers, tools, launcher }
    }

    /// The login, as another process would have it.
    pub(crate) fn login(&self) -> Arc<ServerLogin> {
        let store = LoginStore::new(self.folder.path().join("logins"));
        ServerLogin::new(&self.server, self.keys.clone(), &store, Arc::new(self.clock.clone())).unwrap()
    }

    pub(crate) async fn begin(&self) -> Result<PendingLogin, LoginError> {
        match self.login().begin(&LoginRequest::default()).await? {
            StartedLogin::Open(pending) => Ok(*pending),
            StartedLogin::Done(made) => panic!("nobody was asked: {made:?}"),
        }
    }

    /// Logs in as a person does who agrees.
    pub(crate) async fn logged_in(&self) -> Result<LoginSummary, LoginError> {
        let pending = self.begin().await?;
        self.visited(&pending);
        let back = back(pending.url(), &[("code", "c0de-0123456789")]);
        let (finished, _) = tokio::join!(pending.finish(Duration::from_secs(20)), get(&back));
        finished
    }

    /// The authorization server is shown the address, as a browser would.
    pub(crate) fn visited(&self, pending: &PendingLogin) {
        let asked = fields(pending.url().split_once('?').unwrap().1);
        let mut issued = self.issued.lock().unwrap();
        issued.challenge.clone_from(&asked["code_challenge"]);
        issued.scope = asked.get("scope").cloned().unwrap_or_default();
    }

    pub(crate) async fn call(&self) -> Result<String, ToolError> {
        self.call_in(CallContext::new(self.folder.path())).await
    }

    async fn call_in(&self, cx: CallContext) -> Result<String, ToolError> {
        let introduced = self.servers.introduce(&self.launcher, &cx).await;
        if let Some((_, error)) = introduced.failed.into_iter().next() {
            return Err(error.into());
        }
        let call = ToolCall::new("mcp_far_say", json!({})).unwrap();
        let output = self.tools.execute_tool_call(&call, &cx).await?;
        Ok(output.expect("it is its tool").summary)
    }

    /// A call in a session of its own.
    pub(crate) async fn call_as(&self, session: usize) -> Result<String, ToolError> {
        let session = SessionId::parse(&format!("session-{session}")).unwrap();
        self.call_in(CallContext::new(self.folder.path()).in_session(session)).await
    }

    /// The server takes the token no more, before its time.
    pub(crate) fn expire(&self) {
        self.issued.lock().unwrap().access = None;
    }

    pub(crate) fn refreshes(&self) -> usize {
        self.hostile.count(|asked| asked.path == "/token" && asked.text.contains("grant_type=refresh_token"))
    }

    /// What is on disk of logins.
    pub(crate) fn stored(&self) -> String {
        let files = std::fs::read_dir(self.folder.path().join("logins")).into_iter().flatten().flatten();
        files.map(|file| std::fs::read_to_string(file.path()).unwrap()).collect()
    }
}

/// The fields of a form or a query.
pub(crate) fn fields(text: &str) -> HashMap<String, String> {
    let decoded = |text: &str| {
        let mut bytes = Vec::new();
        let mut rest = text.as_bytes();
        while let Some((first, behind)) = rest.split_first() {
            rest = behind;
            match first {
                b'+' => bytes.push(b' '),
                b'%' => {
                    bytes.push(u8::from_str_radix(std::str::from_utf8(&rest[..2]).unwrap(), 16).unwrap());
                    rest = &rest[2..];
                }
                other => bytes.push(*other),
            }
        }
        String::from_utf8(bytes).unwrap()
    };
    text.split('&')
        .filter_map(|field| field.split_once('='))
        .map(|(name, value)| (decoded(name), decoded(value)))
        .collect()
}

/// Where the browser is sent, with these fields besides the state.
pub(crate) fn back(url: &str, more: &[(&str, &str)]) -> String {
    let asked = fields(url.split_once('?').unwrap().1);
    let mut back = format!("{}?state={}", asked["redirect_uri"], asked["state"]);
    for (name, value) in more {
        back.extend(["&", name, "=", value]);
    }
    back
}

/// A request as a browser makes it; its answer, or nothing where nobody listens.
pub(crate) async fn get(url: &str) -> Option<String> {
    let (authority, target) = url.strip_prefix("http://")?.split_once('/')?;
    let mut stream = TcpStream::connect(authority).await.ok()?;
    let text = format!("GET /{target} HTTP/1.1\r\nHost: {authority}\r\n\r\n");
    stream.write_all(text.as_bytes()).await.ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.ok()?;
    Some(answer)
}

/// The server's own address.
pub(crate) fn base(asked: &Asked) -> String {
    format!("http://{}", asked.header("host").unwrap())
}

/// Metadata of the resource, with changes; `null` takes a member out.
pub(crate) fn resource(asked: &Asked, more: &Value) -> Vec<Step> {
    let base = base(asked);
    let text = json!({"resource": format!("{base}/mcp"), "authorization_servers": [base], "scopes_supported": ["read", "write"]});
    changed(text, more)
}

/// Metadata of the authorization server, with changes; `null` takes a member out.
pub(crate) fn issuer(asked: &Asked, more: &Value) -> Vec<Step> {
    let base = base(asked);
    let text = json!({
        "issuer": base, "authorization_endpoint": format!("{base}/authorize?tenant=1"), "token_endpoint": format!("{base}/token"),
        "registration_endpoint": format!("{base}/register"), "revocation_endpoint": format!("{base}/revoke"),
        "code_challenge_methods_supported": ["S256"], "scopes_supported": ["read", "write", "offline_access"],
    });
    changed(text, more)
}

fn changed(mut text: Value, more: &Value) -> Vec<Step> {
    text.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json_answer(&text.to_string())
}

pub(crate) const OF_RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";
pub(crate) const OF_ISSUER: &str = "/.well-known/oauth-authorization-server";

fn usual(asked: &Asked, issued: &Mutex<Issued>) -> Option<Vec<Step>> {
    let mut issued = issued.lock().unwrap();
    match asked.path.as_str() {
        OF_RESOURCE => Some(resource(asked, &json!({}))),
        OF_ISSUER => Some(issuer(asked, &json!({}))),
        "/register" => Some(json_answer(r#"{"client_id": "c-1"}"#)),
        "/revoke" => Some(answer("200 OK", &[], "")),
        "/token" => {
            let form = fields(&asked.text);
            let refused = || {
                Some(answer(
                    "400 Bad Request",
                    &["Content-Type: application/json"],
                    &json!({"error": "invalid_grant", "error_description": SECRET}).to_string(),
                ))
            };
            if form.get("resource") != Some(&format!("{}/mcp", base(asked))) {
                return refused();
            }
            match form.get("grant_type").map(String::as_str) {
                Some("authorization_code") if is_answer(&form["code_verifier"], &issued.challenge) => {
                    Some(issued.issue())
                }
                Some("refresh_token")
                    if form.get("refresh_token") == issued.refresh.as_ref() && issued.refresh.is_some() =>
                {
                    Some(issued.issue())
                }
                Some("refresh_token") => {
                    issued.was_reused = issued.refresh.is_some();
                    (issued.access, issued.refresh) = (None, None);
                    refused()
                }
                Some("client_credentials") => {
                    issued.scope = form.get("scope").cloned().unwrap_or_default();
                    Some(issued.issue())
                }
                _ => refused(),
            }
        }
        "/mcp" => {
            let sent = asked.header("authorization").and_then(|sent| sent.strip_prefix("Bearer "));
            let is_good = sent.is_some() && sent == issued.access.as_ref().map(|(access, _)| access.as_str());
            if is_good {
                return None;
            }
            let challenge =
                format!("WWW-Authenticate: Bearer scope=\"read\", resource_metadata=\"{}{OF_RESOURCE}\"", base(asked));
            Some(answer("401 Unauthorized", &[&challenge], ""))
        }
        _ => Some(answer("404 Not Found", &[], "")),
    }
}

fn is_answer(verifier: &str, challenge: &str) -> bool {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
    use sha2::{Digest as _, Sha256};
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes())) == challenge
}
