//! A place in the context of a call for its run, where that was started early.

use std::{any::Any, fmt, sync::Arc};

/// Run of a call that was started before the model had finished asking for it: a
/// [`crate::EarlyRun`], which the context carries without knowing what one is.
#[derive(Clone)]
pub struct StartedCall(Arc<dyn Any + Send + Sync>);

impl StartedCall {
    pub(crate) fn new(run: impl Any + Send + Sync) -> Self {
        Self(Arc::new(run))
    }

    pub(crate) fn get<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl fmt::Debug for StartedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StartedCall")
    }
}
