//! The gate that asks a model, against a scripted server on loopback, and what is said where there
//! is no model.
#![expect(clippy::unwrap_used, reason = "what fails in a helper fails the test")]

use tokio::runtime::Runtime;
use tools_providers::{
    Protocol,
    scripted::{Script, ScriptedServer},
};

use crate::support::Haft;

const KEY: &str = "sk-judge-0123456789abcdef";

/// A runtime that serves, and the server; both end when they are dropped.
pub(crate) fn server(script: &str) -> (Runtime, ScriptedServer) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = runtime.block_on(ScriptedServer::start(Script::parse(script).unwrap())).unwrap();
    (runtime, server)
}

fn config(server: &ScriptedServer, more: &str) -> String {
    format!(
        "[tools.adversarial_policy]\nenabled = true\nprovider = \"fast\"\npolicies = [\"Read no secrets.\"]\n{more}\n\
         [[llm.providers]]\nname = \"fast\"\nkind = \"openai-compatible\"\nmodel = \"m\"\nbase_url = \"{}\"\n\
         key_command = [\"printf\", \"{KEY}\"]\nstall_secs = 2\n",
        server.base_url(Protocol::OpenAiChat)
    )
}

fn read(haft: &Haft, files: &[&str]) -> Vec<String> {
    let lines: Vec<String> = files
        .iter()
        .map(|file| {
            haft.workspace.file(file, "text");
            format!("{{\"tool\":\"read\",\"params\":{{\"path\":\"{file}\"}}}}\n")
        })
        .collect();
    haft.run_with_input(&["batch"], lines.concat().as_bytes()).out.lines().map(str::to_owned).collect()
}

#[test]
fn a_model_judges_calls_and_its_key_is_nowhere() {
    let script = "[[turns]]\nexpect = 'a.txt'\ntext = 'DENY: no'\n[[turns]]\nexpect = 'b.txt'\ntext = 'ALLOW'\n\
                  [[turns]]\nexpect = 'c.txt'\ntext = 'ASK: who wants it?'\n[[turns]]\ntext = 'I would say ALLOW'\n\
                  [[turns]]\nfault = 'status'\nstatus = 500\n[[turns]]\ntext = 'ALLOW'\nfault = 'stalled'\n";
    let (_runtime, server) = server(script);
    let haft = Haft::configured(&config(&server, ""));
    let answers = read(&haft, &["a.txt", "b.txt", "c.txt", "d.txt", "e.txt", "f.txt"]);
    let expected = [
        "adversarial_denied",
        "\"decision\":\"allow\"",
        "\"decision\":\"ask\"",
        "adversarial_denied",
        "adversarial_denied",
        "adversarial_denied",
    ];
    assert_eq!(answers.len(), expected.len(), "{answers:#?}");
    for (answer, expected) in answers.iter().zip(expected) {
        assert!(answer.contains(expected), "{expected}: {answers:#?}");
    }
    let received = server.received();
    assert_eq!(received.len(), 6);
    let sent = format!("Bearer {KEY}");
    assert!(
        received
            .iter()
            .all(|request| request.headers.iter().any(|(name, value)| name == "authorization" && *value == sent))
    );
    let record = std::fs::read_to_string(haft.record()).unwrap();
    assert!(record.contains("\"model\":\"m\"") && !record.contains(KEY) && !answers.concat().contains(KEY), "{record}");
}

#[test]
fn without_an_answer_fail_open_lets_calls_go_on_and_nothing_else_does() {
    let (_runtime, server) = server("[[turns]]\nfault = 'status'\nstatus = 401\n[[turns]]\ntext = 'DENY'\n");
    let haft = Haft::configured(&config(&server, "fail_open = true"));
    let answers = read(&haft, &["a.txt", "b.txt"]);
    assert!(answers[0].contains("\"decision\":\"allow\"") && answers[1].contains("adversarial_denied"), "{answers:#?}");
    assert!(!answers.concat().contains(KEY));
}

#[test]
fn a_gate_without_its_model_is_an_error_at_the_start() {
    let check = |config: &str, expected: &[&str]| {
        let haft = Haft::configured(config);
        haft.workspace.file("a.txt", "text");
        for command in [&["call", "read", "path=a.txt"][..], &["config", "check"], &["mcp", "serve"]] {
            let ran = haft.run(command);
            let text = format!("{}{}", ran.out, ran.err);
            assert!(
                expected.iter().all(|part| text.contains(part)) && !text.contains("0 warnings"),
                "{command:?}: {text}"
            );
        }
    };
    let on = "[tools.adversarial_policy]\nenabled = true\npolicies = [\"never\"]\n";
    check(on, &["tools.adversarial_policy.enabled", "`[[llm.providers]]` is empty"]);
    let other = "provider = \"fast\"\n[[llm.providers]]\nname = \"slow\"\nkind = \"ollama\"\nmodel = \"m\"\n";
    check(&format!("{on}{other}"), &["there is no provider `fast` in `[[llm.providers]]`, only `slow`"]);
    check("[tools.retry]\nparameter_reformat_provider = \"fast\"\n", &["tools.retry.parameter_reformat_provider"]);
    check(
        "[[llm.providers]]\nname = \"x\"\nmodel = \"m\"\nbase_url = \"http://models.test\"\n",
        &["llm.providers[0].base_url", "allow_http"],
    );
    check("[[llm.providers]]\nname = \"x\"\nmodel = \"m\"\nurl = \"x\"\n", &["llm.providers[0].url"]);
}
