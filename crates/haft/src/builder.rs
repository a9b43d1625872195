//! From a configuration to a toolbox: every section is compiled before anything is put together.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use tools_audit::{Audit, AuditSink};
use tools_checkpoint::{Checkpoints, Coverage};
use tools_core::{
    CallContext, CompositeExecutor, DynExecutor, Judge, Layer, ModelHints, Redactor, SessionId, Shared, Stack,
};
use tools_diagnostics::{Diagnostics, DiagnosticsPolicy};
use tools_file::{FileConfig, FilePolicy};
use tools_filter::{FilterLayer, FilterPipeline};
use tools_overflow::{Archive, ReadOverflow};
use tools_policy::gate::Stands;
use tools_retry::{RetryLayer, RetryPolicy};
use tools_sandbox::{PathError, Reserved};
use tools_secrets::{SecretRedactor, SecretsMode};
use tools_shell::{Bash, JobKill, JobRead, Jobs, ShellPolicy, ShellPolicyHandle};

use crate::{
    Filters, Toolbox, agreed_scripts,
    config::{HaftConfig, LoadError, Loaded, places},
    credentials,
    gates::Gates,
    overflow,
    own_places::OwnPlaces,
    reload::{Leaves, Swapped},
    view::Views,
    watch::LastReload,
};

/// Builds a [`Toolbox`].
#[derive(Debug)]
pub struct ToolboxBuilder {
    loaded: Loaded<HaftConfig>,
    workdir: Option<PathBuf>,
    spelled: Option<PathBuf>,
    beside: Option<PathBuf>,
    was_discovered: bool,
    session: Option<SessionId>,
    executors: Vec<DynExecutor>,
    judge: Option<JudgeOption>,
}

/// A judge in a builder that can be shown.
struct JudgeOption(Arc<dyn Judge>);

impl std::fmt::Debug for JudgeOption {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.model())
    }
}

/// What a toolbox is made of beyond its stack: kept to make a narrower one.
#[derive(Debug)]
pub(crate) struct Parts {
    loaded: Loaded<HaftConfig>,
    /// Folders as people spell them, each with its canonical path.
    spellings: Vec<(PathBuf, PathBuf)>,
    beside: Option<PathBuf>,
    executors: Vec<DynExecutor>,
    /// One for all sessions: it keeps what TLS and names need, and no page.
    #[cfg(feature = "web")]
    web: Arc<tools_web::client::WebClient>,
    /// The networks of sessions whose commands are gated.
    #[cfg(feature = "egress")]
    pub(crate) outlets: Arc<crate::egress::Outlets>,
    layers: Layers,
    pub(crate) swapped: Swapped,
    pub(crate) last_reload: LastReload,
    pub(crate) filters: Shared<FilterPipeline>,
    /// The file of the user's rules for filters.
    pub(crate) rules: Option<PathBuf>,
    overflow: Option<Archive>,
    pub(crate) audit: Option<PathBuf>,
    /// The layer that keeps the record.
    pub(crate) record: Option<Arc<Audit>>,
    /// The digest of the rules in force, as the record names them.
    pub(crate) policy: Shared<String>,
    pub(crate) checkpoints: Option<Checkpoints>,
    pub(crate) jobs: Arc<Jobs>,
    gates: Arc<Gates>,
    /// Woken when other tools may be listed than before.
    pub(crate) relisted: Arc<tokio::sync::Notify>,
}

/// The layers, made once and shared by every stack of a toolbox.
#[derive(Clone)]
struct Layers(Vec<Arc<dyn Layer>>);

impl std::fmt::Debug for Layers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|layer| layer.name())).finish()
    }
}

impl ToolboxBuilder {
    pub(crate) fn new(loaded: Loaded<HaftConfig>) -> Self {
        Self {
            loaded,
            workdir: None,
            spelled: None,
            beside: None,
            was_discovered: false,
            session: None,
            executors: vec![],
            judge: None,
        }
    }

    /// Where relative paths start, and what tools are kept in where the configuration names no other folders. An
    /// absolute path of a folder that exists. Without one nothing is built.
    pub fn workdir(self, workdir: impl Into<PathBuf>) -> Self {
        Self { workdir: Some(workdir.into()), ..self }
    }

    /// The configuration was found in the user's folder and named by nobody: one that lies where tools may write is
    /// refused.
    pub fn discovered(self) -> Self {
        Self { was_discovered: true, ..self }
    }

    /// How the user spells the working directory where that leads through links: file tools take paths that begin so.
    pub fn spelled(self, spelled: impl Into<PathBuf>) -> Self {
        Self { spelled: Some(spelled.into()), ..self }
    }

    /// Where the configuration would stand: files of rules are looked for beside it when it was read from no file.
    pub fn beside(self, file: Option<PathBuf>) -> Self {
        Self { beside: file, ..self }
    }

    /// The session that calls belong to; without it a fresh one.
    pub fn session(self, session: SessionId) -> Self {
        Self { session: Some(session), ..self }
    }

    /// One more executor, behind the built-in ones: a name that they own stays theirs.
    pub fn executor(mut self, executor: DynExecutor) -> Self {
        self.executors.push(executor);
        self
    }

    /// The model that judges calls under `[tools.adversarial_policy]`. Without one, such a section refuses every call.
    pub fn judge(self, judge: Arc<dyn Judge>) -> Self {
        Self { judge: Some(JudgeOption(judge)), ..self }
    }

    /// Compiles every section and puts the toolbox together.
    ///
    /// # Errors
    /// The first section that cannot be compiled, by key and line: nothing runs on half a configuration.
    pub fn build(self) -> Result<Toolbox, LoadError> {
        let Self { loaded, workdir, spelled, beside, was_discovered, session, executors, judge } = self;
        let workdir = workdir.ok_or(LoadError::NoWorkdir)?;
        let own = OwnPlaces::of(&loaded, beside.as_deref());
        own.guard(&loaded.config, &workdir, loaded.file.as_deref().filter(|_| was_discovered))?;
        let judge = judge.map(|judge| judge.0);
        let config = &loaded.config;
        let security = &config.tools.filters.security;
        let secrets = credentials::redactor(security)
            .map_err(|error| loaded.fault(&credentials::pattern_key(&error), error.problem))?;
        let gates = Arc::new(Gates::new(&loaded, loaded.config.tools.approvals.file(), judge, secrets.clone())?);
        let archive = overflow::overflow_archive(&loaded)?;
        let retry = compile_retry(&loaded)?;
        let swapped = Swapped::new(config, secrets, retry, archive.as_ref());
        let policy = Shared::new(policy_digest(config));
        let sink = open_audit(&loaded)?;
        let audit = sink.as_ref().map(|sink| sink.path().to_owned());
        let mut record = None;
        let mut layers: Vec<Arc<dyn Layer>> = vec![Arc::new(swapped.announce.clone())];
        if let Some(sink) = sink {
            let sink: Arc<dyn AuditSink> = Arc::new(sink);
            let exporting = config.tools.audit.exporting(&places::state_dir(), sink);
            let sink = exporting.map_err(|error| loaded.fault("tools.audit.otlp_file", error.to_string()))?;
            let redactor = Arc::new(swapped.redactor.clone());
            let audit = Audit::new(sink, redactor, config.tools.audit.on_error).with_policy(policy.clone());
            let audit = Arc::new(audit);
            record = Some(Arc::clone(&audit));
            layers.push(audit);
        }
        layers.extend(gates.layers(Stands::BeforeCall));
        layers.push(Arc::new(swapped.cache.clone()));
        layers.push(Arc::new(swapped.overflow.clone()));
        let beside = loaded.file.clone().or(beside);
        let Filters { pipeline, file: rules, warnings } = Filters::compile(&config.tools.filters, beside.as_deref());
        let filters = Shared::new(pipeline);
        layers.push(Arc::new(FilterLayer::new(filters.clone()).warning(warnings.clone())));
        swapped.filter_warnings.store(warnings);
        layers.push(Arc::new(swapped.secrets.clone()));
        let checkpoints = keep_checkpoints(&loaded, &workdir)?;
        if let Some(checkpoints) = &checkpoints {
            layers.push(Arc::new(checkpoints.clone()));
        }
        layers.extend(gates.layers(Stands::AroundExecution));
        layers.push(Arc::new(RetryLayer::new(swapped.retry.clone())));
        debug_assert!(in_order(&layers), "the layers stand in the documented order");

        #[cfg(feature = "egress")]
        let outlets = {
            let shell = config.tools.shell.compile().map_err(|error| loaded.fault("tools.shell", error.problem))?;
            Arc::new(crate::egress::Outlets::new(crate::egress::Common {
                rules: Shared::new(crate::egress::compile_rules(&loaded)?),
                most_sent: Shared::new(shell.sent_per_host()),
                allowed: Arc::clone(&gates.memory.sessions),
                approvals: config.tools.approvals.clone(),
                redactor: Arc::new(swapped.redactor.clone()),
                record: record.clone(),
            }))
        };
        let hints = ModelHints { reasoning: config.agent.reasoning_model, ..ModelHints::default() };
        let mut context = CallContext::new(workdir).with_model(hints);
        if let Some(session) = session {
            context = context.in_session(session);
        }
        let spellings = spellings(spelled, config, context.workdir());
        let config = Arc::new(config.clone());
        let layers = Layers(layers);
        let parts = Parts {
            loaded,
            spellings,
            beside,
            executors,
            #[cfg(feature = "web")]
            web: Arc::default(),
            #[cfg(feature = "egress")]
            outlets,
            layers,
            swapped,
            last_reload: LastReload::default(),
            filters,
            rules,
            overflow: archive,
            audit,
            record,
            policy,
            checkpoints,
            jobs: Arc::default(),
            gates: Arc::clone(&gates),
            relisted: Arc::default(),
        };
        let stack = parts.stack(&config, context.workdir(), None)?;
        let parts = Arc::new(parts);
        let running = Arc::new(std::sync::Mutex::new(config.as_ref().clone()));
        Ok(Toolbox { stack, context, config, gates, running, parts })
    }
}

impl Parts {
    /// The executors of `config`, behind the shared layers.
    fn stack(&self, config: &HaftConfig, workdir: &Path, roots: Option<Vec<PathBuf>>) -> Result<Arc<Stack>, LoadError> {
        let mut executors = Vec::new();
        if config.tools.enabled {
            executors.extend(self.builtin(config, workdir, roots)?);
        }
        executors.extend(self.executors.iter().cloned());
        Ok(Arc::new(Stack::new(self.layers.0.clone(), CompositeExecutor::new(executors))))
    }

    /// Shell, files, diagnostics and reading on, in the order in which a model sees them.
    fn builtin(
        &self,
        config: &HaftConfig,
        workdir: &Path,
        roots: Option<Vec<PathBuf>>,
    ) -> Result<Vec<DynExecutor>, LoadError> {
        let tools = &config.tools;
        let (shell, files, checks) = self.leaf_policies(&self.loaded, config, workdir)?;
        let closed = Shared::new(self.gates.closes("bash", workdir));
        let hidden = credentials::hidden(&tools.file, files.rules(), private(config), closed.clone());
        let leaves = Arc::new(Leaves {
            workdir: workdir.to_owned(),
            roots,
            shell: ShellPolicyHandle::new(shell),
            files: Shared::new(files),
            checks: Shared::new(checks),
            #[cfg(feature = "web")]
            web: Shared::new(crate::web::policy(&self.loaded)?),
            closed,
            hidden: hidden.clone(),
            file_roots: roots_of(config, workdir),
            views: Views::default(),
        });
        self.swapped.keep(&leaves);
        let (shell, reserved) = (leaves.shell.clone(), self.reserved());
        // By shape only: a variable that the operator passes on is a known value, too.
        let shapes: Arc<dyn Redactor> = Arc::new(SecretRedactor::default());
        let bash = Bash::new(shell).hiding(hidden.clone()).protecting(reserved.clone());
        let bash = bash.redacting(Arc::clone(&shapes)).sharing(Arc::clone(&self.jobs));
        #[cfg(feature = "egress")]
        let bash = bash.leaving_by(Arc::clone(&self.outlets) as _);
        let seeing = Arc::clone(&leaves);
        let bash = bash.seeing(Arc::new(move |writable: &[PathBuf]| Arc::clone(&seeing.view(writable).view)));
        let (rooted, confining) = (leaves.files.clone(), Arc::clone(&leaves));
        let workspace = tools_diagnostics::Workspace {
            roots: Arc::new(move |workdir: &Path| rooted.load().roots(workdir)),
            // Holds the policies for as long as somebody holds the tools: what nobody uses is not kept in step.
            confine: Arc::new(move |writable, hidden| confining.confined(writable, hidden, reserved.clone())),
            hidden: Some(hidden),
            env_pass: tools.shell.env_pass.clone(),
            redactor: shapes,
        };
        let jobs = [
            DynExecutor::new(JobRead::new(Arc::clone(&self.jobs)).into_executor()),
            DynExecutor::new(JobKill::new(Arc::clone(&self.jobs)).into_executor()),
        ];
        let mut executors = vec![DynExecutor::new(bash.into_executor())];
        executors.extend(tools_file::executors(leaves.files.clone()));
        executors.push(DynExecutor::new(Diagnostics::new(leaves.checks.clone(), workspace).into_executor()));
        #[cfg(feature = "web")]
        executors.extend(crate::web::executors(leaves.web.clone(), Arc::clone(&self.web), Arc::clone(&self.gates)));
        executors.extend(jobs);
        let stored = self.overflow.iter().map(|archive| ReadOverflow::new(archive.clone()).into_executor());
        executors.extend(stored.map(DynExecutor::new));
        Ok(executors)
    }

    /// What the sections of the tools themselves compile to.
    pub(crate) fn leaf_policies(
        &self,
        loaded: &Loaded<HaftConfig>,
        config: &HaftConfig,
        workdir: &Path,
    ) -> Result<(ShellPolicy, FilePolicy, DiagnosticsPolicy), LoadError> {
        let tools = &config.tools;
        let below = |section: &str, key: &str| format!("tools.{section}.{key}");
        let shell = tools.shell.compile();
        let shell = shell.map_err(|error| loaded.fault(&below("shell", error.key), error.problem))?;
        let shell = shell.remembering(places::sandbox_record());
        let checks = tools.diagnostics.compile();
        let checks = checks.map_err(|error| loaded.fault(&below("diagnostics", error.key), error.problem))?;
        let files = tools.file.compile(workdir, home().as_deref());
        let files = files.map_err(|error| loaded.fault(&file_key(&tools.file, &error), error.to_string()))?;
        let files = files.closing(&private(config)).reserving(Reserved::new(&self.reserved()));
        let files = files.closing_by_tool(self.gates.closing()).spelled(&self.spellings);
        let files = match tools.filters.security.mode() {
            SecretsMode::Redact => files.redacting(Arc::new(self.swapped.redactor.clone())),
            SecretsMode::Warn | SecretsMode::Off => files,
        };
        Ok((shell, files.recording(&places::state_dir().join("unfinished")), checks))
    }

    /// The file the configuration was read from.
    pub(crate) fn config_file(&self) -> Option<&Path> {
        self.loaded.file.as_deref()
    }

    /// What that file said.
    pub(crate) fn config_text(&self) -> &str {
        &self.loaded.text
    }

    /// Where files of rules are looked for: beside this file.
    pub(crate) fn beside(&self) -> Option<&Path> {
        self.beside.as_deref()
    }

    pub(crate) fn overflow_archive(&self) -> Option<&Archive> {
        self.overflow.as_ref()
    }

    /// The layers around no tools at all: for a session whose workspace is empty.
    pub(crate) fn closed(&self) -> Arc<Stack> {
        Arc::new(Stack::new(self.layers.0.clone(), CompositeExecutor::new([])))
    }

    /// What no tool may change, wherever it lies and whether or not it is there: the rules it is judged by, the record of what
    /// it did and what is kept of it, under every name they have.
    pub(crate) fn reserved(&self) -> Vec<PathBuf> {
        let earlier = self.audit.iter().flat_map(|audit| earlier_records(audit));
        let agreed = agreed_scripts::folder(&self.loaded.config.tools.approvals.file());
        let export = self.loaded.config.tools.audit.export_file(&places::state_dir());
        let head = self.audit.iter().map(|audit| tools_audit::head_file(audit));
        let kept = self.checkpoints.as_ref().map(|_| kept(&self.loaded.config));
        let own = self
            .rules
            .iter()
            .chain(&self.audit)
            .chain([&agreed])
            .cloned()
            .chain(OwnPlaces::of(&self.loaded, self.beside.as_deref()).all())
            .chain(head)
            .chain(export)
            .chain(earlier)
            .chain(kept)
            .flat_map(|file| {
                let named = std::path::absolute(&file).ok();
                let canonical = file.canonicalize().ok();
                named.into_iter().chain(canonical)
            });
        let mut reserved: Vec<PathBuf> = own.collect();
        reserved.sort();
        reserved.dedup();
        reserved
    }

    pub(crate) fn roots(&self, workdir: &Path) -> Vec<PathBuf> {
        roots_of(&self.loaded.config, workdir)
    }

    pub(crate) fn narrowed(&self, toolbox: &Toolbox, roots: &[PathBuf]) -> Result<Toolbox, LoadError> {
        let running = toolbox.running.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        let config = narrowed_config(&running, roots);
        let workdir = roots.first().map_or_else(|| toolbox.workdir().to_owned(), Clone::clone);
        let stack = self.stack(&config, &workdir, Some(roots.to_vec()))?;
        let context = toolbox.context.clone().with_workdir(workdir);
        Ok(Toolbox { stack, context, config: Arc::new(config), ..toolbox.clone() })
    }
}

/// The folders that people spell otherwise than the system does.
fn spellings(spelled: Option<PathBuf>, config: &HaftConfig, workdir: &Path) -> Vec<(PathBuf, PathBuf)> {
    let allowed = config.tools.file.allowed_paths.iter().map(|path| workdir.join(path));
    let both = spelled.into_iter().chain(allowed).filter_map(|path| Some((path.clone(), path.canonicalize().ok()?)));
    both.filter(|(spelled, canonical)| spelled.is_absolute() && spelled != canonical).collect()
}

/// The folders that file tools are kept in.
pub(crate) fn roots_of(config: &HaftConfig, workdir: &Path) -> Vec<PathBuf> {
    let allowed = &config.tools.file.allowed_paths;
    let roots = if allowed.is_empty() { vec![workdir.to_owned()] } else { allowed.clone() };
    roots.iter().filter_map(|root| workdir.join(root).canonicalize().ok()).collect()
}

/// A configuration that keeps tools in these folders.
pub(crate) fn narrowed_config(config: &HaftConfig, roots: &[PathBuf]) -> HaftConfig {
    let mut config = config.clone();
    config.tools.file.allowed_paths = roots.to_vec();
    config.tools.shell.allowed_paths = roots.iter().map(|root| root.to_string_lossy().into_owned()).collect();
    config
}

/// What no tool may even read: what was kept for others.
fn private(config: &HaftConfig) -> Vec<PathBuf> {
    let mut private = overflow::private(&config.tools.overflow);
    private.push(kept(config));
    private.push(agreed_scripts::folder(&config.tools.approvals.file()));
    private
}

/// Files beside the record that hold earlier parts of it.
fn earlier_records(audit: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(stem)) = (audit.parent(), audit.file_stem().and_then(|stem| stem.to_str())) else {
        return vec![];
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let prefix = format!("{stem}-");
    let is_earlier = |path: &PathBuf| {
        path.extension() == audit.extension()
            && path.file_stem().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(&prefix))
    };
    entries.filter(is_earlier).collect()
}

/// The key below `tools.file` that an error is about.
fn file_key(config: &FileConfig, error: &PathError) -> String {
    let position = |list: &[String], glob: &str| list.iter().position(|entry| entry == glob);
    match error {
        PathError::Glob { glob, .. } => {
            let denied = config.deny_read.as_deref().and_then(|list| position(list, glob));
            let allowed = position(&config.allow_read, glob);
            match (denied, allowed) {
                (Some(index), _) => format!("tools.file.deny_read[{index}]"),
                (None, Some(index)) => format!("tools.file.allow_read[{index}]"),
                (None, None) => "tools.file".to_owned(),
            }
        }
        PathError::Root { path, .. } => {
            let index = config.allowed_paths.iter().position(|allowed| allowed == path);
            index.map_or_else(
                || "tools.file.allowed_paths".to_owned(),
                |index| format!("tools.file.allowed_paths[{index}]"),
            )
        }
        _ => "tools.file".to_owned(),
    }
}

/// What tells configurations apart in the record: the digest of the sections that calls are judged by.
pub(crate) fn policy_digest(config: &HaftConfig) -> String {
    let rules = serde_json::to_value(&config.tools).unwrap_or_default();
    tools_core::sha256_hex(tools_core::canonical_json(&rules).as_bytes())
}

/// What `tools.retry` compiles to.
pub(crate) fn compile_retry(loaded: &Loaded<HaftConfig>) -> Result<RetryPolicy, LoadError> {
    let compiled = loaded.config.tools.retry.compile();
    compiled.map_err(|error| loaded.fault(&format!("tools.retry.{}", error.key), error.problem))
}

fn open_audit(loaded: &Loaded<HaftConfig>) -> Result<Option<tools_audit::JsonlSink>, LoadError> {
    let config = &loaded.config.tools.audit;
    if !config.enabled {
        return Ok(None);
    }
    let base = places::state_dir();
    let sink = config.compile(&base).map_err(|error| loaded.fault("tools.audit.path", error.to_string()))?;
    Ok(Some(sink))
}

/// The folder in which changes of calls are kept under `config`.
fn kept(config: &HaftConfig) -> PathBuf {
    let folder = places::state_dir().join(&config.tools.checkpoints.path);
    folder.canonicalize().unwrap_or(folder)
}

/// What keeps the changes of calls, for the folders that calls may change.
fn keep_checkpoints(loaded: &Loaded<HaftConfig>, workdir: &Path) -> Result<Option<Checkpoints>, LoadError> {
    let tools = &loaded.config.tools;
    if !tools.checkpoints.enabled || !tools.enabled {
        return Ok(None);
    }
    let home = home();
    let files = tools.file.compile(workdir, home.as_deref());
    let closed = files.map_err(|error| loaded.fault("tools.file", error.to_string()))?.rules().clone();
    let absolute = |path: &String| match (path.strip_prefix("~/"), &home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => workdir.join(path),
    };
    let shell = tools.shell.allowed_paths.iter().map(absolute);
    let roots = shell.filter_map(|root| root.canonicalize().ok()).collect();
    let files = tools.file.allowed_paths.iter().map(|path| workdir.join(path));
    let others = files.filter_map(|root| root.canonicalize().ok()).collect();
    let workspace = workdir.canonicalize().unwrap_or_else(|_| workdir.to_owned());
    let coverage = Coverage { workspace, roots, others, closed };
    Ok(Some(Checkpoints::new(&tools.checkpoints, kept(&loaded.config), coverage)))
}

/// The layers that are here stand in the documented order.
fn in_order(layers: &[Arc<dyn Layer>]) -> bool {
    let mut documented = crate::layers().into_iter().map(|row| row.name);
    layers.iter().all(|layer| documented.any(|name| name == layer.name()))
}

/// The user's home, for `~` in patterns.
pub(crate) fn home() -> Option<PathBuf> {
    tools_sandbox::home()
}

/// The file that calls are recorded in under `config`.
pub fn audit_file(config: &HaftConfig) -> PathBuf {
    places::state_dir().join(&config.tools.audit.path)
}
