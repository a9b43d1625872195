//! A place in the order of layers whose layer can be another one from the next call on.

use std::{fmt, sync::Arc};

use super::{Invocation, Layer, Next, Outcome};
use crate::Shared;
use async_trait::async_trait;

/// Holds the place of a layer. Clones hold the same one; a call keeps the layer it began with.
#[derive(Clone)]
pub struct ReplaceableLayer {
    name: &'static str,
    layer: Shared<Arc<dyn Layer>>,
}

impl ReplaceableLayer {
    /// The place of a layer, which is in it at first.
    pub fn new(layer: impl Layer + 'static) -> Self {
        let name = layer.name();
        Self { name, layer: Shared::new(Arc::new(layer)) }
    }

    /// Puts another layer of the same name in the place.
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
