//! Tests with small workspaces, written as `from -> to` lines, and their expected findings.

use serde_json::{Value, json};

use super::*;

/// Names of this workspace are members; all others are external crates.
fn check(edges: &[(&str, &str, Option<&str>)], expected: &[&str]) {
    let text = metadata(edges).to_string();
    let graph = Graph::parse(&text).expect("hand-made metadata is valid");
    assert_eq!(findings(&graph), expected);
}

fn metadata(edges: &[(&str, &str, Option<&str>)]) -> Value {
    let mut names: Vec<&str> = edges.iter().flat_map(|(from, to, _)| [*from, *to]).collect();
    names.sort_unstable();
    names.dedup();
    let is_member = |name: &&&str| rank(name).is_some() || **name == CHORES || name.ends_with("-common");
    let packages: Vec<Value> =
        names.iter().map(|name| json!({"id": format!("{name} 1"), "name": name, "version": "1.0.0"})).collect();
    let members: Vec<String> = names.iter().filter(is_member).map(|name| format!("{name} 1")).collect();
    let nodes: Vec<Value> = names
        .iter()
        .map(|name| {
            let deps: Vec<Value> = edges
                .iter()
                .filter(|(from, ..)| from == name)
                .map(|(_, to, kind)| json!({"name": to, "pkg": format!("{to} 1"), "dep_kinds": [{"kind": kind}]}))
                .collect();
            json!({"id": format!("{name} 1"), "deps": deps})
        })
        .collect();
    json!({"packages": packages, "workspace_members": members, "resolve": {"nodes": nodes}})
}

#[test]
fn edges_that_go_down_are_fine() {
    check(
        &[
            ("tools-file", "tools-core", None),
            ("tools-file", "tools-sandbox", None),
            ("tools-sandbox", "tools-core", None),
            ("haft", "tools-file", None),
            ("haft-cli", "haft", None),
            ("tools-bench", "haft", None),
        ],
        &[],
    );
}

#[test]
fn an_edge_between_equals_names_both_ranks() {
    check(
        &[("tools-policy", "tools-shell", None)],
        &["tools-policy -> tools-shell: a dependency goes to a lower rank, and this one goes from 2 to 2"],
    );
}

#[test]
fn a_dev_dependency_goes_down_too() {
    check(
        &[("tools-core", "tools-shell", Some("dev"))],
        &["tools-core -> tools-shell: a build or dev-dependency goes to a lower rank, and this one goes from 0 to 2"],
    );
}

#[test]
fn the_test_kit_is_for_tests_of_every_rank() {
    check(&[("tools-core", "tools-testkit", Some("dev")), ("tools-sandbox", "tools-testkit", Some("dev"))], &[]);
    check(&[("haft", "tools-testkit", None)], &["haft -> tools-testkit: the test kit is a dev-dependency only"]);
}

#[test]
fn no_tool_crate_knows_the_facade() {
    check(&[("tools-mcp", "haft", Some("dev"))], &["tools-mcp -> haft: a `tools-*` crate never depends on the facade"]);
}

#[test]
fn a_crate_without_a_rank_is_reported() {
    check(
        &[("haft-common", "tools-core", None)],
        &["`haft-common` has no rank: add it to the table in xtask/src/layering.rs"],
    );
}

#[test]
fn reqwest_is_reached_through_its_gates_only() {
    check(&[("haft", "tools-web", None), ("tools-web", "reqwest", None), ("tools-file", "tools-core", None)], &[]);
    check(
        &[("tools-file", "fetcher", None), ("fetcher", "reqwest", None)],
        &[
            "tools-file -> fetcher -> reqwest: only tools-web, tools-providers, tools-mcp, tools-mcp-client, tools-mcp-http, tools-code, tools-tls \
           may reach it, because whoever takes only the file tools compiles no HTTP client",
        ],
    );
}

#[test]
fn a_gate_does_not_hide_a_second_way() {
    check(
        &[("haft", "tools-web", None), ("tools-web", "reqwest", None), ("haft", "reqwest", None)],
        &[
            "haft -> reqwest: only tools-web, tools-providers, tools-mcp, tools-mcp-client, tools-mcp-http, tools-code, tools-tls may reach it, \
           because whoever takes only the file tools compiles no HTTP client",
        ],
    );
}

#[test]
fn the_chores_are_free_but_nobody_uses_them() {
    check(&[("xtask", "reqwest", None)], &[]);
    check(&[("tools-core", "xtask", Some("build"))], &["tools-core -> xtask: nothing depends on the chores"]);
}

#[test]
fn banned_packages_are_reported_with_the_way_to_them() {
    check(
        &[("tools-web", "tls", None), ("tls", "native-tls", None)],
        &["tools-web -> tls -> native-tls: banned, because TLS is rustls with ring, which needs no system library"],
    );
}

#[test]
fn every_finding_is_reported() {
    let text = metadata(&[("tools-core", "tools-sandbox", None), ("tools-sandbox", "sqlx", None)]).to_string();
    let graph = Graph::parse(&text).expect("hand-made metadata is valid");
    assert_eq!(findings(&graph).len(), 3, "the edge, and the database reached from both crates");
}
