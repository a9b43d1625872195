//! The view of each workspace, computed when first needed and again when the copied settings
//! change.

use std::cell::LazyCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tools_sandbox::ReadRules;
use tools_sandbox::view::{Surroundings, View, ViewRequest};

use super::copies::{Copies, Stamp};
use super::workspace_caches::WorkspaceCaches;

/// Maximum number of kept views: one for each set of writable folders.
const MAX_KEPT: usize = 16;

/// The folders that commands see besides the system and the files that toolchains need.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ViewSettings {
    /// The folders that commands may write, canonical.
    pub writable: Vec<PathBuf>,
    /// Further readable places, with the reason of each.
    pub further: Vec<(PathBuf, String)>,
    /// The maximum size of the caches of all workspaces, in bytes; `None` for no limit.
    pub cache_limit: Option<u64>,
}

/// The views of commands, each computed when first needed and again when its copied settings
/// change.
///
/// The home of commands contains only the files that toolchains need and copies of the user's
/// settings without credentials.
#[derive(Debug, Default)]
pub struct Views {
    state: Option<PathBuf>,
    made: Mutex<Vec<Arc<ComputedView>>>,
}

/// A view, and its sources.
#[derive(Debug)]
pub struct ComputedView {
    wanted: ViewSettings,
    /// The view.
    pub view: Arc<View>,
    /// Settings files without a copy: credentials could not be removed reliably, or the files are
    /// denied.
    pub left_out: Vec<PathBuf>,
    stamps: Vec<Stamp>,
    _caches: Option<WorkspaceCaches>,
}

impl Views {
    /// Creates views whose commands have their own caches of package managers, one set per
    /// workspace, in the folder `caches` of this folder. Without one ([`Views::default`]) downloads
    /// of package managers do not outlive the command.
    pub fn caching_in(state: PathBuf) -> Self {
        Self { state: Some(state), ..Self::default() }
    }

    /// The present view for these settings. Paths for which `denies` is true are not granted.
    pub(crate) fn view(&self, wanted: &ViewSettings, denies: &dyn Fn(&Path) -> bool) -> Arc<ComputedView> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = made.iter().find(|made| made.wanted == *wanted && made.is_current()) {
            return Arc::clone(known);
        }
        made.retain(|made| made.wanted != *wanted);
        if made.len() >= MAX_KEPT {
            made.remove(0);
        }
        let new = Arc::new(make(wanted, self.state.as_deref(), denies));
        made.push(Arc::clone(&new));
        new
    }

    /// Discards all views, which are computed again when needed: the rules have changed.
    pub fn forget(&self) {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl ComputedView {
    fn is_current(&self) -> bool {
        self.stamps.iter().all(Stamp::is_current)
    }
}

fn make(wanted: &ViewSettings, state: Option<&Path>, denies: &dyn Fn(&Path) -> bool) -> ComputedView {
    let around = Surroundings::of_process();
    let cargo = around.cargo_home();
    let home = around.home().filter(|home| home.parent().is_some());
    // Files that usually contain credentials may be copied without them; files that a person denied
    // may not.
    let custom = LazyCell::new(|| home.map(|home| ReadRules::preset(Some(home))));
    let is_denied = |path: &Path| denies(path) && !custom.as_ref().is_some_and(|custom| custom.denies(path));
    let copies = home.map(|home| Copies::make(home, cargo.as_deref(), &is_denied)).unwrap_or_default();
    let caches = state.zip(wanted.writable.first()).and_then(|(state, workspace)| {
        WorkspaceCaches::open(state, workspace, cargo.as_deref(), wanted.cache_limit).ok()
    });
    let ask = ViewRequest {
        writable: &wanted.writable,
        further: &wanted.further,
        denies,
        handed_in: copies.handed_in,
        caches: caches.as_ref().map(|caches| (caches.own.clone(), caches.shown.clone())),
    };
    let view = Arc::new(View::discover(&around, ask));
    let mut stamps = copies.stamps;
    stamps.push(Stamp::of(Path::new("/")));
    ComputedView { wanted: wanted.clone(), view, left_out: copies.left_out, stamps, _caches: caches }
}
