//! What tells configurations apart, in the record and in stored tasks.

use crate::config::HaftConfig;

/// The digest of the sections that calls are judged by.
pub fn policy_digest(config: &HaftConfig) -> String {
    let rules = serde_json::to_value(&config.tools).unwrap_or_default();
    tools_core::sha256_hex(tools_core::canonical_json(&rules).as_bytes())
}
