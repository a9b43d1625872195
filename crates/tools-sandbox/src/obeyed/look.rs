//! Walks before and after the work of a long-running server for one call.

use std::path::PathBuf;

use tools_core::CallContext;

use super::{Guard, NoAgreement, note_in};
use crate::kernel::MaskRules;

/// Walks before and after a server works for a call. New entries that nobody agreed to are renamed,
/// and the call reports every change.
///
/// Files written between calls are protected only by the server's sandbox, and not reported.
#[derive(Debug, Clone)]
pub struct ObeyedLook {
    rules: MaskRules,
    writable: Vec<PathBuf>,
}

impl ObeyedLook {
    /// Covers the folders that a server may write, searched by these rules.
    pub fn new(rules: MaskRules, writable: Vec<PathBuf>) -> Self {
        Self { rules, writable }
    }

    /// Runs work that may make a server write, between two walks if `look` is given.
    pub async fn around<T>(look: Option<&Self>, cx: &CallContext, run: impl Future<Output = T>) -> T {
        // Entries created since the server started are not held: changes of all files count.
        let guard = look.map(|Self { rules, writable }| {
            let masks = rules.masks(writable);
            Guard::new(rules.clone(), writable.clone(), (masks.obeyed, &masks.paths), Box::new(NoAgreement))
        });
        let result = run.await;
        if let Some(guard) = guard {
            note_in(cx, &guard.after(cx.writes()).obeyed);
        }
        result
    }
}
