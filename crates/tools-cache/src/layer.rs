//! The layer: answers from the cache where that holds, and tells the cache what came of the calls
//! that ran.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tools_core::{BasisSlot, Invocation, Layer, LayerInfo, Next, Outcome, ToolOrigin, canonical_json, keys};

use crate::cache::{Answer, Dependence, Question};
use crate::cached_result::CachedResult;
use crate::{ToolResultCache, basis};

/// Serves results again. Goes inside every gate, so that a hit is judged like any call, and outside
/// of what stores and filters output, so that a hit is what the model saw.
#[derive(Debug, Clone)]
pub struct CacheLayer(Arc<ToolResultCache>);

impl CacheLayer {
    /// Its row in a list of layers.
    pub const INFO: LayerInfo = LayerInfo {
        name: "cache",
        owner: "tools-cache",
        refuses_with: &[],
        why: "inside the gates, so that a cached result is judged like any call; outside overflow and filter, so that the cache holds what the model saw",
    };

    /// A layer over a cache.
    pub fn new(cache: Arc<ToolResultCache>) -> Self {
        Self(cache)
    }

    async fn answer(&self, inv: &Invocation, next: Next<'_>, (question, depends): (Question, Dependence)) -> Outcome {
        let (cache, cx) = (&self.0, &inv.context);
        let question = Arc::new(question);
        let flight = cache.flights.join(&question);
        let _turn = tokio::select! {
            biased;
            turn = flight.turn() => turn,
            // The end of the stack says what it is that nobody waits for.
            () = cx.cancel().cancelled() => return next.run(inv).await,
            () = deadline(inv) => return next.run(inv).await,
        };
        if let Some(kept) = self.found(&question, &depends).await {
            kept.note(cx.journal());
            cx.journal().note(keys::CACHE, "hit");
            return Ok(kept.output);
        }
        cache.missed();
        cx.journal().note(keys::CACHE, "miss");
        let (began, epoch, warned) = (cache.now(), cache.epoch(cx.session()), cx.journal().warnings().len());
        let slot = BasisSlot::default();
        let outcome = match depends.files {
            None => next.run(&inv.in_context(cx.clone().with_basis_slot(&slot))).await,
            Some(_) => next.run(inv).await,
        };
        if let (Ok(output), Some(epoch)) = (&outcome, epoch) {
            let kept = CachedResult::of(output, cx.journal(), warned);
            cache.put(&question, Answer { depends, basis: slot.take(), began, epoch, kept });
        }
        outcome
    }

    /// What is kept for this question, if it holds at this moment.
    async fn found(&self, question: &Question, depends: &Dependence) -> Option<CachedResult> {
        let found = self.0.look(question, depends)?;
        if let Some(basis) = &found.basis
            && !basis::holds(basis).await
        {
            self.0.drop_stale(question);
            return None;
        }
        self.0.serve(question, &found).then_some(found.kept)
    }
}

async fn deadline(inv: &Invocation) {
    match inv.context.deadline() {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Whether a call may change something.
fn may_change(inv: &Invocation) -> bool {
    let reads = inv.inspection().is_ok_and(|inspection| inspection.read_only);
    !(reads && inv.definition.trusted_traits().read_only)
}

/// What a call asks and what the answer depends on; `None` when it is never served again.
fn question(inv: &Invocation) -> Option<(Question, Dependence)> {
    let traits = inv.definition.trusted_traits();
    if !traits.cacheable || matches!(inv.definition.origin, ToolOrigin::Mcp { .. }) {
        return None;
    }
    let inspection = inv.inspection().ok()?;
    // Of the world outside only time tells.
    let files = inspection.state.clone().or_else(|| traits.open_world.then(Vec::new));
    let depends = Dependence { subjects: inspection.subjects.clone(), files };
    let question = Question {
        session: inv.context.session().clone(),
        tool: inv.call.tool.as_str().to_owned(),
        params: canonical_json(&Value::Object(inv.call.params.clone())),
        workdir: inv.context.workdir().into(),
        answer: inv.context.answer(),
    };
    Some((question, depends))
}

#[async_trait]
impl Layer for CacheLayer {
    fn name(&self) -> &'static str {
        Self::INFO.name
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        if !self.0.is_enabled() {
            return next.run(inv).await;
        }
        if may_change(inv) {
            // Also when it fails or is dropped: something may have changed.
            let _writing = self.0.writing(inv.context.session());
            return next.run(inv).await;
        }
        match question(inv) {
            Some(question) => self.answer(inv, next, question).await,
            None => next.run(inv).await,
        }
    }
}
