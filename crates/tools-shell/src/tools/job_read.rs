//! `job_read`: returns the output of a background command and its state.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::Instant;
use tools_core::{CallContext, Inspection, Tool, ToolDef, ToolError, ToolKind, ToolOutput, ToolTraits, Typed};

use super::job_text;
use crate::jobs::{JobReport, Jobs};

/// Maximum wait of one call.
const MAX_WAIT: Duration = Duration::from_secs(30);
/// Time reserved for the answer before the call's deadline.
const MARGIN: Duration = Duration::from_millis(100);

/// Returns new output of a background command and whether it still runs. While it runs, the last
/// 128 KiB of each stream are kept.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JobReadArgs {
    /// Job id.
    pub id: String,
    /// `next` of the last answer.
    pub since: Option<u64>,
    /// Milliseconds to wait for new output or the end, up to 30000.
    pub wait_ms: Option<u64>,
}

/// The tool `job_read`.
#[derive(Debug)]
pub struct JobRead(Arc<Jobs>);

impl JobRead {
    /// Creates the tool for these jobs.
    pub fn new(jobs: Arc<Jobs>) -> Self {
        Self(jobs)
    }

    /// The tool as an executor.
    pub fn into_executor(self) -> Typed<Self> {
        Typed::new(self)
    }
}

impl Tool for JobRead {
    type Args = JobReadArgs;

    fn definition(&self) -> ToolDef {
        // The output of a job changes without any write.
        let traits = ToolTraits { cacheable: false, ..ToolTraits::READ_ONLY };
        ToolDef::of::<JobReadArgs>("job_read", ToolKind::Execute, traits)
            .titled("Read background job")
            .with_output::<JobReport>()
            .polled()
    }

    async fn inspect(&self, _args: &JobReadArgs, _cx: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::read_only())
    }

    async fn run(&self, args: JobReadArgs, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let job = self.0.find(&args.id, cx.session())?;
        let until = Instant::now() + Duration::from_millis(args.wait_ms.unwrap_or(0)).min(MAX_WAIT);
        let until = cx.deadline().and_then(|end| end.checked_sub(MARGIN)).map_or(until, |end| end.min(until));
        let since = args.since.unwrap_or(0);
        let report = job.news(since, until).await;
        Ok(job_text::window(&job, report, since, cx))
    }
}
