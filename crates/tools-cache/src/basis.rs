//! Whether what a result came from is as it was: the one place that asks the system.

use std::{path::Path, sync::Arc, thread};

use tools_core::{Basis, FileState};

/// Up to this many files are looked at where the call stands; more are looked at where blocking is
/// allowed.
const INLINE_FILES: usize = 64;

/// So many are worth a thread of their own, of which there are a few at most.
const FILES_PER_THREAD: usize = 2048;
const THREADS: usize = 4;

/// Whether every file is as it was.
pub(crate) async fn holds(basis: &Arc<Basis>) -> bool {
    if basis.files().len() <= INLINE_FILES {
        return basis.files().all(is_same);
    }
    let basis = Arc::clone(basis);
    tokio::task::spawn_blocking(move || together_hold(&basis)).await.unwrap_or(false)
}

/// The same, by several threads.
fn together_hold(basis: &Basis) -> bool {
    let threads = basis.files().len().div_ceil(FILES_PER_THREAD).min(THREADS);
    let all_of = |part: usize| move || basis.files().skip(part).step_by(threads).all(is_same);
    thread::scope(|scope| {
        let others: Vec<_> =
            (1..threads).map(|part| (part, thread::Builder::new().spawn_scoped(scope, all_of(part)))).collect();
        // What could not be started, for want of threads, is done here.
        let here = all_of(0)();
        others.into_iter().all(|(part, other)| match other {
            Ok(other) => here && other.join().unwrap_or(false),
            Err(_) => here && all_of(part)(),
        })
    })
}

fn is_same((path, state): (&Path, FileState)) -> bool {
    // By the whole path: a folder above that was moved, or another that was mounted there, leads to
    // another file.
    std::fs::symlink_metadata(path).is_ok_and(|now| FileState::from(&now) == state)
}
