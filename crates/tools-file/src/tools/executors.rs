//! The list of the ten tools, as executors over one policy.

use std::sync::Arc;

use tools_core::{CompositeExecutor, DynExecutor, Shared, Typed};

use super::{
    copy_path::CopyPath, create_directory::CreateDirectory, delete_path::DeletePath, edit::Edit, find_path::FindPath,
    grep::Grep, list_directory::ListDirectory, move_path::MovePath, read::Read, write::Write,
};
use crate::{FilePolicy, workspace::Workspace};

/// The ten tools over one policy, each as an executor of its own.
///
/// They share what sessions have read; make them once per host.
pub fn executors(policy: Shared<FilePolicy>) -> Vec<DynExecutor> {
    let workspace = Arc::new(Workspace::new(policy));
    let shared = || Arc::clone(&workspace);
    vec![
        DynExecutor::new(Typed::new(Read(shared()))),
        DynExecutor::new(Typed::new(Write(shared()))),
        DynExecutor::new(Typed::new(Edit(shared()))),
        DynExecutor::new(Typed::new(Grep(shared()))),
        DynExecutor::new(Typed::new(FindPath(shared()))),
        DynExecutor::new(Typed::new(ListDirectory(shared()))),
        DynExecutor::new(Typed::new(CreateDirectory(shared()))),
        DynExecutor::new(Typed::new(DeletePath(shared()))),
        DynExecutor::new(Typed::new(MovePath(shared()))),
        DynExecutor::new(Typed::new(CopyPath(shared()))),
    ]
}

/// The ten tools over one policy as one executor.
pub fn executor(policy: Shared<FilePolicy>) -> CompositeExecutor {
    CompositeExecutor::new(executors(policy))
}
