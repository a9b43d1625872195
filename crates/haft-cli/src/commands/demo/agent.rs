//! The act in which an agent repairs a failing test. Its model is a script; its calls are real.

use std::{fs, sync::Arc};

use async_trait::async_trait;
use haft::agents::Agent;
use haft::core::{Answer, ConfirmPrompt, Confirmer};
use haft::providers::scripted::{Script, ScriptedProvider};
use serde_json::json;

use super::stage::Stage;

const MANIFEST: &str = "[package]\nname = \"sums\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n";
const SOURCE: &str = "pub fn sum(numbers: &[u32]) -> u32 {\n    numbers.iter().skip(1).sum()\n}\n\n\
#[test]\nfn all_numbers_count() {\n    assert_eq!(sum(&[1, 2, 3]), 6);\n}\n";

const SCRIPT: &str = r#"
[[turns]]
text = "I run the test first."
calls = [{ tool = "bash", params = { command = "cd haft-demo/sums && cargo test --offline" } }]

[[turns]]
expect = "all_numbers_count"
calls = [{ tool = "read", params = { path = "haft-demo/sums/src/lib.rs" } }]

[[turns]]
expect = "skip(1)"
calls = [{ tool = "edit", params = { path = "haft-demo/sums/src/lib.rs", edits = [{ old_string = ".iter().skip(1).sum()", new_string = ".iter().sum()" }] } }]

[[turns]]
calls = [{ tool = "bash", params = { command = "cd haft-demo/sums && cargo test --offline" } }]

[[turns]]
expect = "passed"
text = "`sum` left out the first number. It no longer does, and the test passes."
"#;

/// Approves the commands of the script.
struct AlwaysApprove;

#[async_trait]
impl Confirmer for AlwaysApprove {
    async fn confirm(&self, _: &ConfirmPrompt) -> Answer {
        Answer::Once
    }
}

/// A crate with a failing test, and an agent that is asked to explain it.
pub(super) async fn repairs(stage: &mut Stage) -> Result<(), String> {
    stage.act("An agent repairs a failing test (its model is a script)");
    let version = stage.call("bash", json!({"command": "cargo --version"})).await?;
    if version.ended.is_none_or(|ended| ended.exit != Some(0)) {
        let why = version.text.lines().next().unwrap_or_default();
        stage.finding(true, &format!("skipped: `cargo` does not run here: {why}"));
        return Ok(());
    }
    let source = stage.folder.join("sums/src/lib.rs");
    let write = |path: &std::path::Path, text: &str| fs::write(path, text).map_err(|error| error.to_string());
    fs::create_dir_all(stage.folder.join("sums/src")).map_err(|error| error.to_string())?;
    write(&stage.folder.join("sums/Cargo.toml"), MANIFEST)?;
    write(&source, SOURCE)?;
    let script = Script::parse(SCRIPT).map_err(|error| error.to_string())?;
    let model = Arc::new(ScriptedProvider::new(script));
    let mut agent = Agent::builder(model, Arc::new(stage.toolbox.clone())).confirmer(Arc::new(AlwaysApprove)).build();
    let turn = agent.run("why does the test in haft-demo/sums fail?").await;
    stage.count(usize::try_from(turn.calls).unwrap_or_default());
    let now = fs::read_to_string(&source).map_err(|error| error.to_string())?;
    let is_repaired = turn.stop.is_done() && !now.contains("skip(1)");
    let text = if is_repaired {
        format!("{} requests, {} calls, each through all gates: {}", turn.iterations, turn.calls, turn.text)
    } else {
        format!("the agent did not finish ({}): {}", turn.stop.code().as_str(), turn.stop.notice())
    };
    stage.finding(is_repaired, &text);
    Ok(())
}
