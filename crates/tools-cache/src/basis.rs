//! Whether what a result came from is as it was: the one place that asks the system.

use std::sync::Arc;

use tools_core::{Basis, FileState};

/// Up to this many files are looked at where the call stands; more are looked at where blocking is allowed.
const FEW: usize = 64;

/// Whether every file is as it was.
pub(crate) async fn holds(basis: &Arc<Basis>) -> bool {
    if basis.files().len() <= FEW {
        return all_hold(basis);
    }
    let basis = Arc::clone(basis);
    tokio::task::spawn_blocking(move || all_hold(&basis)).await.unwrap_or(false)
}

fn all_hold(basis: &Basis) -> bool {
    // By the whole path: a folder above that was moved, or another that was mounted there, leads to another file.
    let is_same = |(path, state)| std::fs::symlink_metadata(path).is_ok_and(|now| FileState::from(&now) == state);
    basis.files().all(is_same)
}
