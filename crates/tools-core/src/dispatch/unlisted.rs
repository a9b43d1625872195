//! Hidden tools: a call of one is answered like a call of a tool that does not exist.

use async_trait::async_trait;

use crate::{Invocation, Layer, LayerInfo, Next, Outcome, ToolErrorCategory};

/// Answers calls of tools that a layer further in always refuses ([`Layer::hides`]) with
/// `ToolNotFound/tool_not_found`. The original refusal stays the source of the error.
///
/// Stands outside the record, so that the record holds the original refusal.
#[derive(Debug, Clone, Copy, Default)]
pub struct UnlistedLayer;

impl UnlistedLayer {
    /// Its row in a list of layers.
    pub const INFO: LayerInfo = LayerInfo {
        name: "unlisted",
        owner: "tools-core",
        refuses_with: &["tool_not_found/tool_not_found"],
        why: "outside the record, which holds the original refusal: the model is told that a hidden tool does not exist",
    };
}

#[async_trait]
impl Layer for UnlistedLayer {
    fn name(&self) -> &'static str {
        Self::INFO.name
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let outcome = next.run(inv).await;
        match outcome {
            Err(error) if error.category() != ToolErrorCategory::Cancelled && next.hides(inv.call.tool.as_str()) => {
                Err(next.not_found(&inv.call).with_source(error))
            }
            outcome => outcome,
        }
    }
}
