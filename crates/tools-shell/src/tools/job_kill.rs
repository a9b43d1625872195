//! `job_kill`: ends a background command and all it started.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::Instant;
use tools_core::{CallContext, Inspection, Tool, ToolDef, ToolError, ToolKind, ToolOutput, ToolTraits, Typed};

use super::job_text;
use crate::jobs::{JobReport, Jobs};

/// Maximum time to wait for the end of the job.
const PATIENCE: Duration = Duration::from_secs(10);

/// Ends a background command with everything it started, and returns its output.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JobKillArgs {
    /// Job id.
    pub id: String,
}

/// The tool `job_kill`.
#[derive(Debug)]
pub struct JobKill(Arc<Jobs>);

impl JobKill {
    /// Creates the tool for these jobs.
    pub fn new(jobs: Arc<Jobs>) -> Self {
        Self(jobs)
    }

    /// The tool as an executor.
    pub fn into_executor(self) -> Typed<Self> {
        Typed::new(self)
    }
}

impl Tool for JobKill {
    type Args = JobKillArgs;

    fn definition(&self) -> ToolDef {
        let traits = ToolTraits { idempotent: true, ..ToolTraits::EDIT };
        ToolDef::of::<JobKillArgs>("job_kill", ToolKind::Execute, traits)
            .titled("Stop background job")
            .with_output::<JobReport>()
    }

    async fn inspect(&self, _args: &JobKillArgs, _cx: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::mutating())
    }

    async fn run(&self, args: JobKillArgs, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let job = self.0.find(&args.id, cx.session())?;
        job.stop.notify_one();
        let report = job.ended(Instant::now() + PATIENCE).await;
        Ok(job_text::output(&job, &report, cx))
    }
}
