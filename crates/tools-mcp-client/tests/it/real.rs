//! Servers from a package registry: what they list is noticed when it changes, and is not when it
//! is only written otherwise.

use serde_json::Value;
use tools_core::CallContext;
use tools_mcp_client::{McpServers, compile, pins::LockStore};

use crate::pins::{MUTATIONS, held, reordered};
use crate::servers::launcher;

/// The variable that names a JSON file: a list of servers as in `[[mcp.servers]]`.
const LIST: &str = "MCP_TEST_SERVERS";

#[tokio::test]
#[ignore = "needs servers that are installed from a package registry, listed in the file that MCP_TEST_SERVERS names"]
async fn changes_of_real_servers_are_noticed() {
    let Some(file) = std::env::var_os(LIST) else {
        eprintln!("SKIPPED: no `{LIST}`");
        return;
    };
    let list: Vec<_> = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let servers = McpServers::new(compile(&list).unwrap(), LockStore::new(folder.path().join("lock.json")), []);
    let (launcher, cx) = (launcher(folder.path()), CallContext::new(folder.path()));
    let introduced = servers.introduce(&launcher, &cx).await;
    eprintln!("{introduced:?}");
    let (mut tools, mut noticed, mut tried, mut alarms) = (0, 0, 0, 0);
    let mut missed = Vec::new();
    for server in servers.all() {
        let Ok(report) = servers.report(server, &launcher, &cx).await else { continue };
        let listed: Vec<Value> =
            report.listing.findings.iter().map(|finding| serde_json::to_value(&finding.now).unwrap()).collect();
        tools += listed.len();
        let otherwise: Vec<Value> = listed.iter().rev().map(reordered).collect();
        alarms += held(&listed, &otherwise).len();
        for at in 0..listed.len() {
            for (name, mutate) in MUTATIONS {
                let mut now = listed.clone();
                mutate(&mut now, at);
                tried += 1;
                if held(&listed, &now).is_empty() {
                    missed.push(format!("{name} of {} of {}", listed[at]["name"], server.id()));
                } else {
                    noticed += 1;
                }
            }
        }
    }
    servers.stop().await;
    eprintln!(
        "{} servers, {tools} tools: {noticed} of {tried} changes noticed, {alarms} false alarms",
        servers.all().len()
    );
    assert!(missed.is_empty() && alarms == 0 && introduced.failed.is_empty(), "{missed:?} {alarms}");
}
