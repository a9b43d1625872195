//! Calls of `bash` in a folder of their own.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tools_core::{
    Approval, CallContext, CompositeExecutor, DynExecutor, SystemClock, ToolCall, ToolError, ToolExecutor, ToolOutput,
    Typed,
};
use tools_sandbox::kernel::MaskRules;
use tools_shell::{Bash, JobKill, JobRead, Jobs, ShellConfig, ShellPolicyHandle};

pub(crate) struct Shell {
    _base: tempfile::TempDir,
    pub(crate) work: PathBuf,
    pub(crate) outside: PathBuf,
    pub(crate) cx: CallContext,
    executor: Typed<Bash>,
    pub(crate) jobs: Arc<Jobs>,
}

/// What came of a call: the envelope, and the error if it was one.
pub(crate) struct Came {
    pub(crate) output: Option<ToolOutput>,
    pub(crate) error: Option<ToolError>,
}

impl Came {
    pub(crate) fn envelope(&self) -> Value {
        self.output.as_ref().and_then(|output| output.raw_response.clone()).expect("every path has an envelope")
    }

    pub(crate) fn field(&self, name: &str) -> Value {
        self.envelope()[name].clone()
    }

    pub(crate) fn stdout(&self) -> String {
        self.field("stdout").as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn code(&self) -> Option<&'static str> {
        self.error.as_ref().map(ToolError::code)
    }
}

impl Shell {
    pub(crate) fn new() -> Self {
        Self::with(&ShellConfig::default())
    }

    pub(crate) fn with(config: &ShellConfig) -> Self {
        // Not below `/tmp`, which a sandbox replaces.
        let place = tempfile::tempdir_in("/var/tmp").unwrap();
        let root = place.path().canonicalize().unwrap();
        let (work, outside) = (root.join("work"), root.join("outside"));
        std::fs::create_dir(&work).unwrap();
        std::fs::create_dir(&outside).unwrap();
        let hidden = MaskRules::new(|path| path.ends_with(".env"), vec![outside.join("secrets")]);
        let bash = Bash::new(ShellPolicyHandle::new(config.compile().unwrap())).hiding(hidden);
        let cx = CallContext::new(&work);
        let jobs = Arc::clone(bash.jobs());
        Self { _base: place, work, outside, cx, executor: bash.into_executor(), jobs }
    }

    /// A call that a person has agreed to.
    pub(crate) async fn run(&self, command: &str) -> Came {
        let call = ToolCall::new("bash", json!({ "command": command })).unwrap();
        let approval = Approval::grant(&call, tools_core::CallerId::generate(), &SystemClock);
        came(self.executor.execute_tool_call_confirmed(&call, &approval, &self.cx).await)
    }

    /// A call that starts a job.
    pub(crate) async fn start(&self, command: &str) -> Came {
        self.start_in(&self.cx, command).await
    }

    /// The same in another context.
    pub(crate) async fn start_in(&self, cx: &CallContext, command: &str) -> Came {
        let call = ToolCall::new("bash", json!({ "command": command, "background": true })).unwrap();
        let approval = Approval::grant(&call, tools_core::CallerId::generate(), &SystemClock);
        came(self.executor.execute_tool_call_confirmed(&call, &approval, cx).await)
    }

    /// A call of a tool on jobs, in this session or another.
    pub(crate) async fn on_job(&self, tool: &str, params: Value, cx: &CallContext) -> Came {
        let call = ToolCall::new(tool, params).unwrap();
        let (read, kill) = (JobRead::new(Arc::clone(&self.jobs)), JobKill::new(Arc::clone(&self.jobs)));
        let executors = [DynExecutor::new(read.into_executor()), DynExecutor::new(kill.into_executor())];
        came(CompositeExecutor::new(executors).execute_tool_call(&call, cx).await)
    }

    /// A call that nobody was asked about.
    pub(crate) async fn run_unasked(&self, command: &str) -> Came {
        let call = ToolCall::new("bash", json!({ "command": command })).unwrap();
        came(self.executor.execute_tool_call(&call, &self.cx).await)
    }
}

pub(crate) fn came(executed: tools_core::ExecuteResult) -> Came {
    match executed {
        Ok(output) => Came { output, error: None },
        Err(error) => Came { output: error.output().cloned(), error: Some(error) },
    }
}

/// Whether a process with this argument runs anywhere on the machine.
pub(crate) fn runs(mark: &str) -> bool {
    tools_testkit::processes_with(mark) > 0
}

/// Waits for what must come; the runner's own limit says when it does not.
pub(crate) async fn until(mut is_so: impl FnMut() -> bool) {
    while !is_so() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
