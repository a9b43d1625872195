//! Another configuration for a toolbox that runs: all of it is compiled before any of it counts.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use serde_json::Value;
use tools_cache::{CacheLayer, ToolResultCache};
use tools_core::{Announce, Redactor, SessionId, Shared};
use tools_diagnostics::DiagnosticsPolicy;
use tools_file::FilePolicy;
use tools_filter::{
    FilterPipeline,
    secrets::{SecretRedactor, SecretsLayer, SecretsMode},
};
use tools_overflow::Archive;
use tools_shell::ShellPolicyHandle;

use crate::{
    Filters, Toolbox,
    builder::{Parts, narrowed_config, policy_digest},
    config::{HaftConfig, LoadError, Loaded},
    gates::Compiled,
    overflow,
    replaceable::Replaceable,
    secrets,
};

/// Keys whose new values count from the next call on: a section, or one key of it.
const SWAPPED: &[&str] = &[
    "agent.hallucination_detection",
    "tools.adversarial_policy",
    "tools.anomaly",
    "tools.authorization",
    "tools.diagnostics",
    "tools.file",
    "tools.filters",
    "tools.max_tool_calls_per_session",
    "tools.overflow",
    "tools.permissions",
    "tools.policy",
    "tools.result_cache",
    "tools.retry",
    "tools.shell",
    "tools.trust",
    "tools.utility",
];

/// Keys that count from the next start only, where those above would include them: what they name was opened, handed to
/// a client or compared with at the start.
const FROM_START: &[&str] = &[
    "agent.reasoning_model",
    "mcp",
    "tools.approvals",
    "tools.audit",
    "tools.checkpoints",
    "tools.enabled",
    "tools.file.allow_read",
    "tools.file.allowed_paths",
    "tools.file.deny_read",
    "tools.filters.filters_path",
    "tools.overflow.database",
    "tools.overflow.enabled",
    "tools.overflow.path",
    "tools.shell.allowed_paths",
    "tools.shell.env_pass",
];

/// What a reload changed, key by key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reloaded {
    /// Keys whose new values count from now on.
    pub applied: Vec<String>,
    /// Keys whose new values count from the next start; until then the old ones do.
    pub needs_restart: Vec<String>,
    /// What is wrong with the rules of filters; what is wrong is skipped, all else is in force.
    pub warnings: Vec<String>,
}

/// What is swapped beside the gates, which look after themselves.
#[derive(Debug)]
pub(crate) struct Swapped {
    pub(crate) announce: Replaceable,
    pub(crate) cache: Replaceable,
    pub(crate) overflow: Replaceable,
    pub(crate) secrets: Replaceable,
    pub(crate) redactor: LiveRedactor,
    pub(crate) results: Shared<ToolResultCache>,
    pub(crate) filter_warnings: Shared<Vec<String>>,
    leaves: Mutex<Vec<Weak<Leaves>>>,
}

/// The policies of one set of tools. A toolbox and each that was narrowed from it has its own.
#[derive(Debug)]
pub(crate) struct Leaves {
    pub(crate) workdir: PathBuf,
    /// What a narrower toolbox is kept in.
    pub(crate) roots: Option<Vec<PathBuf>>,
    pub(crate) shell: ShellPolicyHandle,
    pub(crate) files: Shared<FilePolicy>,
    pub(crate) checks: Shared<DiagnosticsPolicy>,
}

/// Takes credentials out of text by the patterns that are in force when the text comes.
#[derive(Debug, Clone)]
pub(crate) struct LiveRedactor(Shared<SecretRedactor>);

impl LiveRedactor {
    pub(crate) fn new(redactor: SecretRedactor) -> Self {
        Self(Shared::new(redactor))
    }
}

impl Redactor for LiveRedactor {
    fn redact<'a>(&self, text: &'a str) -> std::borrow::Cow<'a, str> {
        self.0.load().redact(text)
    }

    fn in_session(&self, session: &SessionId) -> Option<Arc<dyn Redactor>> {
        self.0.load().in_session(session)
    }

    fn redact_json(&self, value: &Value) -> Value {
        self.0.load().redact_json(value)
    }
}

impl Swapped {
    /// The layers of a configuration, around what stays when it changes.
    pub(crate) fn new(config: &HaftConfig, redactor: SecretRedactor, archive: Option<&Archive>) -> Self {
        let mode = config.tools.filters.security.mode();
        let results = Shared::new(ToolResultCache::new(&config.tools.result_cache));
        let live = LiveRedactor::new(redactor.clone());
        Self {
            announce: Replaceable::new(announce(mode, &live)),
            cache: Replaceable::new(CacheLayer::new(results.load())),
            overflow: Replaceable::new(overflow::layer(&config.tools.overflow, archive)),
            secrets: Replaceable::new(SecretsLayer::new(redactor, mode)),
            redactor: live,
            results,
            filter_warnings: Shared::new(vec![]),
            leaves: Mutex::default(),
        }
    }

    /// Keeps a set of tools in step for as long as it is used.
    pub(crate) fn keep(&self, leaves: &Arc<Leaves>) {
        let mut all = self.leaves.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|one| one.strong_count() > 0);
        all.push(Arc::downgrade(leaves));
    }

    fn in_use(&self) -> Vec<Arc<Leaves>> {
        self.leaves.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade).collect()
    }
}

fn announce(mode: SecretsMode, redactor: &LiveRedactor) -> Announce {
    match mode {
        SecretsMode::Redact => Announce::default().redacting(Arc::new(redactor.clone())),
        SecretsMode::Warn | SecretsMode::Off => Announce::default(),
    }
}

impl Toolbox {
    /// Puts another configuration in place, whole or not at all. Calls under way keep what they began with.
    ///
    /// Keys that count from the next start only keep their old values until then, and are named.
    ///
    /// # Errors
    /// The first section that cannot be compiled, by key and line: then everything stays as it was.
    pub fn reload(&self, loaded: &Loaded<HaftConfig>) -> Result<Reloaded, LoadError> {
        let parts = &self.parts;
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let (config, mut report) = merged(&running, &loaded.config);
        let loaded = loaded.with(config);
        let config = &loaded.config;
        // Everything that can fail comes before anything that changes.
        let compiled = Compiled::of(&loaded)?;
        let leaves: Vec<_> = parts
            .swapped
            .in_use()
            .into_iter()
            .map(|leaves| {
                let own = leaves.roots.as_ref().map_or_else(|| config.clone(), |roots| narrowed_config(config, roots));
                let policies = parts.leaf_policies(&loaded, &own, &leaves.workdir)?;
                Ok((leaves, own, policies))
            })
            .collect::<Result<_, LoadError>>()?;
        let security = &config.tools.filters.security;
        let extra = security.compile();
        let extra = extra.map_err(|error| loaded.fault(&secrets::pattern_key(&error), error.problem))?;

        self.gates.swap(compiled);
        for (leaves, own, (_, files, checks)) in leaves {
            // It was compiled above, so that it does not fail here.
            let _ = leaves.shell.rebuild(&own.tools.shell);
            leaves.files.store(files);
            leaves.checks.store(checks);
        }
        parts.swapped.swap(&running, config, extra, parts.overflow_archive());
        report.warnings = parts.swap_filters(config);
        parts.policy.store(policy_digest(config));
        *running = config.clone();
        Ok(report)
    }
}

impl Swapped {
    fn swap(
        &self,
        before: &HaftConfig,
        config: &HaftConfig,
        extra: tools_filter::secrets::ExtraPatterns,
        archive: Option<&Archive>,
    ) {
        let mode = config.tools.filters.security.mode();
        // The same book of placeholders: what a session was shown keeps its name.
        let redactor = self.redactor.0.load().as_ref().clone().with_extra(extra);
        self.redactor.0.store(redactor.clone());
        self.announce.replace(announce(mode, &self.redactor));
        self.secrets.replace(SecretsLayer::new(redactor, mode));
        // Results were filtered and judged as it was configured then.
        if before.tools != config.tools {
            self.results.store(ToolResultCache::new(&config.tools.result_cache));
            self.cache.replace(CacheLayer::new(self.results.load()));
        }
        let archive = archive.map(|archive| archive.limited(&config.tools.overflow));
        self.overflow.replace(overflow::layer(&config.tools.overflow, archive.as_ref()));
    }
}

impl Parts {
    /// Reads the rules of filters again; what is wrong with them.
    fn swap_filters(&self, config: &HaftConfig) -> Vec<String> {
        let compiled = Filters::compile(&config.tools.filters, self.beside());
        // A file that was not there at the start is not held against tools: one of them may have written it.
        let is_new = compiled.file.is_some() && self.rules.is_none();
        let Filters { pipeline, warnings, .. } = if is_new {
            let (pipeline, _) = FilterPipeline::compile(&config.tools.filters, None);
            let warnings = vec!["`filters.toml` was not there at the start, and counts from the next one".to_owned()];
            Filters { pipeline, file: None, warnings }
        } else {
            compiled
        };
        self.filters.store(pipeline);
        self.swapped.filter_warnings.store(warnings.clone());
        warnings
    }
}

/// The new configuration with the old values of what counts from the start only, and what is different in it.
fn merged(running: &HaftConfig, new: &HaftConfig) -> (HaftConfig, Reloaded) {
    let (before, mut after) = (json(running), json(new));
    let mut report = Reloaded::default();
    let (old_keys, new_keys) = (keys(&before), keys(&after));
    let names: BTreeSet<&String> = old_keys.keys().chain(new_keys.keys()).collect();
    for name in names.into_iter().filter(|name| old_keys.get(*name) != new_keys.get(*name)) {
        let list = if counts_from_start(name) { &mut report.needs_restart } else { &mut report.applied };
        list.push(name.clone());
    }
    for path in FROM_START {
        let pointer = format!("/{}", path.replace('.', "/"));
        if let (Some(old), Some(place)) = (before.pointer(&pointer), after.pointer_mut(&pointer)) {
            *place = old.clone();
        }
    }
    // Both were configurations, and so is what has each of its keys from one of them.
    let config = serde_json::from_value(after).unwrap_or_else(|_| new.clone());
    (config, report)
}

fn counts_from_start(key: &str) -> bool {
    is_below(FROM_START, key) || !is_below(SWAPPED, key)
}

fn is_below(sections: &[&str], key: &str) -> bool {
    let holds =
        |section: &&str| key.strip_prefix(*section).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
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
        let unknown: Vec<&String> =
            all.keys().filter(|key| !is_below(SWAPPED, key) && !is_below(FROM_START, key)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        for section in SWAPPED.iter().chain(FROM_START) {
            assert!(all.keys().any(|key| is_below(&[section], key)), "{section}");
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
