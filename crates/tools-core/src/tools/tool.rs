//! The trait that nearly every author of a tool implements.

use std::future::Future;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::{CallContext, Inspection, ToolDef, ToolError, ToolOutput};

/// One tool: typed arguments, a definition, an inspection and a run. Called by [`crate::Typed`],
/// which decodes the arguments, separates the two paths of confirmation and makes it an executor.
pub trait Tool: Send + Sync + 'static {
    /// The parameters. The model reads their doc comments.
    type Args: DeserializeOwned + JsonSchema + Send + Sync;

    /// Definition of the tool; requested once.
    fn definition(&self) -> ToolDef;

    /// The subjects of this call. Reads only: no effects, no network.
    ///
    /// # Errors
    /// An error that already forbids the call.
    fn inspect(
        &self,
        args: &Self::Args,
        cx: &CallContext,
    ) -> impl Future<Output = Result<Inspection, ToolError>> + Send;

    /// Runs the call. Everything a gate decided on may have changed since: check again at the
    /// moment of use.
    ///
    /// Every await may be the last: clean up in `Drop`.
    ///
    /// # Errors
    /// Any category, chosen in the one conversion of the crate's own error.
    fn run(&self, args: Self::Args, cx: &CallContext) -> impl Future<Output = Result<ToolOutput, ToolError>> + Send;

    /// Runs the call, given the result of [`Tool::inspect`] just before. A tool with a costly
    /// inspection takes its findings left by [`Inspection::keeping`] and need not look again;
    /// others use the default.
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
