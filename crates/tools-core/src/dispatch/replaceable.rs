//! A position in the order of layers whose layer can be replaced for later calls.

use std::{fmt, sync::Arc};

use super::{Invocation, Layer, Next, Outcome};
use crate::Shared;
use async_trait::async_trait;

/// Holds one layer. Clones share it; a running call keeps the layer it began with.
#[derive(Clone)]
pub struct ReplaceableLayer {
    name: &'static str,
    layer: Shared<Arc<dyn Layer>>,
}

impl ReplaceableLayer {
    /// Creates the holder with its first layer.
    pub fn new(layer: impl Layer + 'static) -> Self {
        let name = layer.name();
        Self { name, layer: Shared::new(Arc::new(layer)) }
    }

    /// Replaces the layer by another of the same name.
    pub fn replace(&self, layer: impl Layer + 'static) {
        debug_assert_eq!(layer.name(), self.name);
        self.layer.store(Arc::new(layer));
    }
}

#[async_trait]
impl Layer for ReplaceableLayer {
    fn name(&self) -> &'static str {
        self.name
    }

    fn hides(&self, tool: &str) -> bool {
        self.layer.load().hides(tool)
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let layer = self.layer.load();
        layer.call(inv, next).await
    }
}

impl fmt::Debug for ReplaceableLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ReplaceableLayer").field(&self.name).finish()
    }
}
