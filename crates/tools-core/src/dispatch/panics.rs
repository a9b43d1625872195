//! Conversion of panics to errors.

use crate::{ToolError, ToolErrorCategory};

type CatchResult<T> = Result<Result<T, ToolError>, Box<dyn std::any::Any + Send>>;

/// Parts of the panic messages of tokio, and libraries on top of it, without a runtime or without
/// its timers or I/O. There is no other way to detect this.
pub(super) const RUNTIME_LACKS: [&str; 2] = ["Tokio 1.x", "Tokio context"];

/// Error of a call for which the program has no suitable runtime.
pub(super) fn no_runtime(message: String) -> ToolError {
    let error = ToolError::new(ToolErrorCategory::PermanentFailure, "no_runtime", message);
    error.with_suggestion("Tell the user: the program has to build its tokio runtime with `enable_all`.")
}

/// Turns a panic into an error; its text goes to the operator only.
pub(crate) fn panic_to_error<T>(result: CatchResult<T>, who: &str) -> Result<T, ToolError> {
    result.unwrap_or_else(|panic| {
        let said = panic_text(&*panic);
        tracing::error!(who, said, "panic while handling a tool call");
        let error = if RUNTIME_LACKS.iter().any(|part| said.contains(part)) {
            no_runtime(format!("`{who}` needs a tokio runtime with timers and I/O, and the program has none"))
        } else {
            ToolError::new(
                ToolErrorCategory::PermanentFailure,
                "panic",
                format!("`{who}` broke on this call; this is a fault of the tool, not of the call"),
            )
        };
        Err(error.with_source(std::io::Error::other(format!("panic: {said}"))))
    })
}

/// The text of a panic.
pub(super) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    panic
        .downcast_ref::<&'static str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a value that is not text".to_owned())
}
