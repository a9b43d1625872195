//! `search_code` through the binary and over MCP: what it shows, and what it never shows.

use serde_json::json;

use crate::{client::Client, support::Haft};

const SOURCE: &str = "/// Checks the token of a request.\npub fn auth_layer(limit: usize) -> usize {\n    limit\n}\n";

fn project(config: &str) -> Haft {
    let haft = Haft::configured(config);
    haft.workspace.file("src/auth.rs", SOURCE);
    haft.workspace.file("src/main.rs", "mod auth;\nfn main() {\n    auth::auth_layer(3);\n}\n");
    haft
}

#[test]
fn code_is_found_from_a_terminal_and_by_a_client() {
    let haft = project("");
    let ran = haft.run(&["call", "search_code", "query=auth_layer", "kind=definition"]);
    let expected =
        "[structural] src/auth.rs:2 pub fn auth_layer(limit: usize) -> usize\n    /// Checks the token of a request.";
    assert_eq!((ran.code, ran.out.trim_end()), (0, expected), "{ran:?}");
    let ran = haft.run(&["call", "search_code", "query=token of requests"]);
    assert!(ran.out.starts_with("[semantic] src/auth.rs:1-4 (score: "), "{ran:?}");
    let ran = haft.run(&["call", "search_code", "query=!!!"]);
    assert!(ran.code == 2 && ran.out.contains("no name and no word"), "{ran:?}");
    let ran = haft.run(&["call", "search_code", "kind=outline", "path=../elsewhere"]);
    assert_eq!(ran.code, 4, "{ran:?}");

    let mut client = Client::connect(&haft);
    let listed = client.request(2, "tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let tool = tools.iter().find(|tool| tool["name"] == "search_code").expect("it is listed");
    assert_eq!(
        (&tool["annotations"]["readOnlyHint"], &tool["annotations"]["idempotentHint"]),
        (&json!(true), &json!(true))
    );
    let mut ask = |id: u64, arguments: serde_json::Value| {
        let called = client.request(id, "tools/call", &json!({"name": "search_code", "arguments": arguments}));
        called["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(
        ask(3, json!({"query": "auth_layer", "kind": "reference"})),
        "[structural] src/main.rs:3 auth::auth_layer(3);"
    );
    // The next call sees what was changed since.
    haft.workspace.file("src/auth.rs", format!("\n\n{SOURCE}"));
    assert!(ask(4, json!({"query": "auth_layer", "kind": "definition"})).starts_with("[structural] src/auth.rs:4 "));
    std::fs::remove_file(haft.workspace.root().join("src/auth.rs")).unwrap();
    assert!(ask(5, json!({"query": "auth_layer", "kind": "definition"})).starts_with("[no definition of that name"));
}

#[test]
fn what_is_closed_ignored_or_elsewhere_is_not_shown() {
    let haft = project(
        r#"
        [[tools.permissions.search_code]]
        pattern = "src/internal/**"
        action = "deny"
        [[tools.permissions.search_code]]
        pattern = "*"
        action = "allow"
        "#,
    );
    let outside = haft.home.file("elsewhere/outside.rs", "pub fn wanted_outside() {}\n");
    haft.workspace.file("secrets/key.rs", "pub fn wanted_secret() {}\n");
    haft.workspace.file("src/internal/own.rs", "pub fn wanted_internal() {}\n");
    haft.workspace.file("made/out.rs", "pub fn wanted_made() {}\n");
    haft.workspace.file(".gitignore", "made/\n");
    haft.workspace.file("src/open.rs", "pub fn wanted_open() {}\n");
    let _ = outside;
    std::os::unix::fs::symlink(haft.home.path("elsewhere"), haft.workspace.root().join("src/link")).unwrap();
    std::os::unix::fs::symlink(haft.home.path("elsewhere/outside.rs"), haft.workspace.root().join("src/linked.rs"))
        .unwrap();
    for kind in ["auto", "definition", "semantic", "text", "outline"] {
        let ran = haft.run(&["call", "search_code", "query=wanted", &format!("kind={kind}")]);
        for hidden in ["secret", "outside", "made"] {
            assert!(!ran.out.contains(&format!("wanted_{hidden}")), "{kind} {hidden}: {ran:?}");
        }
        assert!(!ran.out.contains("wanted_internal"), "{kind}: {ran:?}");
    }
    let ran = haft.run(&["call", "search_code", "query=wanted_open"]);
    assert!(ran.out.starts_with("[structural] src/open.rs:1 "), "{ran:?}");
}

#[test]
fn a_credential_is_not_shown() {
    let haft = project("");
    let key = format!("AKIA{}", "Q3EGRIW2ZLQNKYF5");
    haft.workspace.file("src/key.rs", format!("pub const ACCESS_KEY: &str = \"{key}\";\n"));
    for kind in ["auto", "text", "outline"] {
        let ran = haft.run(&["call", "search_code", "query=ACCESS_KEY", &format!("kind={kind}"), "--json"]);
        assert!(ran.out.contains("src/key.rs") && !ran.out.contains(&key), "{kind}: {ran:?}");
    }
}

#[test]
fn one_key_switches_it_off_and_what_cannot_be_used_is_said() {
    let off = project("[index]\nenabled = false\n");
    let ran = off.run(&["call", "search_code", "query=auth_layer"]);
    assert!(ran.code != 0 && !ran.out.contains("src/auth.rs"), "{ran:?}");
    let wrong = project("[index]\nexclude = [\"{\"]\n");
    let ran = wrong.run(&["call", "search_code", "query=auth_layer"]);
    assert!(ran.code != 0 && ran.err.contains("index.exclude"), "{ran:?}");
    let qdrant = project("[index]\nvector_backend = \"qdrant\"\nexclude = [\"**/main.rs\"]\n");
    let ran = qdrant.run(&["call", "search_code", "query=auth_layer"]);
    assert!(ran.out.contains("[semantic: by words only: this build has no adapter for Qdrant]"), "{ran:?}");
    assert!(!ran.out.contains("main.rs"), "{ran:?}");
}
