//! The section `[[mcp.servers]]`, its checks, and the compiled servers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::pins::skeleton;

/// Maximum length of a server's key: the names of its tools begin with it.
const MAX_ID_LEN: usize = 32;

/// An MCP server whose tools are offered.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct McpServerConfig {
    /// The key of the server: letters, digits, `_` and `-`, at most 32. Its tools are called
    /// `mcp_<id>_<tool>`.
    pub id: String,
    /// Whether its tools are offered.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// The program to start: an absolute path, or a name that is looked up in `PATH`. The server
    /// speaks over its standard input and output. Either this or `url`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The address of a server that is reached over streamable HTTP instead of started:
    /// `https://…`, or `http://…` on this machine. Redirects are not followed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// With `url`: whether a name that looks public may lead to an address of a private network.
    /// Names and addresses of this machine and of private networks may be written as they are.
    #[serde(default, skip_serializing_if = "is_false")]
    pub private: bool,
    /// With `url`: the environment variable that holds the bearer token.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub token_env: String,
    /// With `url`: a program that prints the bearer token, and its arguments. It is run when the
    /// first request is made, and again when the server no longer takes the token.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub token_command: Vec<String>,
    /// With `url`: further headers of every request, with their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// With `url`: further headers of every request, with the environment variables that hold their
    /// values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub header_env: BTreeMap<String, String>,
    /// With `url`: the login of a server that wants one (OAuth). `haft mcp login` makes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oauth: Option<OAuthConfig>,
    /// Arguments of the program.
    #[serde(default)]
    pub args: Vec<String>,
    /// Environment variables of the server. Besides these it gets `PATH`, `HOME`, `USER`,
    /// `LOGNAME`, `SHELL`, `LANG`, `LC_*`, `TZ`, `TERM` and a temporary folder of its own.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Variables of this process that are handed on to the server, by name; a `*` at the end stands
    /// for any ending.
    #[serde(default)]
    pub env_pass: Vec<String>,
    /// Access of the server to the workspace: `none`, `read` or `write`. Everywhere else it may
    /// write nothing but its temporary folder.
    #[serde(default)]
    pub workspace: WorkspaceAccess,
    /// Places outside the workspace that the server may read, besides programs and libraries:
    /// absolute paths, or below `~`.
    #[serde(default)]
    pub read_paths: Vec<String>,
    /// The network of the server: `off`, `gate` (only hosts that `[tools.permissions] network`
    /// allows) or `open`.
    #[serde(default)]
    pub network: NetworkAccess,
    /// Whether the annotations of its tools are believed. Without it every tool of the server
    /// counts as one that may destroy something and talks to the outside, whatever it declares.
    #[serde(default)]
    pub trust: bool,
    /// Whether the server may put forms to the person behind a call (elicitation). They say which
    /// tool asks, and go to clients that show forms. Without it a form is refused.
    #[serde(default)]
    pub elicitation: bool,
    /// Seconds that one call may take.
    #[serde(default = "timeout")]
    pub timeout: u64,
    /// Seconds until the server must have answered the first requests after its start.
    #[serde(default = "start_timeout")]
    pub start_timeout: u64,
    /// Maximum number of tokens (estimated) of one result; what is longer is stored and can be read
    /// in parts.
    #[serde(default = "max_output_tokens")]
    pub max_output_tokens: usize,
    /// Whether definitions are pinned: `ask` takes those of the first contact and holds every later
    /// change for `haft pins review`; `strict` offers nothing that was not reviewed; `off` takes
    /// whatever the server says.
    #[serde(default)]
    pub pin: PinMode,
    /// Tools of the server that are offered, by the server's names; empty for all. A `*` at the end
    /// stands for any ending.
    #[serde(default)]
    pub allow_tools: Vec<String>,
    /// Tools of the server that are not offered; as `allow_tools`, and stronger.
    #[serde(default)]
    pub deny_tools: Vec<String>,
}

/// A server without an id and a program: the defaults for missing keys.
impl Default for McpServerConfig {
    fn default() -> Self {
        Self {
            id: String::new(),
            enabled: yes(),
            command: String::new(),
            url: String::new(),
            private: false,
            token_env: String::new(),
            token_command: Vec::new(),
            headers: BTreeMap::new(),
            header_env: BTreeMap::new(),
            oauth: None,
            args: Vec::new(),
            env: BTreeMap::new(),
            env_pass: Vec::new(),
            workspace: WorkspaceAccess::default(),
            read_paths: Vec::new(),
            network: NetworkAccess::default(),
            trust: false,
            elicitation: false,
            timeout: timeout(),
            start_timeout: start_timeout(),
            max_output_tokens: max_output_tokens(),
            pin: PinMode::default(),
            allow_tools: Vec::new(),
            deny_tools: Vec::new(),
        }
    }
}

/// The login at the authorization server of an MCP server. None of it is needed where that server
/// registers clients by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OAuthConfig {
    /// Grant of the login: `authorization_code` (a person, in a browser) or `client_credentials`
    /// (the client itself, whenever it needs a token).
    #[serde(default)]
    pub grant: Grant,
    /// The only authorization server to use, as its metadata name it: `https://…`. Needed with
    /// `client_secret_env` and `private_key_env`: no other is sent the proof of the client.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub issuer: String,
    /// Id of a client that is registered there. Without it, `client_metadata_url` is used where the
    /// authorization server takes it, else a client is registered at each login.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub client_id: String,
    /// The environment variable that holds the secret of `client_id`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub client_secret_env: String,
    /// The environment variable that holds the private key of `client_id`: PEM (PKCS #8) of a P-256
    /// or RSA key.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub private_key_env: String,
    /// Address of a client id metadata document, which is the id of the client: `https://…` with a
    /// path. It has to name `http://127.0.0.1/callback` as a redirect URI.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub client_metadata_url: String,
    /// Scopes to ask for [default: those that the server wants].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// Port on 127.0.0.1 to which the browser comes back, for authorization servers that know a
    /// client by one redirect URI; 0 for a free one. The path is `/callback`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub redirect_port: u16,
}

/// Grant of a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grant {
    /// A person, in a browser.
    #[default]
    AuthorizationCode,
    /// The client itself.
    ClientCredentials,
}

/// Values of variables and headers may be credentials, so only their names are shown.
impl fmt::Debug for McpServerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServerConfig")
            .field("id", &self.id)
            .field("command", &self.command)
            .field("url", &self.url)
            .field("env", &self.env.keys())
            .field("headers", &self.headers.keys())
            .finish_non_exhaustive()
    }
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(value: &u16) -> bool {
    *value == 0
}

fn timeout() -> u64 {
    60
}

fn start_timeout() -> u64 {
    30
}

fn max_output_tokens() -> usize {
    25_000
}

/// Access of a server to the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkspaceAccess {
    /// It does not see it.
    None,
    /// It reads it, but for what no tool may read.
    #[default]
    Read,
    /// It reads and writes it, as commands of the shell do.
    Write,
}

/// The network of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NetworkAccess {
    /// None.
    #[default]
    Off,
    /// Only what the rules on hosts let through.
    Gate,
    /// That of the machine.
    Open,
}

/// Whether definitions are pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PinMode {
    /// The first list is trusted, later changes are held.
    #[default]
    Ask,
    /// Only what was reviewed is offered.
    Strict,
    /// Nothing is compared.
    Off,
}

/// An invalid value of `[[mcp.servers]]`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`mcp.servers[{index}].{key}`: {problem}")]
pub struct ServerConfigError {
    /// Index of the server, from 0.
    pub index: usize,
    /// The key of the server's table.
    pub key: &'static str,
    /// The problem and its correction.
    pub problem: String,
}

/// A server that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The server's section.
    pub config: McpServerConfig,
    /// Time limit for one call.
    pub(crate) timeout: Duration,
    /// Time limit for the start.
    pub(crate) start_timeout: Duration,
}

impl Server {
    /// The key of the server.
    pub fn id(&self) -> &str {
        &self.config.id
    }

    /// Whether the configuration offers this tool of the server.
    pub(crate) fn offers(&self, tool: &str) -> bool {
        let is_listed = |list: &[String]| {
            list.iter().any(|pattern| match pattern.strip_suffix('*') {
                Some(start) => tool.starts_with(start),
                None => tool == pattern,
            })
        };
        let (allowed, denied) = (&self.config.allow_tools, &self.config.deny_tools);
        !is_listed(denied) && (allowed.is_empty() || is_listed(allowed))
    }

    /// Whether it is reached over HTTP instead of started.
    pub fn is_remote(&self) -> bool {
        self.config.is_remote()
    }

    /// Digest of what is started or reached: it changes with the program, the arguments, the set of
    /// variables, the address or the set of headers.
    pub(crate) fn launch_digest(&self) -> String {
        let McpServerConfig { command, args, env, url, .. } = &self.config;
        if self.is_remote() {
            let headers: Vec<_> = self.config.header_names().map(str::to_ascii_lowercase).collect();
            return crate::pins::digest(&serde_json::json!({"url": url, "headers": headers}));
        }
        crate::pins::digest(
            &serde_json::json!({"command": command, "args": args, "env": env.keys().collect::<Vec<_>>()}),
        )
    }
}

impl McpServerConfig {
    /// Whether it is reached over HTTP instead of started.
    pub fn is_remote(&self) -> bool {
        !self.url.is_empty()
    }

    /// Whether the token comes from a login, because nothing else provides one.
    pub fn takes_login(&self) -> bool {
        self.is_remote() && !self.header_names().any(|name| name.eq_ignore_ascii_case("authorization"))
    }

    /// Names of the headers that are sent besides those of the protocol.
    fn header_names(&self) -> impl Iterator<Item = &str> {
        let token = !self.token_env.is_empty() || !self.token_command.is_empty();
        let names = self.headers.keys().chain(self.header_env.keys()).map(String::as_str);
        names.chain(token.then_some("authorization"))
    }
}

/// A key and what is wrong with its value.
type Fault = (&'static str, String);

/// Checks the section of a server that is started.
fn check_started(config: &McpServerConfig) -> Result<(), Fault> {
    if config.command.trim().is_empty() {
        return Err(("command", "expected a program, or `url` for a server over HTTP".to_owned()));
    }
    if config.command.contains('/') && !config.command.starts_with(['/', '~']) {
        return Err(("command", "expected an absolute path, or a name that is looked up in `PATH`".to_owned()));
    }
    if let Some(name) = config.env.keys().find(|name| name.is_empty() || name.contains(['=', '\0'])) {
        return Err(("env", format!("`{}` is not a valid name of a variable", name.escape_debug())));
    }
    let remote = [
        ("private", config.private),
        ("token_env", !config.token_env.is_empty()),
        ("token_command", !config.token_command.is_empty()),
        ("headers", !config.headers.is_empty()),
        ("header_env", !config.header_env.is_empty()),
        ("oauth", config.oauth.is_some()),
    ];
    match remote.iter().find(|(_, is_set)| *is_set) {
        Some((key, _)) => Err((key, "it is for servers with `url`: leave it out with `command`".to_owned())),
        None => Ok(()),
    }
}

/// Checks the section of a server that is reached over HTTP.
fn check_remote(config: &McpServerConfig) -> Result<(), Fault> {
    if !config.command.is_empty() {
        return Err(("url", "expected either `command` or `url`, not both".to_owned()));
    }
    let started = [
        ("args", !config.args.is_empty()),
        ("env", !config.env.is_empty()),
        ("env_pass", !config.env_pass.is_empty()),
        ("workspace", config.workspace != WorkspaceAccess::default()),
        ("read_paths", !config.read_paths.is_empty()),
        ("network", config.network != NetworkAccess::default()),
    ];
    if let Some((key, _)) = started.iter().find(|(_, is_set)| *is_set) {
        return Err((key, "it is for servers with `command`: leave it out with `url`".to_owned()));
    }
    if !config.token_env.is_empty() && !config.token_command.is_empty() {
        return Err(("token_command", "expected either `token_env` or `token_command`".to_owned()));
    }
    if config.oauth.is_some() && !config.takes_login() {
        return Err(("oauth", "a token or the header `Authorization` is set already: expected one of them".to_owned()));
    }
    #[cfg(feature = "http")]
    {
        crate::http::check(config)?;
        config.oauth.as_ref().map_or(Ok(()), check_login)
    }
    #[cfg(not(feature = "http"))]
    {
        Err(("url", "this build reaches no servers over HTTP".to_owned()))
    }
}

/// Checks the login section of a server.
#[cfg(feature = "http")]
fn check_login(config: &OAuthConfig) -> Result<(), Fault> {
    let fault = |problem: String| Err(("oauth", problem));
    for (key, address) in [("issuer", &config.issuer), ("client_metadata_url", &config.client_metadata_url)] {
        if !address.is_empty()
            && let Err(problem) = crate::http::Place::parse(address, false)
        {
            return fault(format!("`{key}`: {problem}"));
        }
    }
    for (key, variable) in
        [("client_secret_env", &config.client_secret_env), ("private_key_env", &config.private_key_env)]
    {
        if variable.is_empty() {
            continue;
        }
        if variable.contains(['=', '\0']) {
            return fault(format!("`{key}`: `{}` is not a valid name of a variable", variable.escape_debug()));
        }
        if config.client_id.is_empty() {
            return fault(format!("`{key}`: expected `client_id` with it"));
        }
        if config.issuer.is_empty() {
            return fault(format!(
                "`{key}`: expected `issuer` with it, the only authorization server that is sent the proof"
            ));
        }
    }
    if !config.client_secret_env.is_empty() && !config.private_key_env.is_empty() {
        return fault("expected either `client_secret_env` or `private_key_env`".to_owned());
    }
    let has_proof = !config.client_secret_env.is_empty() || !config.private_key_env.is_empty();
    if config.grant == Grant::ClientCredentials && !has_proof {
        return fault(
            "`grant`: with `client_credentials` expected `client_id` and `client_secret_env` or `private_key_env`"
                .to_owned(),
        );
    }
    if let Some(scope) = config.scopes.iter().find(|scope| !crate::oauth::is_scope(scope)) {
        return fault(format!("`scopes`: `{}` is not a scope", scope.escape_debug()));
    }
    Ok(())
}

/// Compiles a list of servers; disabled ones are checked and left out.
///
/// # Errors
/// The first invalid value.
pub fn compile(servers: &[McpServerConfig]) -> Result<Vec<Server>, ServerConfigError> {
    let mut seen = BTreeSet::new();
    let mut compiled = Vec::new();
    for (index, config) in servers.iter().enumerate() {
        let fault = |key, problem: String| Err(ServerConfigError { index, key, problem });
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if config.id.is_empty() || config.id.len() > MAX_ID_LEN || !config.id.chars().all(fits) {
            return fault("id", format!("expected 1 to {MAX_ID_LEN} characters out of letters, digits, `_` and `-`"));
        }
        if !seen.insert(skeleton(&config.id)) {
            return fault("id", format!("another server has the key `{}`, or one that looks like it", config.id));
        }
        let kind = if config.is_remote() { check_remote(config) } else { check_started(config) };
        if let Err((key, problem)) = kind {
            return fault(key, problem);
        }
        if config.timeout == 0 {
            return fault("timeout", "expected at least 1 second".to_owned());
        }
        if config.start_timeout == 0 {
            return fault("start_timeout", "expected at least 1 second".to_owned());
        }
        if config.max_output_tokens == 0 {
            return fault("max_output_tokens", "expected at least 1".to_owned());
        }
        if config.enabled {
            compiled.push(Server {
                timeout: Duration::from_secs(config.timeout),
                start_timeout: Duration::from_secs(config.start_timeout),
                config: config.clone(),
            });
        }
    }
    Ok(compiled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(id: &str) -> McpServerConfig {
        serde_json::from_value(serde_json::json!({"id": id, "command": "server"})).unwrap()
    }

    #[test]
    fn what_cannot_be_used_is_named_by_its_key() {
        let check = |servers: &[McpServerConfig], expected: Option<(usize, &str)>| {
            let found = compile(servers).err();
            assert_eq!(found.as_ref().map(|error| (error.index, error.key)), expected, "{found:?}");
        };
        check(&[server("a"), server("b")], None);
        check(&[server("")], Some((0, "id")));
        check(&[server("a b")], Some((0, "id")));
        check(&[server("files"), server("fi1es")], Some((1, "id")));
        check(&[McpServerConfig { command: "bin/x".to_owned(), ..server("a") }], Some((0, "command")));
        check(&[McpServerConfig { timeout: 0, ..server("a") }], Some((0, "timeout")));
        check(&[McpServerConfig { command: String::new(), ..server("a") }], Some((0, "command")));
        check(&[McpServerConfig { url: "https://example.com/mcp".to_owned(), ..server("a") }], Some((0, "url")));
        check(&[McpServerConfig { token_env: "T".to_owned(), ..server("a") }], Some((0, "token_env")));
    }

    #[test]
    fn a_default_is_a_section_that_says_nothing() {
        let named = McpServerConfig { id: "a".to_owned(), ..McpServerConfig::default() };
        assert_eq!(named, serde_json::from_value(serde_json::json!({"id": "a"})).unwrap());
    }

    #[test]
    fn values_that_may_be_credentials_are_not_in_debug_output() {
        let named = |value: &str| BTreeMap::from([("NAME".to_owned(), value.to_owned())]);
        let config = McpServerConfig { env: named("sesame-1"), headers: named("sesame-2"), ..server("a") };
        let shown = format!("{config:?}");
        assert!(shown.contains("NAME") && !shown.contains("sesame"), "{shown}");
    }

    #[cfg(feature = "http")]
    #[test]
    fn what_cannot_be_used_of_an_address_is_named_by_its_key() {
        let check = |more: serde_json::Value, expected: Option<&str>| {
            let mut config = serde_json::json!({"id": "a", "url": "https://example.com/mcp"});
            config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let found = compile(&[serde_json::from_value(config).unwrap()]).err();
            assert_eq!(found.as_ref().map(|error| error.key), expected, "{more} {found:?}");
        };
        let url = |url: &str, expected| check(serde_json::json!({"url": url}), expected);
        for fine in ["https://example.com", "http://127.0.0.1:1/mcp", "http://localhost:8/", "https://10.0.0.1/mcp?a=b"]
        {
            url(fine, None);
        }
        for wrong in [
            "http://example.com/mcp",
            "http://10.0.0.1/mcp",
            "ftp://example.com/",
            "https://user:secret@example.com/mcp",
            "https://example.com/mcp#part",
            "example.com",
            "https://",
            "http://169.254.169.254/",
        ] {
            url(wrong, Some("url"));
        }
        check(serde_json::json!({"args": ["x"]}), Some("args"));
        check(serde_json::json!({"network": "open"}), Some("network"));
        check(serde_json::json!({"token_env": "A", "token_command": ["b"]}), Some("token_command"));
        check(serde_json::json!({"headers": {"X-Team": "a"}, "header_env": {"X-Key": "KEY"}}), None);
        check(serde_json::json!({"headers": {"Host": "a"}}), Some("headers"));
        check(serde_json::json!({"headers": {"X-Team": "a\r\nb"}}), Some("headers"));
        check(serde_json::json!({"headers": {"Authorization": "a"}, "token_env": "A"}), Some("headers"));
        check(serde_json::json!({"header_env": {"Mcp-Session-Id": "A"}}), Some("header_env"));
        check(serde_json::json!({"header_env": {"X Key": "A"}}), Some("header_env"));
        check(serde_json::json!({"header_env": {"X-Key": ""}}), Some("header_env"));
        let oauth = |oauth: serde_json::Value, expected| check(serde_json::json!({"oauth": oauth}), expected);
        oauth(serde_json::json!({}), None);
        oauth(serde_json::json!({"client_id": "a", "scopes": ["a:b"], "redirect_port": 7}), None);
        let secret = serde_json::json!({"client_id": "a", "client_secret_env": "A", "issuer": "https://a.example"});
        oauth(secret.clone(), None);
        for key in ["client_id", "issuer"] {
            let mut secret = secret.clone();
            secret.as_object_mut().unwrap().remove(key);
            oauth(secret, Some("oauth"));
        }
        oauth(serde_json::json!({"grant": "client_credentials", "client_id": "a"}), Some("oauth"));
        oauth(serde_json::json!({"issuer": "http://a.example"}), Some("oauth"));
        oauth(serde_json::json!({"scopes": ["a b"]}), Some("oauth"));
        check(serde_json::json!({"oauth": {}, "token_env": "A"}), Some("oauth"));
        check(serde_json::json!({"oauth": {}, "header_env": {"authorization": "A"}}), Some("oauth"));
    }

    #[test]
    fn denied_tools_are_not_offered_though_they_are_allowed() {
        let lists = McpServerConfig {
            allow_tools: vec!["read*".to_owned()],
            deny_tools: vec!["read_secret".to_owned()],
            ..server("a")
        };
        let server = compile(&[lists]).unwrap().remove(0);
        assert!(server.offers("read_file") && !server.offers("read_secret") && !server.offers("write"));
    }
}
