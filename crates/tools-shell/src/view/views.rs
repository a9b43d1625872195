//! The view of each workspace, computed when the first command asks for it and again when the
//! settings that are handed in changed.

use std::cell::LazyCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tools_sandbox::ReadRules;
use tools_sandbox::view::{Surroundings, View, ViewAsk};

use super::copies::{Copies, Stamp};
use super::workspace_caches::WorkspaceCaches;

/// Most views that are kept: one for each set of folders that commands may write.
const MAX_KEPT: usize = 16;

/// The folders that commands are to see besides the system and what toolchains need.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ViewSettings {
    /// The folders that commands may write, canonical.
    pub writable: Vec<PathBuf>,
    /// Further places, with the reason of each.
    pub further: Vec<(PathBuf, String)>,
    /// The maximum size of the caches of all workspaces, in bytes; `None` for no limit.
    pub cache_limit: Option<u64>,
}

/// The views of commands, each computed when it is asked for first and again when the settings that
/// it hands in have changed.
///
/// Commands find the home empty but for what toolchains need and for copies of the user's settings
/// without credentials.
#[derive(Debug, Default)]
pub struct Views {
    state: Option<PathBuf>,
    made: Mutex<Vec<Arc<ComputedView>>>,
}

/// A view, and what it was computed from.
#[derive(Debug)]
pub struct ComputedView {
    wanted: ViewSettings,
    /// The view.
    pub view: Arc<View>,
    /// Files of settings that are not handed in: credentials could not be taken out for certain, or
    /// they are denied.
    pub left_out: Vec<PathBuf>,
    stamps: Vec<Stamp>,
    _caches: Option<WorkspaceCaches>,
}

impl Views {
    /// Views whose commands have package managers' caches of their own, one set for each workspace,
    /// in the folder `caches` of this folder. Without one ([`Views::default`]) package managers
    /// fetch nothing that outlives the command.
    pub fn caching_in(state: PathBuf) -> Self {
        Self { state: Some(state), ..Self::default() }
    }

    /// The view for what is wanted, as it is now. What `denies` refuses is not granted.
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

    /// Computes all views anew at the next look: the rules are others now.
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
    // What only holds credentials by custom may be handed in without them; what a person denied may
    // not.
    let custom = LazyCell::new(|| home.map(|home| ReadRules::preset(Some(home))));
    let is_denied = |path: &Path| denies(path) && !custom.as_ref().is_some_and(|custom| custom.denies(path));
    let copies = home.map(|home| Copies::make(home, cargo.as_deref(), &is_denied)).unwrap_or_default();
    let caches = state.zip(wanted.writable.first()).and_then(|(state, workspace)| {
        WorkspaceCaches::open(state, workspace, cargo.as_deref(), wanted.cache_limit).ok()
    });
    let ask = ViewAsk {
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
