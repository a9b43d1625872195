//! Tasks through the binary: stored with consent, run with nobody present, by the policy of that
//! time.

use serde_json::{Value, json};
use tools_providers::Protocol;

use crate::client::Client;
use crate::judge::server;
use crate::support::{Haft, eventually};

const ON: &str = "[scheduler]\nenabled = true\nmin_interval_secs = 1\n";
const BASH: &str = "[[tools.permissions.bash]]\npattern = \"echo *\"\naction = \"allow\"\n";

fn make(haft: &Haft, tool: &str, params: &Value) -> Value {
    haft.run(&["call", "--json", "--yes", tool, &params.to_string()]).json()
}

#[test]
fn there_are_no_tools_before_it_is_switched_on_and_storing_asks_with_the_times() {
    let haft = Haft::new();
    assert!(!haft.run(&["tools"]).out.contains("schedule_periodic"));
    assert!(haft.run(&["schedule", "list"]).err.contains("`scheduler.enabled` is false"));
    let rule = "[[tools.permissions.schedule_deferred]]\npattern = \"*\"\naction = \"allow\"\n";
    let haft = Haft::configured(&format!("{rule}{ON}"));
    let once = json!({"name": "once", "run_at": "2127-01-01T08:00:00+01:00", "task": {"prompt": "look"}});
    let ran = haft.run(&["call", "schedule_deferred", &once.to_string()]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.err.contains("2127-01-01T07:00:00Z") && ran.err.contains("nobody present"), "{ran:?}");
    assert_eq!(haft.run(&["schedule", "list", "--json"]).json(), json!({"tasks": []}));
}

#[test]
fn tasks_are_listed_run_by_hand_and_removed() {
    let haft = Haft::configured(&format!("{BASH}{ON}"));
    let periodic = json!({"name": "daily", "cron": "0 8 * * mon", "timezone": "Europe/Berlin",
        "task": {"tool": "bash", "args": {"command": "echo ran >> out.txt"}}});
    let made = make(&haft, "schedule_periodic", &periodic);
    assert_eq!(made["raw_response"]["cron_normalised"], "0 0 8 * * 1", "{made}");
    let next = haft.run(&["schedule", "next", "daily", "-n", "3"]).out;
    assert_eq!(
        next.lines().collect::<Vec<_>>(),
        made["raw_response"]["next"].as_array().unwrap().iter().map(|time| time.as_str().unwrap()).collect::<Vec<_>>()
    );
    assert_eq!(haft.run(&["schedule", "run", "daily"]).code, 0);
    assert_eq!(std::fs::read_to_string(haft.workspace.path("out.txt")).unwrap(), "ran\n");
    let task = haft.run(&["schedule", "list", "--json"]).json()["tasks"][0].clone();
    let (runs, status, caller) = (&task["runs"], &task["last_status"], &task["caller_id"]);
    assert_eq!((runs, status, caller), (&json!(0), &json!("ok"), &json!("schedule:daily")), "none by its schedule");
    let record = std::fs::read_to_string(haft.record()).unwrap();
    assert!(record.contains("schedule:daily"), "{record}");
    let missing = haft.run(&["schedule", "rm", "dayly"]);
    assert!(missing.code == 1 && missing.err.contains("no task `dayly`"), "{missing:?}");
    assert_eq!(haft.run(&["schedule", "rm", "daily"]).code, 0);
}

#[test]
fn a_task_may_do_no_more_than_the_caller_that_stored_it() {
    let trust = "[tools.trust]\ncallers = { \"http:a\" = \"provisional\" }\n";
    let haft = Haft::configured(&format!("{BASH}{ON}{trust}"));
    let task = json!({"name": "x", "run_at": "in 2 hours",
        "task": {"tool": "bash", "args": {"command": "echo ran >> out.txt"}}});
    let made =
        haft.run(&["call", "--json", "--yes", "--caller", "http:a", "schedule_deferred", &task.to_string()]).json();
    let said = made["text"].as_str().unwrap();
    assert!(said.contains("it will be refused when it is due"), "{made}");
    assert_eq!(haft.run(&["schedule", "run", "x"]).code, 1);
    assert!(!haft.workspace.path("out.txt").exists());
    let stored = haft.run(&["schedule", "list", "--json"]).json();
    assert_eq!(stored["tasks"][0]["caller_id"], "http:a/schedule:x", "{stored}");
}

#[test]
fn what_is_due_runs_with_nobody_present_by_the_policy_of_that_time() {
    let haft = Haft::configured(&format!("{BASH}{ON}"));
    for (name, command) in [("allowed", "echo ran >> allowed.txt"), ("asks", "touch asks.txt")] {
        let task = json!({"tool": "bash", "args": {"command": command}});
        let made = make(
            &haft,
            "schedule_periodic",
            &json!({"name": name, "cron": "* * * * * *", "task": task, "max_runs": 2}),
        );
        assert!(made["raw_response"]["next"].is_array(), "{made}");
    }
    let prompt = json!({"name": "prompt", "run_at": "in 1 second", "task": {"prompt": "look"}});
    make(&haft, "schedule_deferred", &prompt);
    let mut server = haft.command(&["schedule", "serve"]).stderr(std::process::Stdio::null()).spawn().unwrap();
    let status = |name: &str| -> String {
        let tasks = haft.run(&["schedule", "list", "--json"]).json();
        let task = tasks["tasks"].as_array().unwrap().iter().find(|task| task["name"] == name).unwrap().clone();
        format!("{} {}", task["runs"], task["last_status"])
    };
    let ended = eventually(|| {
        ["allowed", "asks"].iter().all(|name| status(name).starts_with('2')) && status("prompt").contains("no model")
    });
    let refused =
        eventually(|| status("asks").contains("failed: confirmation_required") || status("asks").contains("failed: "));
    let told = (status("allowed"), status("asks"), status("prompt"));
    std::thread::sleep(std::time::Duration::from_millis(1500));
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(ended && refused, "{told:?}");
    assert_eq!(std::fs::read_to_string(haft.workspace.path("allowed.txt")).unwrap(), "ran\nran\n");
    assert!(!haft.workspace.path("asks.txt").exists(), "{told:?}");
}

#[test]
fn a_client_stores_with_the_consent_of_its_person_and_is_told_what_is_wrong() {
    let haft = Haft::configured(&format!("{BASH}{ON}"));
    let mut client = Client::connect_answering(&haft, Some("once"));
    let task = json!({"tool": "bash", "args": {"command": "echo x"}});
    let mut request = |id, tool: &str, arguments: Value| {
        client.request(id, "tools/call", &json!({"name": tool, "arguments": arguments}))["result"].to_string()
    };
    let bad = request(2, "schedule_periodic", json!({"name": "t", "cron": "0 25 * * *", "task": task}));
    assert!(bad.contains("field 2 (hour): 25 not in 0-23"), "{bad}");
    let never = request(3, "schedule_periodic", json!({"name": "t", "cron": "0 0 30 2 *", "task": task}));
    assert!(never.contains("never comes"), "{never}");
    let past = request(4, "schedule_deferred", json!({"name": "t", "run_at": "2001-01-01T00:00:00Z", "task": task}));
    assert!(past.contains("has passed"), "{past}");
    let made = request(5, "schedule_deferred", json!({"name": "t", "run_at": "2127-01-01T00:00:00Z", "task": task}));
    assert!(made.contains("runs at 2127-01-01T00:00:00Z"), "{made}");
    assert!(client.asked.iter().any(|asked| asked.contains("2127-01-01T00:00:00Z")), "{:?}", client.asked);
    let cancelled = client.request(6, "tools/call", &json!({"name": "cancel_task", "arguments": {"name": "t"}}));
    assert!(cancelled.to_string().contains("cancelled `t`"), "{cancelled}");
}

#[test]
fn a_prompt_runs_with_a_model_in_a_session_of_its_own_and_asks_nobody() {
    let script = "[[turns]]\nexpect = 'count the files'\n\
        calls = [{ tool = 'bash', params = { command = 'echo counted >> out.txt' } }, \
                 { tool = 'bash', params = { command = 'touch asks.txt' } }]\n\
        [[turns]]\ntext = 'There are two.'\n";
    let (_runtime, server) = server(script);
    let model = format!(
        "[[llm.providers]]\nname = \"m\"\nkind = \"openai-compatible\"\nmodel = \"m\"\nbase_url = \"{}\"\n\
         key_command = [\"printf\", \"sk-schedule-0123456789abcdef\"]\n",
        server.base_url(Protocol::OpenAiChat)
    );
    let haft = Haft::configured(&format!("{BASH}{ON}{model}"));
    let task = json!({"name": "counts", "run_at": "2127-01-01T00:00:00Z", "task": {"prompt": "count the files"}});
    make(&haft, "schedule_deferred", &task);
    let ran = haft.run(&["schedule", "run", "counts"]);
    assert_eq!((ran.code, ran.out.trim()), (0, "There are two."), "{ran:?}");
    assert_eq!(std::fs::read_to_string(haft.workspace.path("out.txt")).unwrap(), "counted\n");
    assert!(!haft.workspace.path("asks.txt").exists(), "nobody was there to ask");
    let record = std::fs::read_to_string(haft.record()).unwrap();
    let calls: Vec<Value> = record.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let calls: Vec<&Value> = calls.iter().filter(|call| call["tool"] == "bash").collect();
    assert!(calls.len() == 2 && calls.iter().all(|call| call["caller_id"] == "schedule:counts"), "{record}");
    assert_eq!(calls[0]["session"], calls[1]["session"]);
    // The rules that were in force when it was stored are those of its run, and of the record.
    let stored = haft.run(&["schedule", "list", "--json"]).json()["tasks"][0].clone();
    assert_eq!(stored["policy_snapshot_hash"], calls[0]["policy_sha256"], "{stored}");
    assert!(stored["policy_snapshot_hash"].as_str().is_some_and(|digest| digest.len() == 64));
}

#[test]
fn what_makes_no_sense_is_told_and_a_store_that_cannot_be_used_is_left_alone() {
    let haft = Haft::configured(&format!("{BASH}{ON}"));
    let task = json!({"tool": "bash", "args": {"command": "echo x"}});
    let refused = |tool: &str, params: Value| {
        let answer = make(&haft, tool, &params);
        format!("{} {}", answer["error"]["code"], answer["error"]["message"])
    };
    let cron = |cron: &str, zone: &str| {
        refused("schedule_periodic", json!({"name": "t", "cron": cron, "timezone": zone, "task": task}))
    };
    assert!(cron("0 8 * * *", "Europe/Berlim").contains("no time zone `Europe/Berlim`"));
    assert!(cron("0 0 30 feb *", "UTC").contains("never comes"));
    assert!(cron("*,*,*", "UTC").contains("1 fields"));
    assert!(cron(&"*,".repeat(5_000), "UTC").contains("longer than 500 bytes"));
    assert!(cron("\u{202e} \u{0} * * *", "UTC").contains("field 1 (minute)"));
    let once = |at: &str| refused("schedule_deferred", json!({"name": "t", "run_at": at, "task": task}));
    assert!(once("2027-02-30T08:00:00Z").contains("neither a time"));
    assert!(once(&"soon ".repeat(2_000)).contains("are expected"));
    let long = refused(
        "schedule_deferred",
        json!({"name": "t", "run_at": "in 2 hours", "task": {"prompt": "x".repeat(20_000)}}),
    );
    assert!(long.contains("more than 16000 characters"), "{long}");
    assert_eq!(haft.run(&["schedule", "list", "--json"]).json(), json!({"tasks": []}));

    let file = haft.home.path(".local/state/haft/scheduler/tasks.db");
    let made = std::fs::read(&file).unwrap();
    let mut newer = made.clone();
    // Where SQLite keeps the number of the schema.
    newer[60..64].copy_from_slice(&99_u32.to_be_bytes());
    for (bytes, code, said) in [
        (newer, "scheduler_newer", "schema 99"),
        (b"no database, but not empty\n".repeat(100), "scheduler_damaged", "is damaged"),
    ] {
        std::fs::write(&file, &bytes).unwrap();
        let params = json!({"name": "t", "run_at": "in 2 hours", "task": task});
        let answer = refused("schedule_deferred", params);
        assert!(answer.contains(code), "{answer}");
        assert!(haft.run(&["schedule", "list"]).err.contains(said));
        assert!(std::fs::read(&file).unwrap() == bytes, "it stays as it is");
    }
    std::fs::write(&file, made).unwrap();
    assert_eq!(haft.run(&["schedule", "list"]).code, 0);
}

#[test]
fn an_address_that_is_none_is_told_by_its_key() {
    for key in ["scheduler", "tools.memory"] {
        let haft = Haft::configured(&format!("[{key}]\nenabled = true\ndatabase = \"mysql://x\"\n"));
        let ran = haft.run(&["tools"]);
        assert!(ran.code != 0 && ran.err.contains(&format!("{key}.database")), "{ran:?}");
    }
}

#[test]
fn a_task_that_can_only_fail_is_not_stored_and_one_that_needs_a_person_is_told_of() {
    let deny = "[[tools.permissions.bash]]\npattern = \"curl *\"\naction = \"deny\"\n";
    let haft = Haft::configured(&format!("{BASH}{deny}{ON}"));
    let mut client = Client::connect_answering(&haft, Some("once"));
    let mut stored = |name: &str, task: Value| {
        let arguments = json!({"name": name, "run_at": "2127-01-01T00:00:00Z", "task": task});
        client.call("schedule_deferred", &arguments).to_string()
    };
    for (task, expected) in [
        (json!({"tool": "bsh", "args": {"command": "echo x"}}), "bash"),
        (json!({"tool": "bash", "args": {"comand": "echo x"}}), "command"),
        (json!({"tool": "bash", "args": {"command": "curl example.invalid"}}), "curl *"),
        (json!({"tool": "read", "args": {"path": "/etc/shadow"}}), "/etc/shadow"),
    ] {
        let answer = stored("fails", task);
        assert!(answer.contains("cannot succeed") && answer.contains(expected), "{answer}");
    }
    let asks = stored("asks", json!({"tool": "bash", "args": {"command": "touch x"}}));
    assert!(asks.contains("runs at 2127") && asks.contains("needs a person"), "{asks}");
    let runs = stored("runs", json!({"tool": "bash", "args": {"command": "echo x"}}));
    assert!(runs.contains("runs at 2127") && !runs.contains("needs a person"), "{runs}");
    let tasks = haft.run(&["schedule", "list", "--json"]).json();
    let names: Vec<&Value> = tasks["tasks"].as_array().unwrap().iter().map(|task| &task["name"]).collect();
    assert_eq!(names, ["asks", "runs"]);
}
