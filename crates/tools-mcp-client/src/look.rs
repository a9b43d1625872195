//! The look at what a server changes of files that programs outside of any sandbox obey: around its
//! start and around each of its calls.

use std::path::PathBuf;

use tools_core::CallContext;
use tools_sandbox::{
    kernel::MaskRules,
    obeyed::{Guard, NothingAgreed, note_in},
};

/// Looks before and after what a server does. What came to be without anybody's agreement is put
/// aside, and every change is told by the call.
///
/// A server lives on between its calls. What it writes then is held as far as its sandbox holds
/// it, and not told.
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

    /// Runs what a server may write in, between two looks.
    pub(crate) async fn around<T>(look: Option<&Self>, cx: &CallContext, run: impl Future<Output = T>) -> T {
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
