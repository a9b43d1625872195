//! What nearly every author of a tool writes.

use std::future::Future;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::{CallContext, Inspection, ToolDef, ToolError, ToolOutput};

/// One tool: typed arguments, a definition, a look ahead and a run. Called by [`crate::Typed`],
/// which decodes the arguments, keeps the two paths of confirmation apart and turns it into an
/// executor.
pub trait Tool: Send + Sync + 'static {
    /// The parameters. Its doc comments are what the model reads.
    type Args: DeserializeOwned + JsonSchema + Send + Sync;

    /// What the tool is; asked once.
    fn definition(&self) -> ToolDef;

    /// What this call would touch. Pure reading: no effects, no network.
    ///
    /// # Errors
    /// Whatever already forbids the call.
    fn inspect(
        &self,
        args: &Self::Args,
        cx: &CallContext,
    ) -> impl Future<Output = Result<Inspection, ToolError>> + Send;

    /// Does it. Everything a gate decided may have changed since: check again at the moment of use.
    ///
    /// Every await may be the last: clean up in `Drop`.
    ///
    /// # Errors
    /// Any category, chosen in the one conversion of the crate's own error.
    fn run(&self, args: Self::Args, cx: &CallContext) -> impl Future<Output = Result<ToolOutput, ToolError>> + Send;

    /// Does it, given what [`Tool::inspect`] found just before, at the moment of use. A tool whose
    /// look is costly takes what it left with [`Inspection::keeping`] and need not look again;
    /// every other runs.
    ///
    /// # Errors
    /// As [`Tool::run`].
    fn run_inspected(
        &self,
        args: Self::Args,
        inspection: Inspection,
        cx: &CallContext,
    ) -> impl Future<Output = Result<ToolOutput, ToolError>> + Send {
        drop(inspection);
        self.run(args, cx)
    }
}
