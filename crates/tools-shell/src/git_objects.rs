//! Finds closed files in git's objects: a mask hides a file of the work tree, but not its committed
//! content, so a command that names such a file asks.

use std::path::Path;

use tools_command::{Analysis, Effect};
use tools_core::{Access, ConfirmReason};
use tools_sandbox::kernel::{MaskRules, resolve_by_words};

/// The reason why a person must agree; `None` if no git command names a file that `hidden` denies.
pub(crate) fn reason(found: &Analysis, hidden: &MaskRules, workdir: &Path) -> Option<ConfirmReason> {
    let is_closed = |path: &Path| path.ancestors().any(|outer| hidden.denies(outer));
    found.commands.iter().filter(|command| command.name() == "git").find_map(|command| {
        let named = command.effects.iter().find_map(|effect| match effect {
            Effect::Path { path, access: Access::Read, .. } if path.is_exact => {
                let placed = path.placed(command.folder.as_deref());
                let shown = resolve_by_words(&workdir.join(placed.text));
                // For a folder, git shows its content.
                (is_closed(&shown) || hidden.denies(&shown.join("any"))).then_some(&path.text)
            }
            _ => None,
        })?;
        let reason = format!("`{}` shows what git keeps of `{named}`, which may not be read", command.line);
        Some(ConfirmReason::new(reason, "tools.file.deny_read").about(&command.line))
    })
}
