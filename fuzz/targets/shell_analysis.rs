//! Any text as a command line: what it would run is found, judged and described without a panic.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use tokio::runtime::{Builder, Runtime};
use tools_core::{CallContext, ToolCall, ToolExecutor, Typed};
use tools_shell::{Bash, ShellConfig, ShellPolicyHandle};

fn tool() -> &'static (Typed<Bash>, Runtime) {
    static TOOL: OnceLock<(Typed<Bash>, Runtime)> = OnceLock::new();
    TOOL.get_or_init(|| {
        let config = ShellConfig { allow_network: false, ..ShellConfig::default() };
        let policy = ShellPolicyHandle::new(config.compile().expect("the default configuration"));
        (Bash::new(policy).into_executor(), Builder::new_current_thread().build().expect("a runtime"))
    })
}

fuzz_target!(|line: &str| {
    let (tool, runtime) = tool();
    let call = ToolCall::new("bash", serde_json::json!({ "command": line })).expect("a tool name and an object");
    let _ = runtime.block_on(tool.inspect(&call, &CallContext::new("/workspace")));
});
