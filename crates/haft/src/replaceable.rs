//! A place in the order of layers whose layer can be another one from the next call on.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use tools_core::{Invocation, Layer, Next, Outcome, Shared};

/// Holds the place of a layer. Clones hold the same one; a call keeps the layer it began with.
#[derive(Clone)]
pub(crate) struct Replaceable {
    name: &'static str,
    layer: Shared<Arc<dyn Layer>>,
}

impl Replaceable {
    pub(crate) fn new(layer: impl Layer + 'static) -> Self {
        let name = layer.name();
        Self { name, layer: Shared::new(Arc::new(layer)) }
    }

    /// Puts another layer in the place.
    pub(crate) fn replace(&self, layer: impl Layer + 'static) {
        debug_assert_eq!(layer.name(), self.name);
        self.layer.store(Arc::new(layer));
    }
}

#[async_trait]
impl Layer for Replaceable {
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

impl fmt::Debug for Replaceable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Replaceable").field(&self.name).finish()
    }
}
