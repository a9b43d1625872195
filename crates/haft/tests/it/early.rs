//! Calls that an agent starts while the model still writes: none that a gate would stop or that
//! somebody would have to judge.

use std::sync::Arc;

use haft::Toolbox;
use haft::agents::ToolHost as _;
use haft::config::LoadedConfig;
use haft::core::{Judge, JudgeError, JudgeRequest};
use serde_json::json;
use tools_testkit::Workspace;

use crate::{call, toolbox};

/// Would let everything through, but is never asked: a judgement takes a call that was made.
struct NeverAsked;

#[async_trait::async_trait]
impl Judge for NeverAsked {
    fn model(&self) -> &'static str {
        "never"
    }

    async fn judge(&self, _: &JudgeRequest) -> Result<String, JudgeError> {
        panic!("no call was made")
    }
}

async fn starts(toolbox: &Toolbox, tool: &str, params: serde_json::Value) -> bool {
    toolbox.start_early(call(tool, params), &toolbox.context()).await.is_some()
}

#[tokio::test]
async fn only_a_call_that_the_gates_allow_is_started() {
    let workspace = Workspace::new();
    workspace.file("work/a.txt", "a");
    workspace.file("work/kept/b.txt", "b");
    workspace.file("work/.env", "TOKEN=x");
    let rules = "[[tools.policy.rules]]\neffect = \"deny\"\ntool = \"read\"\npaths = [\"./kept/**\"]\n\
                 [[tools.permissions.grep]]\npattern = \"*\"\naction = \"ask\"\n\
                 [[tools.permissions.bash]]\npattern = \"*\"\naction = \"allow\"\n";
    let toolbox = toolbox(&workspace, rules);
    assert!(starts(&toolbox, "read", json!({"path": "a.txt"})).await);
    assert!(!starts(&toolbox, "read", json!({"path": "kept/b.txt"})).await, "a rule denies it");
    assert!(!starts(&toolbox, "read", json!({"path": ".env"})).await, "the file is closed");
    assert!(!starts(&toolbox, "read", json!({"path": "/etc/passwd"})).await, "it is outside");
    assert!(!starts(&toolbox, "grep", json!({"pattern": "x"})).await, "a person is asked");
    assert!(!starts(&toolbox, "bash", json!({"command": "cat a.txt"})).await, "a command may change something");
}

#[tokio::test]
async fn nothing_is_started_where_a_model_judges_calls() {
    let workspace = Workspace::new();
    workspace.file("work/a.txt", "a");
    let text = "[tools.adversarial_policy]\nenabled = true\npolicies = [\"Read nothing of others.\"]\n";
    let mut loaded = LoadedConfig::parse(text, &|_| None).unwrap();
    crate::keep_beside(&mut loaded.config, &workspace);
    let builder = Toolbox::builder(loaded, workspace.path("work")).judge(Arc::new(NeverAsked));
    let toolbox = builder.build().expect("it can be built");
    assert!(!starts(&toolbox, "read", json!({"path": "a.txt"})).await);
}
