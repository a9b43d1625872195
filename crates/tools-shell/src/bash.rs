//! The tool `bash`: its parameters, the analysis that every gate judges, and the run.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::{
    CallContext, ClaimSource, Inspection, Redactor, Subject, Tool, ToolDef, ToolError, ToolKind, ToolOutput,
    ToolTraits, Typed, keys,
};
use tools_sandbox::kernel::{Confinement, MaskRules, Network, NetworkGateway, NetworkLease, Sandbox, resolve_by_words};
use tools_sandbox::obeyed::Guard;
use tools_sandbox::shown;
use tools_sandbox::view::View;
use tools_secrets::SecretRedactor;

use crate::config::{NetworkMode, SandboxChoice};
use crate::envelope::{SandboxReport, ShellOutputEnvelope};
use crate::error::ShellError;
use crate::git_objects;
use crate::grants::Grants;
use crate::jobs::{Jobs, NewJob};
use crate::linked_programs::analyse_linked;
use crate::pipeline::Pipeline;
use crate::policy::{ShellPolicy, ShellPolicyHandle, surroundings};
use crate::publish;
use crate::run::{Plan, run, start};
use crate::scripts::scripts;
use crate::subjects::subjects;
use crate::temp::TempWatch;
use crate::transaction::{Transaction, only_reads};
use crate::view::{ViewSettings, Views};
use tools_command::{Analysis, Surroundings};

/// Runs a command line in bash and returns its output and exit code. Each call is a new shell in
/// the working directory; only files persist. There is no input and no terminal. Processes left
/// running are ended with the call: use `background` for servers, watchers and long builds.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BashArgs {
    /// Command line.
    pub command: String,
    /// Return at once with the id of a job for `job_read` and `job_kill`.
    #[serde(default)]
    pub background: bool,
    /// Ports a background server listens on, to be reachable from the user's machine (127.0.0.1).
    #[serde(default)]
    pub publish: Vec<u16>,
}

/// The analysis of a command line, and the policy that judged it.
struct LineAnalysis {
    policy: Arc<ShellPolicy>,
    around: Surroundings,
    found: Analysis,
}

/// Computes the view of commands that may write these folders.
pub type ViewProvider = Arc<dyn Fn(&[PathBuf]) -> Arc<View> + Send + Sync>;

/// The tool `bash`.
pub struct Bash {
    policy: ShellPolicyHandle,
    /// The preset for use without other rules; created on first use.
    hidden: OnceLock<MaskRules>,
    protected: Vec<PathBuf>,
    view: Option<ViewProvider>,
    views: Views,
    gateway: Option<Arc<dyn NetworkGateway>>,
    home: Option<String>,
    /// Created at the first command; later commands share its private folders.
    sandbox: Mutex<Option<Sandbox>>,
    jobs: Arc<Jobs>,
    redactor: Arc<dyn Redactor>,
}

/// Resources that one command may reach.
struct CommandAccess<'a> {
    /// The folders that it may write.
    roots: Vec<PathBuf>,
    /// The folder with the files from before the command, which the command cannot see.
    backup: Option<&'a Path>,
    grants: Grants,
    /// Its way out, if its network is gated.
    network_lease: Option<&'a Arc<dyn NetworkLease>>,
    /// Whether other commands stop while it may replace files that are read-only for them.
    stops_others: bool,
}

impl Bash {
    /// Creates the tool under a policy. By itself it gives commands no credential: the home
    /// contains only toolchains and copies of settings ([`Views`]), the files of
    /// [`SECRET_PRESET`](tools_sandbox::SECRET_PRESET) are masked, and environment variables whose
    /// values contain a credential are dropped.
    ///
    /// Its calls need a tokio runtime with I/O and timers: elsewhere they fail (`no_runtime`), and
    /// no command is started.
    pub fn new(policy: ShellPolicyHandle) -> Self {
        let home = tools_sandbox::home().and_then(|home| home.into_os_string().into_string().ok());
        Self {
            policy,
            hidden: OnceLock::new(),
            protected: Vec::new(),
            view: None,
            views: Views::default(),
            gateway: None,
            home,
            sandbox: Mutex::new(None),
            jobs: Arc::default(),
            // Matches credentials by form only: a variable that the operator passes on is a known
            // value, too.
            redactor: Arc::new(SecretRedactor::default()),
        }
    }

    /// Drops environment variables of commands if this `redactor` finds a credential in the value.
    pub fn redacting(self, redactor: Arc<dyn Redactor>) -> Self {
        Self { redactor, ..self }
    }

    /// Prevents commands from reading what these rules deny, instead of the preset. Cached
    /// knowledge of folders is shared with clones of the rules.
    pub fn hiding(self, hidden: MaskRules) -> Self {
        Self { hidden: OnceLock::from(hidden), ..self }
    }

    /// Prevents commands from writing these files, even in writable folders.
    pub(crate) fn protecting(self, protected: Vec<PathBuf>) -> Self {
        Self { protected, ..self }
    }

    /// Limits what commands see outside of the writable folders and the system to this `view`.
    pub fn seeing(self, view: ViewProvider) -> Self {
        Self { view: Some(view), ..self }
    }

    /// Gives commands this way out if their network is gated.
    pub fn with_network_gateway(self, gateway: Arc<dyn NetworkGateway>) -> Self {
        Self { gateway: Some(gateway), ..self }
    }

    /// Keeps its jobs in this shared table.
    pub(crate) fn sharing(self, jobs: Arc<Jobs>) -> Self {
        Self { jobs, ..self }
    }

    /// Its background jobs, for the tools that read and end them.
    pub fn jobs(&self) -> &Arc<Jobs> {
        &self.jobs
    }

    /// The tool as an executor.
    pub fn into_executor(self) -> Typed<Self> {
        Typed::new(self)
    }

    fn look(&self, args: &BashArgs, cx: &CallContext) -> Result<LineAnalysis, ShellError> {
        if args.command.trim().is_empty() {
            return Err(ShellError::Empty);
        }
        if args.command.contains('\0') {
            return Err(ShellError::Nul);
        }
        publish::check(&args.publish, args.background)?;
        let policy = self.policy.load();
        let around = surroundings(self.home.as_deref(), cx.workdir());
        let found = analyse_linked(&args.command, &around);
        if let Some(objection) = policy.blocked(&found, &around) {
            return Err(ShellError::Blocked(objection));
        }
        Ok(LineAnalysis { policy, around, found })
    }

    /// Creates the sandbox for one command from the present content of the workspace, and the guard
    /// that checks the files before it runs.
    fn sandbox(
        &self,
        policy: &ShellPolicy,
        command: CommandAccess<'_>,
        cx: &CallContext,
    ) -> Result<(Sandbox, Guard), ShellError> {
        let CommandAccess { roots, backup, grants, network_lease, stops_others } = command;
        let mut hidden: Vec<PathBuf> = backup.map(Path::to_owned).into_iter().collect();
        let masks = self.hidden().masks(&roots);
        if masks.incomplete {
            return Err(ShellError::Unexamined);
        }
        if let Some(first) = masks.unexamined.first() {
            let count = masks.unexamined.len();
            cx.journal().warn_once(format!(
                "closed to the command, since they are too large to be searched for secret files or cannot be read: `{}`{}",
                shown(first.strip_prefix(&roots[0]).unwrap_or(first)),
                if count > 1 { format!(" and {} more folders", count - 1) } else { String::new() }
            ));
        }
        let agreed = Box::new(grants.within(&roots, &masks.obeyed.configured));
        let guard = Guard::new(self.hidden().clone(), roots.clone(), (masks.obeyed, &masks.paths), agreed);
        hidden.extend(masks.paths);
        let mut writable = roots;
        writable.extend(policy.shared_caches(&writable, self.home.as_deref()));
        let is_confined = policy.config.sandbox != SandboxChoice::Off;
        let view = is_confined.then(|| self.seen(policy, &writable, cx.workdir()));
        if let Some(view) = &view {
            hidden.extend(self.hidden().masks_read_only(&view.searched, &writable));
        }
        let ask = policy.confinement(writable, hidden, self.protected.clone());
        let joins = network_lease.map(|network_lease| network_lease.network());
        let (held, absent, lifted) = (guard.held(), guard.absent(), guard.lifted());
        let ask = Confinement { held, absent, lifted, stops_others, view, joins, ..ask };
        let mut shared = self.sandbox.lock().unwrap_or_else(PoisonError::into_inner);
        let sandbox = match shared.as_ref() {
            Some(first) => first.recompile(&ask)?,
            None => Sandbox::compile(&ask)?,
        };
        shared.get_or_insert_with(|| sandbox.idle());
        let guard = guard.at(sandbox.strength().level);
        Ok((sandbox, guard))
    }

    fn hidden(&self) -> &MaskRules {
        self.hidden.get_or_init(MaskRules::preset)
    }

    /// The view of commands that may write these folders.
    fn seen(&self, policy: &ShellPolicy, writable: &[PathBuf], workdir: &Path) -> Arc<View> {
        if let Some(view) = &self.view {
            return view(writable);
        }
        let further = policy.read_places(workdir, self.home.as_deref().map(Path::new));
        let wanted = ViewSettings { writable: writable.to_vec(), further, cache_limit: None };
        Arc::clone(&self.views.view(&wanted, &|path| self.hidden().denies(path)).view)
    }

    /// The way out of a command, if its network is gated and the sandbox can confine it.
    fn network_lease(&self, args: &BashArgs, policy: &ShellPolicy, cx: &CallContext) -> Option<Arc<dyn NetworkLease>> {
        let can_join = matches!(policy.config.sandbox, SandboxChoice::Namespaces | SandboxChoice::BestEffort);
        let is_gated = policy.config.network == NetworkMode::Gate && can_join;
        let network_lease = self.gateway.as_ref().filter(|_| is_gated)?.open(&args.command, cx);
        if network_lease.is_none() {
            cx.journal().warn_once("the network is closed: the gate could not be opened (see `haft doctor`)");
        }
        network_lease
    }

    async fn attempt(
        &self,
        args: &BashArgs,
        looked: &LineAnalysis,
        subjects: &[Subject],
        cx: &CallContext,
    ) -> Result<ToolOutput, ToolError> {
        let LineAnalysis { policy, found, .. } = looked;
        let workdir = resolve_by_words(cx.workdir());
        let roots = policy.roots(&workdir, self.home.as_deref())?;
        let transaction = match policy.config.transactional && !only_reads(found) {
            true if args.background => Transaction::impossible(policy, cx)?,
            true => Transaction::begin(policy, roots.clone(), cx).await?,
            false => None,
        };
        let grants = Grants::of(found, subjects);
        let backup = transaction.as_ref().map(Transaction::place);
        let network_lease = self.network_lease(args, policy, cx);
        let reach = CommandAccess {
            roots,
            backup,
            grants,
            network_lease: network_lease.as_ref(),
            stops_others: !args.background,
        };
        let (sandbox, guard) = self.sandbox(policy, reach, cx)?;
        let network_lease = network_lease.filter(|_| sandbox.strength().network == Network::Gate);
        if sandbox.strength().degraded {
            let open = sandbox.strength().not_stopped.join("; ");
            cx.journal().warn_once(format!("commands are confined less than they could be; not stopped: {open}"));
        }
        // A command that only reads changes nothing, but may read files that were closed after it
        // began.
        let guard = if only_reads(found) { guard.only_of_masks() } else { guard };
        let pipeline = Pipeline::watchable(&args.command, found.last_pipeline.clone());
        let redactor = self.redactor.as_ref();
        let (command, workdir) = (args.command.as_str(), workdir.as_path());
        let hidden = self.hidden();
        let plan =
            Plan { command, workdir, policy, sandbox: &sandbox, pipeline, redactor, guard, hidden, network_lease };
        if args.background {
            publish::open(&args.publish, policy, sandbox.strength().network, plan.network_lease.as_deref())?;
            return self.start_job(plan, &args.publish, cx).await;
        }
        let outcome = run(&plan, cx).await;
        drop(plan);
        // This also removes the empty folders that blocked the creation of files.
        drop(sandbox);
        match transaction {
            Some(transaction) => transaction.conclude(outcome, cx).await,
            None => outcome,
        }
    }

    async fn start_job(&self, plan: Plan<'_>, ports: &[u16], cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let config = &plan.policy.config;
        let most = usize::try_from(config.max_jobs).unwrap_or(usize::MAX);
        self.jobs.admits(most)?;
        let following = NewJob {
            started: start(&plan, cx).await?,
            line: plan.command.into(),
            limit: Duration::from_secs(config.job_timeout),
            grace: Duration::from_millis(config.kill_grace_ms),
            pipeline: plan.pipeline,
            guard: plan.guard.report_only(),
            network_lease: plan.network_lease,
            temp: TempWatch::new(plan.sandbox, plan.policy.temporary_files),
        };
        let job = self.jobs.adopt(following, cx, most)?;
        let envelope = ShellOutputEnvelope::started(job.id.clone(), SandboxReport::from(plan.sandbox.strength()));
        cx.journal().note(keys::SANDBOX, envelope.sandbox.level.clone());
        let published = publish::port_note(ports, plan.sandbox.strength().network);
        let summary = format!("[runs in the background as `{}`: see `job_read` and `job_kill`]{published}", job.id);
        let output = ToolOutput::text(summary).from_source(ClaimSource::Command);
        Ok(output.with_raw_response(serde_json::to_value(&envelope).unwrap_or_default()))
    }
}

impl Tool for Bash {
    type Args = BashArgs;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<BashArgs>("bash", ToolKind::Execute, ToolTraits::CAUTIOUS)
            .titled("Run command")
            .with_output::<ShellOutputEnvelope>()
            .fenced("bash")
    }

    async fn inspect(&self, args: &BashArgs, cx: &CallContext) -> Result<Inspection, ToolError> {
        let looked = self.look(args, cx)?;
        let LineAnalysis { policy, around, found } = &looked;
        let confirm = policy.confirm(found, around);
        let confirm = confirm.or_else(|| git_objects::reason(found, self.hidden(), cx.workdir()));
        let read_only = !args.background && only_reads(found);
        let mut subjects = subjects(&args.command, found, cx.workdir());
        let roots = policy.roots(cx.workdir(), self.home.as_deref())?;
        subjects.extend(scripts(found, &roots, cx.workdir()));
        let published = publish::subjects(&args.publish, &args.command, policy);
        let confirm = confirm.or_else(|| publish::reason(&published));
        subjects.extend(published);
        let observed = policy.config.sandbox != SandboxChoice::Off;
        Ok(Inspection { subjects, confirm, read_only, observed, ..Inspection::mutating() }.keeping(looked))
    }

    async fn run(&self, args: BashArgs, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let inspection = self.inspect(&args, cx).await?;
        self.run_inspected(args, inspection, cx).await
    }

    async fn run_inspected(
        &self,
        args: BashArgs,
        inspection: Inspection,
        cx: &CallContext,
    ) -> Result<ToolOutput, ToolError> {
        let looked = match inspection.take::<LineAnalysis>() {
            Some(looked) => looked,
            None => Arc::new(self.look(&args, cx)?),
        };
        match self.attempt(&args, &looked, &inspection.subjects, cx).await {
            Err(error) if error.output().is_none() => {
                // Every path returns the envelope.
                let code = if error.code() == "command_blocked" { 126 } else { 125 };
                let envelope = ShellOutputEnvelope::not_started(code, error.message().to_owned());
                let value = serde_json::to_value(&envelope).unwrap_or_default();
                Err(error.with_output(ToolOutput::default().with_raw_response(value)))
            }
            other => other,
        }
    }
}
