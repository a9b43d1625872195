//! The tool `diagnostics`: its parameters, the inspection for the gates, and the run.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::Instant;
use tools_core::{
    Access, CallContext, ErrorDetail, Inspection, Locked as _, Redactor, Shared, Subject, Tool, ToolDef, ToolError,
    ToolKind, ToolOutput, ToolTraits, Typed, keys,
};
use tools_sandbox::kernel::{ChildConfinement, Confinement, MaskRules, Sandbox};
use tools_sandbox::obeyed::{Guard, NoAgreement, note_in, unmasked_note};
use tools_sandbox::process::{ProcessSpec, SpawnError, own_variables, scrubbed};
use tools_sandbox::{PathError, ResolvedPath, Roots};

use crate::checkers::CheckCommand;
use crate::config::DiagnosticsPolicy;
use crate::error::DiagnosticsError;
use crate::gather::Collector;
use crate::project::{Job, Places, jobs, local_program, marker};
use crate::report::DiagnosticsReport;
use crate::run::{checker_env, find_program, go_caches, run};
use crate::workspace::{Confine, RootsOf, Workspace};

/// Checks a project with its own compilers and linters: errors and warnings with file, line and
/// column. For Rust, TypeScript, Python, JavaScript, Go, C and C++. Runs build scripts of the
/// project.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiagnosticsArgs {
    /// For Rust; `clippy` finds more. Default `check`.
    #[serde(alias = "level")]
    pub kind: Option<CheckKind>,
    /// Project, or a file or directory in one. Default: working directory.
    pub path: Option<String>,
    /// Most errors and warnings to show.
    pub max_diagnostics: Option<u64>,
    /// Show the lines of code too.
    pub rendered: Option<bool>,
}

/// Command that checks a Rust project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckKind {
    /// `cargo check`.
    #[default]
    Check,
    /// `cargo clippy`.
    Clippy,
}

/// The tool `diagnostics`.
#[derive(Debug)]
pub struct Diagnostics {
    policy: Shared<DiagnosticsPolicy>,
    workspace: Workspace,
    /// Made at the first call; later calls share its private folders.
    sandbox: Mutex<Option<Sandbox>>,
}

impl Diagnostics {
    /// A tool under a policy. By default, checkers may write only the working directory of the
    /// call, and have neither a network nor credentials: the home is empty except for toolchains,
    /// the files of [`SECRET_PRESET`](tools_sandbox::SECRET_PRESET) are masked, and variables that
    /// look like credentials are removed from the environment.
    ///
    /// ```no_run
    /// use tools_core::{CallContext, CompositeExecutor, DynExecutor, Shared, Stack, ToolCall};
    /// use tools_diagnostics::{Diagnostics, DiagnosticsConfig};
    ///
    /// async fn check(project: &str) -> Result<String, Box<dyn std::error::Error>> {
    ///     let policy = Shared::new(DiagnosticsConfig::default().compile()?);
    ///     let tool = DynExecutor::new(Diagnostics::new(policy).into_executor());
    ///     let stack = Stack::new(vec![], CompositeExecutor::new([tool]));
    ///     let call = ToolCall::new("diagnostics", serde_json::json!({}))?;
    ///     Ok(stack.dispatch(call, &CallContext::new(project)).await?.summary)
    /// }
    /// ```
    pub fn new(policy: Shared<DiagnosticsPolicy>) -> Self {
        Self { policy, workspace: Workspace::default(), sandbox: Mutex::new(None) }
    }

    /// Sets the allowed roots: the only folders that it checks and that a checker may write.
    #[must_use]
    pub fn rooted(self, roots: RootsOf) -> Self {
        Self { workspace: Workspace { roots, ..self.workspace }, ..self }
    }

    /// Sets the confinement of checkers, including network and home: [`Confinement::default`] has
    /// no network and shows the whole home.
    #[must_use]
    pub fn confined(self, confine: Confine) -> Self {
        Self { workspace: Workspace { confine: Some(confine), ..self.workspace }, ..self }
    }

    /// Confines checkers in the same way as commands.
    #[must_use]
    pub fn held_by(self, commands: Arc<dyn ChildConfinement>) -> Self {
        let (hidden, env_pass) = (commands.hidden().clone(), commands.env_pass());
        self.confined(Arc::new(move |writable, hidden| commands.confined(writable, hidden)))
            .hiding(hidden)
            .passing(env_pass)
    }

    /// Sets the rules for files that checkers cannot read, in place of the preset.
    #[must_use]
    pub fn hiding(self, hidden: MaskRules) -> Self {
        Self { workspace: Workspace { hidden: OnceLock::from(hidden), ..self.workspace }, ..self }
    }

    /// Passes these environment variables on although their names look like credentials; a trailing
    /// `*` matches any ending.
    #[must_use]
    pub fn passing(self, env_pass: Vec<String>) -> Self {
        Self { workspace: Workspace { env_pass, ..self.workspace }, ..self }
    }

    /// Removes environment variables from checkers if this `redactor` finds a credential in the
    /// value.
    #[must_use]
    pub fn redacting(self, redactor: Arc<dyn Redactor>) -> Self {
        Self { workspace: Workspace { redactor, ..self.workspace }, ..self }
    }

    /// The tool as an executor.
    pub fn into_executor(self) -> Typed<Self> {
        Typed::new(self)
    }

    /// Plans a call: its roots, and the checkers with their directories.
    fn look(&self, args: &DiagnosticsArgs, cx: &CallContext) -> Result<(Roots, Vec<CheckerPlan>), DiagnosticsError> {
        let roots = (self.workspace.roots)(cx.workdir())?;
        let path = Path::new(args.path.as_deref().unwrap_or("."));
        let kind = args.kind.unwrap_or_default();
        let plan = |job: Job| CheckerPlan::new(job, kind, &roots);
        let planned: Vec<CheckerPlan> = jobs(path, &roots, cx.workdir())?.into_iter().map(plan).collect();
        for CheckerPlan { job, .. } in &planned {
            let judged = job.file.as_deref().unwrap_or(&job.directory);
            if self.workspace.hidden().denies(judged) {
                return Err(PathError::Denied(path.to_path_buf()).into());
            }
        }
        Ok((roots, planned))
    }

    /// A sandbox for the checkers of one call, compiled for the current content of the workspace.
    fn sandbox(&self, writable: Vec<PathBuf>, cx: &CallContext) -> Result<(Sandbox, Guard), DiagnosticsError> {
        let masks = self.workspace.hidden().masks(&writable);
        if masks.incomplete {
            return Err(DiagnosticsError::Unexamined);
        }
        if !masks.unexamined.is_empty() {
            let count = masks.unexamined.len();
            cx.journal().warn_once(format!(
                "{count} folders are closed to the checkers: they could not be searched for secret files"
            ));
        }
        let (roots, hidden) = (writable.clone(), self.workspace.hidden().clone());
        let guard = Guard::new(hidden, roots, (masks.obeyed, &masks.paths), Box::new(NoAgreement));
        let ask = self.workspace.confinement(writable, masks.paths);
        let ask = Confinement { held: guard.held(), absent: guard.absent(), ..ask };
        let mut shared = self.sandbox.locked();
        let sandbox = match shared.as_ref() {
            Some(first) => first.recompile(&ask)?,
            None => Sandbox::compile(&ask)?,
        };
        shared.get_or_insert_with(|| sandbox.idle());
        let strength = sandbox.strength();
        if strength.degraded {
            let open = strength.not_stopped.join("; ");
            cx.journal().warn_once(format!("commands are confined less than they could be; not stopped: {open}"));
        }
        let guard = guard.at(sandbox.strength().level);
        Ok((sandbox, guard))
    }

    /// Runs the checkers, and afterwards reports changes to files that control programs outside the
    /// sandbox: code of the project may do more than check.
    async fn check(&self, args: &DiagnosticsArgs, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let mut confined = None;
        let checked = self.run_checkers(args, &mut confined, cx).await;
        if let Some((_, guard)) = &confined {
            let after = guard.after(cx.writes());
            note_in(cx, &after.obeyed);
            if let Some(unmasked) = unmasked_note(&after.unmasked) {
                cx.journal().warn(unmasked);
            }
        }
        checked
    }

    async fn run_checkers(
        &self,
        args: &DiagnosticsArgs,
        confined: &mut Option<(Sandbox, Guard)>,
        cx: &CallContext,
    ) -> Result<ToolOutput, ToolError> {
        let policy = self.policy.load();
        let (roots, planned) = self.look(args, cx)?;
        let asked = args.max_diagnostics.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
        let mut gathered = Collector::new(asked.min(policy.max_diagnostics), args.rendered.unwrap_or(false));
        let writable: Vec<PathBuf> = roots.paths().map(Path::to_path_buf).collect();
        let workdir = roots
            .resolve(cx.workdir(), cx.workdir())
            .map_or_else(|_| cx.workdir().to_path_buf(), ResolvedPath::into_path);
        let places = Places { roots: &roots, workdir: &workdir };
        let env =
            scrubbed(own_variables().into_iter(), cx.env(), &self.workspace.env_pass, self.workspace.redactor.as_ref());
        let until = until(&policy, cx);
        let kind = args.kind.unwrap_or_default();
        for planned in planned {
            let found = program(&planned.job, &planned.command, &roots, &env);
            // If the program is missing, another checker may do a part of its work.
            let (planned, found) = match found {
                Some(found) => (planned, Some(found)),
                None => match planned.job.bare(planned.command.program) {
                    Some(bare) => {
                        let bare = CheckerPlan::new(bare, kind, &roots);
                        let program = program(&bare.job, &bare.command, &roots, &env);
                        if program.is_some() { (bare, program) } else { (planned, None) }
                    }
                    None => (planned, None),
                },
            };
            let CheckerPlan { job, command, marker } = planned;
            let Some(program) = found else {
                gathered.absent(&command, "is not installed", cx);
                continue;
            };
            let request = job.request(kind, &marker);
            let (sandbox, _) = match &*confined {
                Some(made) => made,
                None => confined.insert(self.sandbox(writable.clone(), cx)?),
            };
            let mut spec = ProcessSpec::new(program, &job.directory);
            spec.args.clone_from(&command.args);
            spec.env = checker_env(env.clone(), &job.directory, &writable, sandbox.strength());
            sandbox.name_temp(&mut spec.env);
            sandbox.name_caches(&mut spec.env, |name| cx.env().contains_key(name));
            if !sandbox.has_caches() {
                go_caches(&mut spec.env, &writable, sandbox.strength());
            }
            let ran = match run(&spec, sandbox, until, cx).await {
                Ok(ran) => ran,
                Err(SpawnError::Program { source, .. }) if source.kind() == ErrorKind::NotFound => {
                    gathered.absent(&command, "is not there for confined commands", cx);
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            cx.journal().note(keys::SANDBOX, serde_json::to_value(sandbox.strength().level).unwrap_or_default());
            if let Some(failure) = gathered.take(&job, &command, &request, &ran, &places, cx) {
                let detail = ErrorDetail::Shell { exit_code: ran.exit.code.unwrap_or(1), signal: ran.exit.signal };
                return Err(ToolError::from(failure).with_detail(detail).with_output(gathered.output()));
            }
        }
        Ok(gathered.output())
    }
}

/// The time at which the checkers are stopped: early enough to report what they found.
fn until(policy: &DiagnosticsPolicy, cx: &CallContext) -> Instant {
    const LAST_WORDS: Duration = Duration::from_millis(500);
    let own = Instant::now() + policy.timeout;
    match cx.deadline() {
        Some(deadline) => own.min(deadline.checked_sub(LAST_WORDS).unwrap_or(deadline)),
        None => own,
    }
}

fn program(job: &Job, command: &CheckCommand, roots: &Roots, env: &[(OsString, OsString)]) -> Option<PathBuf> {
    let own = local_program(&job.directory, command.local, roots);
    own.or_else(|| find_program(command.program, env))
}

/// A checker with the command it runs.
struct CheckerPlan {
    job: Job,
    command: CheckCommand,
    /// Content of the file that marks the project.
    marker: String,
}

impl CheckerPlan {
    fn new(job: Job, kind: CheckKind, roots: &Roots) -> Self {
        let marker = marker(&job, roots);
        let command = job.checker.command(&job.request(kind, &marker));
        Self { job, command, marker }
    }
}

impl Tool for Diagnostics {
    type Args = DiagnosticsArgs;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<DiagnosticsArgs>("diagnostics", ToolKind::Execute, ToolTraits::CAUTIOUS)
            .titled("Check the project")
            .with_output::<DiagnosticsReport>()
    }

    async fn inspect(&self, args: &DiagnosticsArgs, cx: &CallContext) -> Result<Inspection, ToolError> {
        let (_, planned) = self.look(args, cx)?;
        let mut inspection = Inspection::mutating();
        for CheckerPlan { job, command, .. } in &planned {
            inspection = inspection
                .touching(Subject::Command {
                    line: command.line(),
                    program: command.program.to_owned(),
                    argv: command.words(),
                    via: Vec::new(),
                })
                // The program may write below it: build folders, and anything that a build script
                // writes.
                .touching(Subject::path(&job.directory, Access::Write));
        }
        Ok(inspection)
    }

    async fn run(&self, args: DiagnosticsArgs, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        self.check(&args, cx).await
    }
}
