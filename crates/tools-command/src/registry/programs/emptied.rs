//! Folders that a program empties before it fills them: harmless if they hold earlier output of the
//! program, otherwise a loss.

use tools_core::Access;

use crate::reader::Value;
use crate::registry::prelude::*;

/// Names of folders that usually hold build output or environments.
const OUTPUTS: &[&str] = &[
    ".next", ".nuxt", ".output", ".venv", "_build", "_site", "build", "coverage", "dist", "env", "htmlcov", "out",
    "output", "public", "site", "target", "venv", "www",
];

/// Whether a folder of the workspace holds generated files, by its name.
pub(super) fn is_output(folder: &str) -> bool {
    let is_up = folder.starts_with(['/', '~']) || folder.split('/').any(|step| step == "..");
    OUTPUTS.contains(&folder.rsplit('/').next().unwrap_or_default()) && !is_up
}

/// The losses from emptying a folder; none for a folder of generated files or below `/tmp`.
pub(super) fn emptied(folder: &Value) -> Vec<Effect> {
    let text = folder.text.trim_end_matches('/');
    if folder.is_exact && (is_output(text) || text.starts_with("/tmp/") && !text.contains("..")) {
        return Vec::new();
    }
    vec![
        Effect::Path { path: folder.clone(), access: Access::Delete, is_tree: true },
        Effect::says(Consequence::Destroys, "empties a folder"),
    ]
}
