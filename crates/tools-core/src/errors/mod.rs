//! Failures of calls: the error, its category, and the text for the model.

mod category;
mod classify;
mod elsewhere;
mod error;
mod feedback;
mod key_fault;
mod nearest;

pub use category::{
    CategoryRow, ErrorDomain, ErrorKind, ErrorPhase, ErrorPhase as ToolInvocationPhase, ToolErrorCategory,
};
pub use classify::{classify_http_status, classify_io_error};
pub use elsewhere::ElsewhereError;
pub use error::{ErrorDetail, ToolError};
pub use feedback::{ToolErrorFeedback, text_for_model};
pub use key_fault::KeyFault;
pub use nearest::{did_you_mean, either, nearest, quoted};
