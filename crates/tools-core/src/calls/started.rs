//! Slot in the context of a call for its run, if that was started early.

use std::{any::Any, sync::Arc};

/// Run of a call that was started before the model had finished requesting it: a
/// [`crate::EarlyRun`], stored without a dependency on its type.
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

crate::partial_debug!(StartedCall {});
