//! Any text as a command line: its commands are found, judged and described, with the same result
//! each time.

use std::sync::LazyLock;

use serde_json::json;
use tokio::runtime::{Builder, Runtime};
use tools_core::{CallContext, ToolCall, ToolExecutor, Typed};
use tools_shell::{Bash, NetworkMode, ShellConfig, ShellPolicyHandle};

static TOOL: LazyLock<(Typed<Bash>, Runtime)> = LazyLock::new(|| {
    let config = ShellConfig { network: NetworkMode::Off, ..ShellConfig::default() };
    let policy = ShellPolicyHandle::new(config.compile().expect("the default configuration"));
    (Bash::new(policy).into_executor(), Builder::new_current_thread().build().expect("a runtime"))
});

pub(crate) fn check(bytes: &[u8]) {
    let Ok(line) = std::str::from_utf8(bytes) else { return };
    let (tool, runtime) = &*TOOL;
    let call = ToolCall::new("bash", json!({ "command": line })).expect("a tool name and an object");
    let cx = CallContext::new("/nonexistent/w");
    let judged = || runtime.block_on(tool.inspect(&call, &cx)).map_err(|error| error.to_string());
    assert_eq!(judged(), judged(), "a line is judged alike each time");
}
