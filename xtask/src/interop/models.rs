//! Runs `haft run` against a third-party server of the providers' protocols: a turn with two calls
//! in each protocol, one of which fails.

use std::{net::TcpStream, path::Path, process::Stdio, thread, time::Duration};

use super::conformance::{ChildGuard, free_port};
use crate::{command, dist::files, failure::Failure};

/// Contains its `package.json`, and the answers of the server.
pub(super) const FOLDER: &str = "interop/models";
/// Protocols by their names in the configuration, with the end of the base URL and the path of
/// their requests.
const PROTOCOLS: [(&str, &str, &str); 4] = [
    ("anthropic", "/v1", "/v1/messages"),
    ("openai", "/v1", "/v1/responses"),
    ("openai-chat", "/v1", "/v1/chat/completions"),
    ("ollama", "", "/api/chat"),
];
/// The final answer of the model, which it gives only if it received the content of the file.
const ANSWER: &str = "It is more than 4711: größer.";

/// Runs a turn in each protocol with the packages in `modules`.
pub(super) fn run(root: &Path, modules: &Path) -> Result<(), Failure> {
    let folder = modules.join("../run");
    let (workspace, settings) = (folder.join("workspace"), folder.join("home/.config/haft"));
    files::clear(&folder)?;
    files::make(&workspace)?;
    files::make(&settings)?;
    files::write(&workspace.join("notes.txt"), "The number is größer als 4711.\n")?;

    let port = free_port()?;
    let mut server = command::command("node");
    server.arg(modules.join(".bin/llmock")).args(["--strict", "--validate-on-load", "--port", &port.to_string()]);
    server.arg("--fixtures").arg(root.join(FOLDER).join("fixtures.json"));
    let server = server.stdout(Stdio::null()).spawn().map_err(Failure::io("starting `node`"))?;
    let _server = ChildGuard(server);
    await_port(port)?;
    for (kind, end, path) in PROTOCOLS {
        let provider = format!(
            "[[llm.providers]]\nname = \"{kind}\"\nkind = \"{kind}\"\nmodel = \"m\"\n\
             base_url = \"http://127.0.0.1:{port}{end}\"\nkey_command = [\"printf\", \"sk-0123456789abcdef\"]\n"
        );
        files::write(&settings.join("config.toml"), &provider)?;
        let mut haft = command::command(root.join("target/debug/haft"));
        haft.env("HOME", folder.join("home")).env_remove("XDG_CONFIG_HOME").env_remove("XDG_STATE_HOME");
        haft.arg("--workdir").arg(&workspace).args(["run", "Read the notes."]);
        let answer = command::capture(&mut haft)?;
        if answer.trim() != ANSWER {
            return Err(Failure::Found(format!("interop models: {kind}: the turn ended with {answer:?}")));
        }
        println!("interop models: {kind}: two requests to {path}, two calls, answered");
    }
    Ok(())
}

/// Waits until a server listens on the port.
fn await_port(port: u16) -> Result<(), Failure> {
    for _ in 0..200 {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(50));
    }
    Err(Failure::Found("interop models: the server did not start within 10 s".to_owned()))
}
