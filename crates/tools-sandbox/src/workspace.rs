//! The workspace stays where a session began: a folder on the way to it that becomes a link leads
//! calls elsewhere.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
use tools_core::{Invocation, Layer, LayerInfo, Next, Outcome, ToolError, ToolErrorCategory};

/// Maximum number of working directories to remember. Beyond it, later ones are not checked.
const MAX_FOLDERS: usize = 1024;

/// Refuses calls whose working directory has become a link to another place, or lies behind one.
///
/// The canonical path of a working directory is that of its first call. Whoever may write in a
/// folder above the workspace, such as another session with that folder as its workspace, could
/// replace the workspace with a link to any place that this process can reach. A folder that is
/// removed or made anew at the same place is not refused.
#[derive(Debug, Default)]
pub struct WorkspaceLayer {
    canonical: Mutex<HashMap<PathBuf, PathBuf>>,
}

impl WorkspaceLayer {
    /// Its row in a list of layers.
    pub const INFO: LayerInfo = LayerInfo {
        name: "workspace",
        owner: "tools-sandbox",
        refuses_with: &["permanent_failure/workspace_moved"],
        why: "before every gate: the gates judge paths by where they lead",
    };

    /// A layer that knows one working directory from the beginning.
    pub fn new(workdir: &Path) -> Self {
        let layer = Self::default();
        layer.moved(workdir);
        layer
    }

    /// The place that a working directory leads to now and the one before, if they differ.
    fn moved(&self, workdir: &Path) -> Option<(PathBuf, PathBuf)> {
        let now = fs::canonicalize(workdir).ok()?;
        let mut known = self.canonical.lock().unwrap_or_else(PoisonError::into_inner);
        match known.get(workdir) {
            Some(before) => (*before != now).then(|| (now, before.clone())),
            None if known.len() < MAX_FOLDERS => {
                known.insert(workdir.to_owned(), now);
                None
            }
            None => None,
        }
    }
}

#[async_trait]
impl Layer for WorkspaceLayer {
    fn name(&self) -> &'static str {
        Self::INFO.name
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        match self.moved(inv.context.workdir()) {
            Some((now, before)) => Err(refusal(inv.context.workdir(), &now, &before)),
            None => next.run(inv).await,
        }
    }
}

fn refusal(workdir: &Path, now: &Path, before: &Path) -> ToolError {
    let (workdir, now, before) = (workdir.display(), now.display(), before.display());
    let message = format!("the workspace `{workdir}` leads to `{now}` now, and led to `{before}` before");
    ToolError::new(ToolErrorCategory::PermanentFailure, "workspace_moved", message).with_suggestion(
        "Nothing was run. Tell the user: a folder was replaced with a link, and haft has to be started again.",
    )
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_a_working_directory_that_leads_elsewhere_has_moved() {
        let place = tempfile::tempdir().unwrap();
        let (workdir, other) = (place.path().join("a/ws"), place.path().join("b/ws"));
        fs::create_dir_all(&workdir).unwrap();
        fs::create_dir_all(&other).unwrap();
        let layer = WorkspaceLayer::new(&workdir);
        assert_eq!(layer.moved(&workdir), None);
        // Made anew at the same place.
        fs::rename(&workdir, place.path().join("old")).unwrap();
        assert_eq!(layer.moved(&workdir), None);
        fs::create_dir(&workdir).unwrap();
        assert_eq!(layer.moved(&workdir), None);
        // A link in its place, and one above it.
        fs::remove_dir(&workdir).unwrap();
        symlink(&other, &workdir).unwrap();
        assert!(layer.moved(&workdir).is_some_and(|(now, _)| now.ends_with("b/ws")));
        fs::remove_dir_all(place.path().join("a")).unwrap();
        symlink(place.path().join("b"), place.path().join("a")).unwrap();
        assert!(layer.moved(&workdir).is_some_and(|(now, before)| now != before));
        // A working directory that was a link from the beginning.
        let linked = place.path().join("linked");
        symlink(&other, &linked).unwrap();
        assert_eq!((layer.moved(&linked), layer.moved(&linked)), (None, None));
    }
}
