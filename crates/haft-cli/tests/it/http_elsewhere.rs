//! Two servers of the same guests, and a client without sessions whose requests come to either:
//! what only one of them has is refused by its name, and what they share is there.

use serde_json::{Value, json};

use crate::{http_client::Server, support::Haft};

const TOKEN: &str = "alice-0123456789-0123456789-0123456789";
const ALLOW: &str = "[[tools.permissions.bash]]\npattern = \"*\"\naction = \"allow\"\n[[tools.permissions.write]]\npattern = \"*\"\naction = \"allow\"\n";

/// A server of this name, in a state folder of its own.
fn machine(name: &str, config: &str) -> (Haft, Server) {
    let haft = Haft::configured(&format!("{ALLOW}{config}"));
    let file = haft.private_file("guests.toml", &format!("[[guest]]\nname = \"alice\"\ntoken = \"{TOKEN}\"\n"));
    let server = Server::start(&haft, &["--guests", &file, "--name", name]);
    (haft, server)
}

fn call(server: &Server, tool: &str, arguments: &Value) -> String {
    server.call_without_session(TOKEN, tool, arguments)
}

/// The call is refused with a code of its own, the server that has it, and the header that leads
/// there.
fn is_refused(server: &Server, tool: &str, arguments: &Value, other: &str) {
    let params = json!({"name": tool, "arguments": arguments});
    let answer = server.without_session(TOKEN, "tools/call", tool, params).message(4);
    let (result, text) = (&answer["result"], answer["result"]["content"][0]["text"].as_str().unwrap_or_default());
    assert_eq!((&result["isError"], &result["_meta"]["haft/code"]), (&json!(true), &json!("session_elsewhere")));
    let named = text.contains(&format!("the server `{other}`")) && text.contains(&format!("`haft-server: {other}`"));
    assert!(named, "{answer}");
}

#[test]
fn a_job_of_another_server_is_refused_by_the_name_of_that_server() {
    let ((_first, one), (_second, two)) = (machine("one", ""), machine("two", ""));
    let start = json!({"command": "echo only-here; sleep 600", "background": true});
    let started = [&one, &two].map(|server| call(server, "bash", &start));
    for (text, name) in started.iter().zip(["one", "two"]) {
        assert!(text.contains(&format!("`{name}.job-1`")), "{text}");
    }
    let job = |id: &str| json!({"id": id, "wait_ms": 5000});
    assert!(call(&one, "job_read", &job("one.job-1")).contains("only-here"));
    for tool in ["job_read", "job_kill"] {
        is_refused(&two, tool, &json!({"id": "one.job-1"}), "one");
    }
    // A job that this server never had is unknown, and so is an id without the name of a server.
    for id in ["two.job-9", "job-1"] {
        let unknown = call(&two, "job_read", &json!({"id": id}));
        assert!(unknown.contains("there is no job") && !unknown.contains("haft-server"), "{unknown}");
    }
    // It was not ended by the other server.
    assert!(call(&one, "job_read", &json!({"id": "one.job-1"})).contains("has run for"));
}

#[test]
fn a_placeholder_of_another_server_is_refused_by_the_name_of_that_server() {
    let ((first, one), (second, two)) = (machine("one", ""), machine("two", ""));
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    for haft in [&first, &second] {
        haft.workspace.file("a.env", format!("TOKEN={secret}\n"));
    }
    let shown = call(&one, "read", &json!({"path": "a.env"}));
    let placeholder = shown.split("TOKEN=").nth(1).and_then(|rest| rest.lines().next()).expect("it is shown");
    assert!(placeholder.starts_with("«secret:") && placeholder.ends_with("·one»"), "{shown}");
    let write = json!({"path": "a.env", "content": format!("TOKEN={placeholder}\nMORE=1\n")});
    call(&two, "read", &json!({"path": "a.env"}));
    is_refused(&two, "write", &write, "one");
    assert_eq!(second.workspace.read("a.env").as_deref(), Some(format!("TOKEN={secret}\n").as_bytes()));
    let written = call(&one, "write", &write);
    let expected = format!("TOKEN={secret}\nMORE=1\n");
    assert_eq!(first.workspace.read("a.env").as_deref(), Some(expected.as_bytes()), "{written}");
}

#[cfg(feature = "postgres")]
#[test]
fn stored_output_is_there_on_both_servers_and_undo_names_the_machine_that_has_it() {
    let database = match tools_testkit::PostgresServer::start() {
        Ok(database) => database,
        Err(missing) => return eprintln!("SKIPPED: {missing}"),
    };
    let address = database.address();
    let config = format!("[tools.audit]\ndatabase = \"{address}\"\n[tools.overflow]\ndatabase = \"{address}\"\n");
    let ((first, one), (second, two)) = (machine("one", &config), machine("two", &config));
    let long = call(&one, "bash", &json!({"command": "seq 1 20000"}));
    let reference = long.split("ref ").nth(1).and_then(|rest| rest.split(']').next()).expect("it is stored");
    let read = call(&two, "read_overflow", &json!({"ref": reference, "offset": 15_000, "limit": 1}));
    assert!(read.contains("15000"), "{read}");
    let uri = format!("{reference}?offset=15000&limit=1");
    let resource = two.without_session(TOKEN, "resources/read", &uri, json!({"uri": uri})).message(4);
    assert!(resource.to_string().contains("15000"), "{resource}");

    let written = call(&one, "write", &json!({"path": "new.txt", "content": "new\n"}));
    assert!(first.workspace.read("new.txt").is_some(), "{written}");
    let listed = first.run(&["undo", "--list", "--json"]).json();
    let session = listed[0]["session"].as_str().expect("it has one").to_owned();
    // Both are on this machine: its name in the record is changed to that of another one.
    database.execute("UPDATE haft_audit_chain SET host = 'rack-1'").expect("the record is changed");
    let elsewhere = second.run(&["undo", "--session", &session]);
    let names = elsewhere.err.contains(&session) && elsewhere.err.contains("kept by `rack-1`");
    assert!(elsewhere.code != 0 && names, "{elsewhere:?}");
    let unknown = second.run(&["undo", "--session", "nobody"]);
    assert!(unknown.code == 0 && unknown.err.contains("nothing to undo"), "{unknown:?}");
    let undone = first.run(&["undo", "--session", &session]);
    assert!(undone.code == 0 && first.workspace.read("new.txt").is_none(), "{undone:?}");
}
