//! The view of each workspace, computed when the first command asks for it and again when the
//! settings that are handed in changed.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use tools_sandbox::{
    ReadRules,
    view::{Surroundings, View, ViewAsk},
};

use super::{
    caches::WorkspaceCaches,
    copies::{Copies, Stamp},
};

/// Most views that are kept: one for each set of folders that commands may write.
const MAX_KEPT: usize = 16;

/// What the configuration says about what commands see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ViewSettings {
    /// The folders that commands may write, canonical.
    pub(crate) writable: Vec<PathBuf>,
    /// Further places, with the reason of each.
    pub(crate) further: Vec<(PathBuf, String)>,
    /// How much the caches of all workspaces may take.
    pub(crate) cache_limit: Option<u64>,
}

/// The views of a toolbox.
#[derive(Debug, Default)]
pub(crate) struct Views {
    made: Mutex<Vec<Arc<ComputedView>>>,
}

/// A view, and what it was computed from.
#[derive(Debug)]
pub(crate) struct ComputedView {
    wanted: ViewSettings,
    pub(crate) view: Arc<View>,
    /// Files of settings that are not handed in.
    pub(crate) left_out: Vec<PathBuf>,
    stamps: Vec<Stamp>,
    _caches: Option<WorkspaceCaches>,
}

impl Views {
    /// The view for what is wanted, as it is now.
    pub(crate) fn view(&self, wanted: &ViewSettings, rules: &ReadRules) -> Arc<ComputedView> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = made.iter().find(|made| made.wanted == *wanted && made.is_current()) {
            return Arc::clone(known);
        }
        made.retain(|made| made.wanted != *wanted);
        if made.len() >= MAX_KEPT {
            made.remove(0);
        }
        let new = Arc::new(make(wanted, rules));
        made.push(Arc::clone(&new));
        new
    }

    /// Computes all views anew at the next look: the rules are others now.
    pub(crate) fn forget(&self) {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl ComputedView {
    fn is_current(&self) -> bool {
        self.stamps.iter().all(Stamp::is_current)
    }
}

fn make(wanted: &ViewSettings, rules: &ReadRules) -> ComputedView {
    let around = Surroundings::of_process();
    let cargo = around.cargo_home();
    let home = around.home().filter(|home| home.parent().is_some());
    // What only holds credentials by custom may be handed in without them; what a person denied may
    // not.
    let custom = home.and_then(|home| ReadRules::compile(None, &[], Path::new("/"), Some(home)).ok());
    let is_denied = |path: &Path| rules.denies(path) && !custom.as_ref().is_some_and(|custom| custom.denies(path));
    let copies = home.map(|home| Copies::make(home, cargo.as_deref(), &is_denied)).unwrap_or_default();
    let workspace = wanted.writable.first();
    let state = crate::config::places::state_dir();
    let caches = workspace
        .and_then(|workspace| WorkspaceCaches::open(&state, workspace, cargo.as_deref(), wanted.cache_limit).ok());
    let denies = |path: &Path| rules.denies(path);
    let ask = ViewAsk {
        writable: &wanted.writable,
        further: &wanted.further,
        denies: &denies,
        handed_in: copies.handed_in,
        caches: caches.as_ref().map(|caches| (caches.own.clone(), caches.shown.clone())),
    };
    let view = Arc::new(View::discover(&around, ask));
    let mut stamps = copies.stamps;
    stamps.push(Stamp::of(Path::new("/")));
    ComputedView { wanted: wanted.clone(), view, left_out: copies.left_out, stamps, _caches: caches }
}
