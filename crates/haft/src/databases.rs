//! The databases that sections name: what is said of an address, and whether each can be reached.

use crate::{config::HaftConfig, doctor::Finding};

/// A store cannot use the address.
#[cfg(all(
    feature = "postgres",
    any(feature = "agent", feature = "audit", feature = "memory", feature = "policy", feature = "scheduler")
))]
pub(crate) const NO_ADDRESS: &str = "a `postgres://` address is expected";
/// The build knows no databases.
#[cfg(all(
    not(feature = "postgres"),
    any(feature = "agent", feature = "audit", feature = "memory", feature = "policy", feature = "scheduler")
))]
pub(crate) const NO_SERVERS: &str = "this build has no PostgreSQL; enable the feature `postgres`";

/// The keys that name a database, in the order of the reference.
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

/// Whether each database that `config` names can be reached. Nothing is written.
#[cfg(feature = "postgres")]
pub async fn databases(config: &HaftConfig) -> Vec<Finding> {
    let value = serde_json::to_value(config).unwrap_or_default();
    let mut findings = Vec::new();
    for key in KEYS {
        let pointer = format!("/{}", key.replace('.', "/"));
        let Some(address) = value.pointer(&pointer).and_then(|value| value.as_str()).filter(|text| !text.is_empty())
        else {
            continue;
        };
        let (ok, found) = match tools_team::reach(address).await {
            Ok(()) => (true, "PostgreSQL, can be reached".to_owned()),
            Err(error) => (false, error.to_string()),
        };
        findings.push(Finding { what: format!("`{key}`"), ok, found });
    }
    findings
}

/// Nothing: this build knows no databases.
#[cfg(not(feature = "postgres"))]
pub async fn databases(_: &HaftConfig) -> Vec<Finding> {
    vec![]
}
