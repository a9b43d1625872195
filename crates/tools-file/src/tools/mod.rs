//! The ten tools, one file each, and how they become executors.

mod read;

mod edit;
mod write;

mod find_path;
mod grep;
mod list_directory;
mod notes;

mod create_directory;
mod delete_path;

mod copy_path;
mod move_path;

use std::sync::Arc;

use tools_core::{CompositeExecutor, DynExecutor, Shared, Typed};

use crate::{FilePolicy, workspace::Workspace};

/// The ten tools over one policy, each as an executor of its own.
///
/// They share what sessions have read; make them once per host.
pub fn executors(policy: Shared<FilePolicy>) -> Vec<DynExecutor> {
    let workspace = Arc::new(Workspace::new(policy));
    let shared = || Arc::clone(&workspace);
    vec![
        DynExecutor::new(Typed::new(read::Read(shared()))),
        DynExecutor::new(Typed::new(write::Write(shared()))),
        DynExecutor::new(Typed::new(edit::Edit(shared()))),
        DynExecutor::new(Typed::new(grep::Grep(shared()))),
        DynExecutor::new(Typed::new(find_path::FindPath(shared()))),
        DynExecutor::new(Typed::new(list_directory::ListDirectory(shared()))),
        DynExecutor::new(Typed::new(create_directory::CreateDirectory(shared()))),
        DynExecutor::new(Typed::new(delete_path::DeletePath(shared()))),
        DynExecutor::new(Typed::new(move_path::MovePath(shared()))),
        DynExecutor::new(Typed::new(copy_path::CopyPath(shared()))),
    ]
}

/// The ten tools over one policy as one executor.
pub fn executor(policy: Shared<FilePolicy>) -> CompositeExecutor {
    CompositeExecutor::new(executors(policy))
}
