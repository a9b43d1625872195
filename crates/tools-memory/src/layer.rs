//! The layer that notes which sessions read text from outside.

use async_trait::async_trait;
use tools_core::{Invocation, Layer, LayerInfo, Next, Outcome};

use crate::{TaintedSessions, tainted_sessions::is_from_outside};

/// Notes which sessions have read text from outside: memories that they save later may contain it.
#[derive(Debug, Clone)]
pub struct MemoryLayer(TaintedSessions);

impl MemoryLayer {
    /// Its row in a list of layers.
    pub const INFO: LayerInfo = LayerInfo {
        name: "memory",
        owner: "tools-memory",
        refuses_with: &[],
        why: "outside the cache: a cached result too may contain text from outside",
    };

    /// A layer that notes sessions in `taint`.
    pub fn new(taint: TaintedSessions) -> Self {
        Self(taint)
    }
}

#[async_trait]
impl Layer for MemoryLayer {
    fn name(&self) -> &'static str {
        Self::INFO.name
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let outcome = next.run(inv).await;
        let output = match &outcome {
            Ok(output) => Some(output),
            Err(error) => error.output(),
        };
        if output.is_some_and(|output| is_from_outside(output.source, inv.definition.traits.read_only)) {
            self.0.note(inv.context.session());
        }
        outcome
    }
}
