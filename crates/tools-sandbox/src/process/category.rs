//! The tool error category of a failed start.

use std::io;

use tools_core::{ToolError, ToolErrorCategory as Category};

use super::error::SpawnError;

impl From<SpawnError> for ToolError {
    fn from(error: SpawnError) -> Self {
        let (category, code) = match &error {
            SpawnError::Unavailable { .. } => (Category::PolicyBlocked, "sandbox_unavailable"),
            SpawnError::Weaker { .. } => (Category::PolicyBlocked, "sandbox_weaker"),
            SpawnError::Claimed { .. } => (Category::PolicyBlocked, "obeyed_files_in_use"),
            error if error.is_passing() => (Category::ServerError, "sandbox_busy"),
            SpawnError::NulByte { .. } => (Category::InvalidParameters, "nul_byte"),
            SpawnError::Program { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                (Category::PolicyBlocked, "program_not_executable")
            }
            SpawnError::Program { .. } => (Category::PermanentFailure, "program_not_found"),
            SpawnError::WorkingDirectory { .. } => (Category::PermanentFailure, "working_directory"),
            SpawnError::WritableFolder { .. } | SpawnError::TooManyRoots { .. } => {
                (Category::PermanentFailure, "sandbox_folders")
            }
            SpawnError::Confine { .. } | SpawnError::PrivateFolders(_) => {
                (Category::PermanentFailure, "sandbox_failed")
            }
            SpawnError::Runtime { .. } => (Category::PermanentFailure, "no_runtime"),
            SpawnError::Create(_) => (Category::PermanentFailure, "spawn_failed"),
        };
        ToolError::new(category, code, error.to_string()).with_source(error)
    }
}
