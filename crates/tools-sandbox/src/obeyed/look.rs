//! Both looks around what a server does that lives on between calls.

use std::path::PathBuf;

use tools_core::CallContext;

use super::{Guard, NothingAgreed, note_in};
use crate::kernel::MaskRules;

/// Looks before and after what a server does for a call. What came to be without anybody's
/// agreement is put aside, and every change is told by the call.
///
/// What the server writes between its calls is held as far as its sandbox holds it, and not told.
#[derive(Debug, Clone)]
pub struct Look {
    rules: MaskRules,
    writable: Vec<PathBuf>,
}

impl Look {
    /// At the folders that a server may write, searched by these rules.
    pub fn new(rules: MaskRules, writable: Vec<PathBuf>) -> Self {
        Self { rules, writable }
    }

    /// Runs what a server may write in, between two looks if there is one to be taken.
    pub async fn around<T>(look: Option<&Self>, cx: &CallContext, run: impl Future<Output = T>) -> T {
        // What came to be since the server was started is not held: changes of all files count.
        let guard = look.map(|Self { rules, writable }| {
            let masks = rules.masks(writable);
            Guard::new(rules.clone(), writable.clone(), (masks.obeyed, &masks.paths), Box::new(NothingAgreed))
        });
        let result = run.await;
        if let Some(guard) = guard {
            note_in(cx, &guard.after(cx.writes()).obeyed);
        }
        result
    }
}
