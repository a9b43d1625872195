//! Another configuration for a toolbox that runs: all of it is compiled before any of it counts.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    Toolbox,
    builder::policy_digest,
    config::{HaftConfig, LoadError, Loaded},
    gates::Compiled,
};

/// The sections that are swapped; a change of any other counts from the next start.
const SWAPPED: &[&str] = &[
    "tools.permissions",
    "tools.policy",
    "tools.authorization",
    "tools.adversarial_policy",
    "tools.retry",
    "tools.trust",
    "tools.anomaly",
    "tools.utility",
    "tools.max_tool_calls_per_session",
];

/// What a reload changed, key by key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reloaded {
    /// Keys whose new values count from now on.
    pub applied: Vec<String>,
    /// Keys whose new values count from the next start.
    pub needs_restart: Vec<String>,
}

impl Toolbox {
    /// Puts another configuration in place, whole or not at all. Calls under way keep what they began with.
    ///
    /// # Errors
    /// The first section that cannot be compiled, by key and line: then everything stays as it was.
    pub fn reload(&self, loaded: &Loaded<HaftConfig>) -> Result<Reloaded, LoadError> {
        let compiled = Compiled::of(loaded)?;
        let tools = &loaded.config.tools;
        let fault =
            |section: &str, key: &str, problem: String| loaded.fault(&format!("tools.{section}.{key}"), problem);
        tools.shell.compile().map_err(|error| fault("shell", error.key, error.problem))?;
        tools.diagnostics.compile().map_err(|error| fault("diagnostics", error.key, error.problem))?;
        let security = crate::secrets::redactor(&tools.filters.security);
        security.map_err(|error| loaded.fault(&crate::secrets::pattern_key(&error), error.problem))?;
        let mut running = self.running.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (before, after) = (keys(&running), keys(&loaded.config));
        let mut report = Reloaded::default();
        let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for name in names.into_iter().filter(|name| before.get(*name) != after.get(*name)) {
            let is_swapped = SWAPPED
                .iter()
                .any(|section| name.strip_prefix(section).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')));
            let list = if is_swapped { &mut report.applied } else { &mut report.needs_restart };
            list.push(name.clone());
        }
        self.gates.swap(compiled);
        self.parts.policy.store(policy_digest(&loaded.config));
        *running = loaded.config.clone();
        Ok(report)
    }
}

/// Every effective value by key.
fn keys(config: &HaftConfig) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    collect(&mut found, String::new(), serde_json::to_value(config).unwrap_or_default());
    found
}

fn collect(found: &mut BTreeMap<String, Value>, path: String, value: Value) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                collect(found, if path.is_empty() { name } else { format!("{path}.{name}") }, member);
            }
        }
        other => {
            found.insert(path, other);
        }
    }
}
