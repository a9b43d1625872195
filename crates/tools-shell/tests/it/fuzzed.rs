//! Lines that fuzzing found to reach new code are judged without a panic, and alike each time.

use serde_json::json;
use tools_core::{CallContext, ToolCall, ToolExecutor};
use tools_shell::{Bash, ShellConfig, ShellPolicyHandle};

#[tokio::test]
async fn every_kept_input_is_judged() {
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/inputs/shell_analysis.json");
    let lines: Vec<String> = serde_json::from_str(&std::fs::read_to_string(kept).unwrap()).unwrap();
    assert!(!lines.is_empty());
    let bash = Bash::new(ShellPolicyHandle::new(ShellConfig::default().compile().unwrap())).into_executor();
    let cx = CallContext::new("/nonexistent/w");
    for line in lines {
        let call = ToolCall::new("bash", json!({ "command": line })).unwrap();
        let judged = [bash.inspect(&call, &cx).await, bash.inspect(&call, &cx).await];
        let [first, second] = judged.map(|inspection| inspection.map_err(|error| error.to_string()));
        assert_eq!(first, second, "{line:?}");
    }
}
