//! The layer: makes the call, pauses and repeats it.

use std::hash::{BuildHasher, RandomState};

use async_trait::async_trait;
use tokio::time::Instant;
use tools_core::{Invocation, Layer, LayerInfo, Next, Outcome, Shared};

use crate::RetryPolicy;
use crate::decide::{Attempt, Plan, plan};

/// Layer that repeats failed calls. It is the innermost layer, so it repeats only the execution.
#[derive(Debug)]
pub struct RetryLayer {
    policy: Shared<RetryPolicy>,
    chance: fn() -> f64,
}

impl RetryLayer {
    /// Its row in a list of layers.
    pub const INFO: LayerInfo = LayerInfo {
        name: "retry",
        owner: "tools-retry",
        refuses_with: &[],
        why: "innermost: repeats only the execution, for repeatable tools and transient failures",
    };

    /// A layer with a policy that may be swapped.
    pub fn new(policy: Shared<RetryPolicy>) -> Self {
        Self { policy, chance: random }
    }

    /// The same layer with another source of random numbers, for tests.
    pub fn with_chance(self, chance: fn() -> f64) -> Self {
        Self { chance, ..self }
    }
}

#[async_trait]
impl Layer for RetryLayer {
    fn name(&self) -> &'static str {
        Self::INFO.name
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        if !inv.definition.trusted_traits().retryable {
            return next.run(inv).await;
        }
        let (policy, start) = (self.policy.load(), Instant::now());
        let mut made = 0;
        loop {
            let outcome = next.run(inv).await;
            made += 1;
            let Err(error) = &outcome else { return outcome };
            let attempt =
                Attempt { definition: &inv.definition, error, made, since: start.elapsed(), chance: (self.chance)() };
            let Plan::Again(pause) = plan(&policy, &attempt) else { return outcome };
            let over = inv.context.deadline().is_some_and(|deadline| Instant::now() + pause >= deadline);
            if over {
                return outcome;
            }
            // Nobody waits for a cancelled call, so the last failure is its result.
            tokio::select! {
                biased;
                () = inv.context.cancel().cancelled() => return outcome,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }
}

/// A number between 0 and 1 from the randomness that hash tables are seeded with.
#[expect(clippy::cast_precision_loss, reason = "53 bits are kept, which a float holds exactly")]
fn random() -> f64 {
    (RandomState::new().hash_one(0_u8) >> 11) as f64 / (1_u64 << 53) as f64
}
