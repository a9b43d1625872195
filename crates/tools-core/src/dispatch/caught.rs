//! A panic as a failure.

use crate::{ToolError, ToolErrorCategory};

type CatchResult<T> = Result<Result<T, ToolError>, Box<dyn std::any::Any + Send>>;

/// Turns a panic into a failure; its text goes to the operator only.
pub(crate) fn caught<T>(result: CatchResult<T>, who: &str) -> Result<T, ToolError> {
    result.unwrap_or_else(|panic| {
        let said = panic
            .downcast_ref::<&'static str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "a value that is not text".to_owned());
        tracing::error!(who, said, "panic while handling a tool call");
        Err(ToolError::new(
            ToolErrorCategory::PermanentFailure,
            "panic",
            format!("`{who}` broke on this call; this is a fault of the tool, not of the call"),
        )
        .with_source(std::io::Error::other(format!("panic: {said}"))))
    })
}
