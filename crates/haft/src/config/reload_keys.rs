//! When a changed key applies: at once, or from the next start.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde_json::Value;
use tools_core::inline_schema;

use super::{HaftConfig, ReloadReport};

/// The new configuration with the old values of keys that apply from the next start only, and a
/// report of the changes.
pub(crate) fn merged(running: &HaftConfig, new: &HaftConfig) -> (HaftConfig, ReloadReport) {
    let (before, mut after) = (json(running), json(new));
    let mut report = ReloadReport::default();
    let (old_keys, new_keys) = (keys(&before), keys(&after));
    let names: BTreeSet<&String> = old_keys.keys().chain(new_keys.keys()).collect();
    for name in names.into_iter().filter(|name| old_keys.get(*name) != new_keys.get(*name)) {
        let list = if counts_from_start(name) { &mut report.needs_restart } else { &mut report.applied };
        list.push(name.clone());
    }
    for path in &COUNTS.from_start {
        let pointer = format!("/{}", path.replace('.', "/"));
        if let (Some(old), Some(place)) = (before.pointer(&pointer), after.pointer_mut(&pointer)) {
            *place = old.clone();
        }
    }
    // Each key comes from one of two valid configurations, so the result is valid too.
    let config = serde_json::from_value(after).unwrap_or_else(|_| new.clone());
    (config, report)
}

/// Keys by the time they apply: sections, or single keys.
#[derive(Debug, Default)]
struct ReloadKeys {
    /// Keys that apply from the next call on.
    swapped: Vec<String>,
    /// Exceptions to `swapped` that apply from the next start: what they name was opened, passed to
    /// a client or compared at the start.
    from_start: Vec<String>,
}

/// Gates declare it for their sections, every other key in its own definition (`x-applies`).
static COUNTS: LazyLock<ReloadKeys> = LazyLock::new(|| {
    let mut counts = ReloadKeys::default();
    #[cfg(feature = "policy")]
    for about in tools_policy::GATES.iter().map(|row| &row.about) {
        let is_swapped = about.applies == tools_policy::gate::Applies::Reload;
        about.sections.iter().for_each(|section| counts.add((*section).to_owned(), is_swapped));
    }
    counts.collect("", inline_schema::<HaftConfig>().as_value());
    counts
});

impl ReloadKeys {
    fn add(&mut self, section: String, is_swapped: bool) {
        if is_swapped { self.swapped.push(section) } else { self.from_start.push(section) }
    }

    fn collect(&mut self, path: &str, schema: &Value) {
        for (name, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            if let Some(applies) = schema.get("x-applies").and_then(Value::as_str) {
                self.add(path.clone(), applies == "reload");
            }
            self.collect(&path, schema);
        }
    }
}

fn counts_from_start(key: &str) -> bool {
    is_below(&COUNTS.from_start, key) || !is_below(&COUNTS.swapped, key)
}

fn is_below(sections: &[String], key: &str) -> bool {
    let holds = |section: &String| {
        key.strip_prefix(section.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    sections.iter().any(holds)
}

fn json(config: &HaftConfig) -> Value {
    serde_json::to_value(config).unwrap_or_default()
}

/// Every effective value by key.
fn keys(config: &Value) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    collect(&mut found, String::new(), config);
    found
}

fn collect(found: &mut BTreeMap<String, Value>, path: String, value: &Value) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                collect(found, if path.is_empty() { name.clone() } else { format!("{path}.{name}") }, member);
            }
        }
        other => {
            found.insert(path, other.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_every_key_it_is_known_when_it_counts() {
        let all = keys(&json(&HaftConfig::default()));
        let is_known = |key: &&String| is_below(&COUNTS.swapped, key) || is_below(&COUNTS.from_start, key);
        let unknown: Vec<&String> = all.keys().filter(|key| !is_known(key)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        for section in COUNTS.swapped.iter().chain(&COUNTS.from_start) {
            assert!(all.keys().any(|key| is_below(std::slice::from_ref(section), key)), "{section}");
            let twice = COUNTS.swapped.iter().chain(&COUNTS.from_start).filter(|other| *other == section).count();
            assert_eq!(twice, 1, "{section}");
        }
    }

    #[test]
    fn what_counts_from_the_start_keeps_its_old_value() {
        let mut new = HaftConfig::default();
        new.tools.shell.timeout = 7;
        new.tools.shell.allowed_paths = vec!["/x".to_owned()];
        new.mcp.structured = true;
        let (config, report) = merged(&HaftConfig::default(), &new);
        assert_eq!(config.tools.shell.timeout, 7);
        assert!(config.tools.shell.allowed_paths.is_empty() && !config.mcp.structured);
        assert_eq!(report.applied, ["tools.shell.timeout"]);
        assert_eq!(report.needs_restart, ["mcp.structured", "tools.shell.allowed_paths"]);
    }
}
