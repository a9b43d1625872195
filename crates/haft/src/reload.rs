//! Another configuration for a toolbox that runs: all of it is compiled before any of it counts.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, Mutex, PoisonError, Weak},
};

use serde_json::Value;
use tools_cache::{CacheLayer, ToolResultCache};
use tools_core::{Announce, Redactor, SessionId, Shared, inline_schema};
use tools_diagnostics::DiagnosticsPolicy;
use tools_file::FilePolicy;
use tools_filter::FilterPipeline;
use tools_overflow::Archive;
use tools_policy::gate::{Applies, Closed};
use tools_retry::RetryPolicy;
use tools_sandbox::kernel::{Confinement, Hidden, SandboxMode};
use tools_secrets::{SecretRedactor, SecretsLayer, SecretsMode};
use tools_shell::ShellPolicyHandle;

use crate::{
    Filters, Toolbox,
    builder::{Parts, compile_retry, narrowed_config, policy_digest},
    config::{HaftConfig, LoadError, Loaded},
    credentials,
    gates::GATES,
    overflow,
    replaceable::Replaceable,
    view::{Made, Views, Wanted},
};

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
    pub(crate) retry: Shared<RetryPolicy>,
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
    #[cfg(feature = "web")]
    pub(crate) web: Shared<tools_web::ScrapePolicy>,
    /// What gates refuse commands to read.
    pub(crate) closed: Shared<Vec<Closed>>,
    pub(crate) hidden: Hidden,
    /// What file tools may read, which commands may read, too.
    pub(crate) file_roots: Vec<PathBuf>,
    pub(crate) views: Views,
}

impl Leaves {
    /// The folders that commands may write.
    pub(crate) fn writable(&self) -> Vec<PathBuf> {
        let (shell, home) = (self.shell.load(), crate::builder::home());
        let home = home.as_deref().and_then(Path::to_str);
        let mut writable = shell.roots(&self.workdir, home).unwrap_or_default();
        writable.extend(shell.shared_caches(&writable, home));
        writable
    }

    /// What commands see that may write these folders.
    pub(crate) fn view(&self, writable: &[PathBuf]) -> Arc<Made> {
        let (shell, home) = (self.shell.load(), crate::builder::home());
        let typed = shell.read_paths().iter().map(|path| {
            let place = match (path.strip_prefix('~').map(|rest| rest.trim_start_matches('/')), &home) {
                (Some(rest), Some(home)) => home.join(rest),
                _ => self.workdir.join(path),
            };
            (place, "`tools.shell.read_paths`".to_owned())
        });
        let roots = self.file_roots.iter().filter(|root| !writable.contains(root));
        let roots = roots.map(|root| (root.clone(), "`tools.file.allowed_paths`".to_owned()));
        let wanted = Wanted {
            writable: writable.to_vec(),
            further: typed.chain(roots).collect(),
            cache_limit: shell.cache_limit(),
        };
        self.views.view(&wanted, self.files.load().rules())
    }

    /// What a child is held to that may write these folders and not read what is `hidden`.
    pub(crate) fn confined(
        &self,
        writable: Vec<PathBuf>,
        mut hidden: Vec<PathBuf>,
        reserved: Vec<PathBuf>,
    ) -> Confinement {
        let view = Arc::clone(&self.view(&writable).view);
        hidden.extend(self.hidden.masks_read_only(&view.searched));
        let ask = self.shell.load().confinement(writable, hidden, reserved);
        let view = (ask.mode != SandboxMode::Off).then_some(view);
        Confinement { view, ..ask }
    }
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

    fn reading<'a>(
        &self,
        session: &SessionId,
        origin: &Path,
        text: Box<dyn std::io::Read + 'a>,
    ) -> Box<dyn std::io::Read + 'a> {
        self.0.load().reading(session, origin, text)
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
    pub(crate) fn new(
        config: &HaftConfig,
        redactor: SecretRedactor,
        retry: RetryPolicy,
        archive: Option<&Archive>,
    ) -> Self {
        let mode = config.tools.filters.security.mode();
        let results = Shared::new(ToolResultCache::new(&config.tools.result_cache));
        let live = LiveRedactor::new(redactor.clone());
        Self {
            announce: Replaceable::new(announce(mode, &live)),
            cache: Replaceable::new(CacheLayer::new(results.load())),
            overflow: Replaceable::new(overflow::layer(&config.tools.overflow, archive)),
            secrets: Replaceable::new(SecretsLayer::new(redactor, mode)),
            redactor: live,
            retry: Shared::new(retry),
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

    pub(crate) fn in_use(&self) -> Vec<Arc<Leaves>> {
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
        let compiled = self.gates.compile(&loaded)?;
        let retry = compile_retry(&loaded)?;
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
        #[cfg(feature = "web")]
        let web = crate::web::policy(&loaded)?;
        #[cfg(feature = "egress")]
        let (hosts, most_sent) = {
            let shell = config.tools.shell.compile().map_err(|error| loaded.fault("tools.shell", error.problem))?;
            (crate::egress::compile_rules(&loaded)?, shell.sent_per_host())
        };
        let security = &config.tools.filters.security;
        let extra = security.compile();
        let extra = extra.map_err(|error| loaded.fault(&credentials::pattern_key(&error), error.problem))?;

        self.gates.swap(compiled);
        #[cfg(feature = "egress")]
        {
            parts.outlets.common.rules.store(hosts);
            parts.outlets.common.most_sent.store(most_sent);
        }
        parts.swapped.retry.store(retry);
        for (leaves, own, (_, files, checks)) in leaves {
            // It was compiled above, so that it does not fail here.
            let _ = leaves.shell.rebuild(&own.tools.shell);
            leaves.files.store(files);
            leaves.checks.store(checks);
            #[cfg(feature = "web")]
            leaves.web.store(web.clone());
            leaves.closed.store(self.gates.closes("bash", &leaves.workdir));
            leaves.hidden.forget();
            leaves.views.forget();
        }
        parts.swapped.swap(&running, config, extra, parts.overflow_archive());
        report.warnings = parts.swap_filters(config);
        parts.policy.store(policy_digest(config));
        *running = config.clone();
        parts.relisted.notify_waiters();
        Ok(report)
    }
}

impl Swapped {
    fn swap(
        &self,
        before: &HaftConfig,
        config: &HaftConfig,
        extra: tools_secrets::ExtraPatterns,
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
    for path in &COUNTS.from_start {
        let pointer = format!("/{}", path.replace('.', "/"));
        if let (Some(old), Some(place)) = (before.pointer(&pointer), after.pointer_mut(&pointer)) {
            *place = old.clone();
        }
    }
    // Both were configurations, and so is what has each of its keys from one of them.
    let config = serde_json::from_value(after).unwrap_or_else(|_| new.clone());
    (config, report)
}

/// When keys count: a section, or one key of it.
#[derive(Debug, Default)]
struct Counts {
    /// From the next call on.
    swapped: Vec<String>,
    /// From the next start only, where those above would include them: what they name was opened, handed to a client or
    /// compared with at the start.
    from_start: Vec<String>,
}

/// What gates say of their sections, and every other key in its own definition (`x-applies`).
static COUNTS: LazyLock<Counts> = LazyLock::new(|| {
    let mut counts = Counts::default();
    for (section, applies) in GATES.iter().flat_map(|row| row.about.sections.iter().map(|key| (key, row.about.applies)))
    {
        counts.add((*section).to_owned(), applies);
    }
    counts.collect("", inline_schema::<HaftConfig>().as_value());
    counts
});

impl Counts {
    fn add(&mut self, section: String, applies: Applies) {
        match applies {
            Applies::Reload => self.swapped.push(section),
            Applies::NextStart => self.from_start.push(section),
        }
    }

    fn collect(&mut self, path: &str, schema: &Value) {
        for (name, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            match schema.get("x-applies").and_then(Value::as_str) {
                Some("reload") => self.add(path.clone(), Applies::Reload),
                Some(_) => self.add(path.clone(), Applies::NextStart),
                None => {}
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
