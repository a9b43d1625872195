//! Asks a person before a call changes a file that controls programs outside the sandbox.

use std::path::{Path, PathBuf};

use tools_core::{Access, ConfiguredFiles, ConfirmReason, Inspection, Subject, obeyed_by};

/// Adds a question to `inspection` if the call changes such a file. `workdir` is canonical; `given`
/// are the paths in the call, which may lead to it through links.
pub(crate) fn asking(inspection: Inspection, workdir: &Path, given: &[PathBuf]) -> Inspection {
    let changed = || {
        inspection.subjects.iter().filter_map(|subject| match subject {
            Subject::Path { path, access, .. } if *access != Access::Read => Some(path.as_path()),
            _ => None,
        })
    };
    let mut configured = ConfiguredFiles::default();
    configured.add_top(workdir);
    for path in given {
        configured.add_given(path, workdir);
    }
    changed().for_each(|path| configured.add_around(path));
    let found = changed().find_map(|path| Some((path, obeyed_by(path, workdir, &configured)?)));
    let reason = found.map(|(path, by)| {
        let shown = path.strip_prefix(workdir).unwrap_or(path).display();
        ConfirmReason::new(format!("`{shown}` is obeyed by {by}"), "tools.file: built-in").about(path.to_string_lossy())
    });
    match reason {
        Some(reason) => inspection.confirming(reason),
        None => inspection,
    }
}
