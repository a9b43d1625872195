//! Checks whether the configured databases can be reached.

use haft::config::HaftConfig;

use super::findings::Finding;

/// Configuration keys that name a database, in the order of the reference.
#[cfg(feature = "postgres")]
const KEYS: [&str; 7] = [
    "agent.sessions.database",
    "scheduler.database",
    "tools.approvals.database",
    "tools.audit.database",
    "tools.caller_quota.database",
    "tools.memory.database",
    "tools.overflow.database",
];

/// Checks each database that `config` names. Writes nothing.
#[cfg(feature = "postgres")]
pub(super) async fn databases(config: &HaftConfig) -> Vec<Finding> {
    let value = serde_json::to_value(config).unwrap_or_default();
    let mut findings = Vec::new();
    for key in KEYS {
        let pointer = format!("/{}", key.replace('.', "/"));
        let Some(address) = value.pointer(&pointer).and_then(|value| value.as_str()).filter(|text| !text.is_empty())
        else {
            continue;
        };
        let (ok, found) = match haft::team::reach(address).await {
            Ok(()) => (true, "PostgreSQL, can be reached".to_owned()),
            Err(error) => (false, error.to_string()),
        };
        findings.push(Finding { what: format!("`{key}`"), ok, found });
    }
    findings
}

/// No findings: this build has no database support.
#[cfg(not(feature = "postgres"))]
pub(super) async fn databases(_: &HaftConfig) -> Vec<Finding> {
    vec![]
}
