//! The list of the ten tools, as executors over one policy.

use tools_core::{CompositeExecutor, DynExecutor, Shared, Typed};

use super::{
    copy_path::CopyPath, create_directory::CreateDirectory, delete_path::DeletePath, edit::Edit, find_path::FindPath,
    grep::Grep, list_directory::ListDirectory, move_path::MovePath, read::Read, write::Write,
};
use crate::{FilePolicy, memory::SeenFiles, workspace::Workspace};

/// The ten tools over one policy, one executor each.
///
/// They share the memory of what sessions have read; make them once per host.
pub fn executors(policy: Shared<FilePolicy>) -> Vec<DynExecutor> {
    executors_over(policy, &SeenFiles::default())
}

/// Does the same with a given memory, for hosts that outlive their sessions.
pub fn executors_over(policy: Shared<FilePolicy>, seen: &SeenFiles) -> Vec<DynExecutor> {
    let workspace = Workspace::new(policy, seen);
    let of = |tool| workspace.of(tool);
    vec![
        DynExecutor::new(Typed::new(Read(of("read")))),
        DynExecutor::new(Typed::new(Write(of("write")))),
        DynExecutor::new(Typed::new(Edit(of("edit")))),
        DynExecutor::new(Typed::new(Grep(of("grep")))),
        DynExecutor::new(Typed::new(FindPath(of("find_path")))),
        DynExecutor::new(Typed::new(ListDirectory(of("list_directory")))),
        DynExecutor::new(Typed::new(CreateDirectory(of("create_directory")))),
        DynExecutor::new(Typed::new(DeletePath(of("delete_path")))),
        DynExecutor::new(Typed::new(MovePath(of("move_path")))),
        DynExecutor::new(Typed::new(CopyPath(of("copy_path")))),
    ]
}

/// Combines the ten tools over one policy in one executor.
pub fn executor(policy: Shared<FilePolicy>) -> CompositeExecutor {
    CompositeExecutor::new(executors(policy))
}
