//! The gate: asks the judge about every piece, notes the sentence, refuses or goes on.

use std::{
    collections::HashSet,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use async_trait::async_trait;
use serde_json::json;
use tools_core::{
    CallDigest, Invocation, Judge, Layer, Next, Outcome, SessionId, Shared, ToolError, ToolErrorCategory, Verdict, keys,
};

use super::{
    config::AdversarialPolicy,
    decide::{Sentence, requests, sentence},
};

/// How many allowed calls are remembered; then all are forgotten.
const MOST: usize = 10_000;

/// Lets a model judge calls.
pub struct AdversarialGate {
    policy: Shared<AdversarialPolicy>,
    judge: Option<Arc<dyn Judge>>,
    allowed: Mutex<Allowed>,
}

/// The calls that were allowed under one policy.
#[derive(Debug, Default)]
struct Allowed {
    policy: Option<Arc<AdversarialPolicy>>,
    calls: HashSet<(SessionId, CallDigest)>,
}

/// How a judgement ended.
struct Judged {
    sentence: Result<Sentence, String>,
}

impl AdversarialGate {
    /// A gate over policies that may be swapped. Without a judge, a configured policy refuses every call.
    pub fn new(policy: Shared<AdversarialPolicy>, judge: Option<Arc<dyn Judge>>) -> Self {
        Self { policy, judge, allowed: Mutex::default() }
    }

    async fn judge(&self, inv: &Invocation, policy: &Arc<AdversarialPolicy>) -> Result<(), ToolError> {
        let (call, journal) = (&inv.call, inv.context.journal());
        // A call that cannot even be inspected is refused as what it is, and nobody is asked.
        inv.inspection()?;
        let key = (inv.context.session().clone(), call.digest());
        if self.was_allowed(policy, &key) {
            journal.note(keys::ADVERSARIAL_POLICY_DECISION, json!({"decision": "allow", "cached": true}));
            journal.gate("adversarial", Verdict::Allow);
            return Ok(());
        }
        let start = Instant::now();
        let Judged { sentence } = match tokio::time::timeout(policy.patience(), self.ask(inv, policy)).await {
            Ok(judged) => judged,
            Err(_) => Judged { sentence: Err("the judge did not answer in time".to_owned()) },
        };
        let (word, reason) = match &sentence {
            Ok(Sentence::Allow) => ("allow", String::new()),
            Ok(Sentence::Deny(reason)) => ("deny", reason.clone()),
            Ok(Sentence::Unclear) => ("unclear", "the answer is neither ALLOW nor DENY".to_owned()),
            Err(problem) => ("error", problem.clone()),
        };
        let model = self.judge.as_ref().map(|judge| judge.model().to_owned());
        let latency = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        let note = json!({"decision": word, "model": model, "latency_ms": latency, "reason": reason});
        journal.note(keys::ADVERSARIAL_POLICY_DECISION, note);
        let goes_on = match &sentence {
            Ok(Sentence::Allow) => true,
            Ok(_) => false,
            Err(_) => policy.0.fail_open,
        };
        if matches!(sentence, Ok(Sentence::Allow)) {
            self.remember(policy, key);
        }
        if goes_on {
            journal.gate("adversarial", Verdict::Allow);
            return Ok(());
        }
        if !policy.0.block_on_reject {
            journal.warn(format!("the policy judge would refuse `{}`: {reason}", call.tool));
            journal.gate("adversarial", Verdict::Allow);
            return Ok(());
        }
        journal.gate("adversarial", Verdict::Deny);
        let message = format!("the policies do not let `{}` do this", call.tool);
        Err(ToolError::new(ToolErrorCategory::PolicyBlocked, "adversarial_denied", message))
    }

    /// Asks about every piece, and stops at the first that is not allowed.
    async fn ask(&self, inv: &Invocation, policy: &AdversarialPolicy) -> Judged {
        let failed = |problem: &str| Judged { sentence: Err(problem.to_owned()) };
        let Some(judge) = &self.judge else { return failed("no judge is configured") };
        let Some(requests) = requests(policy, &inv.call, inv.context.phase()) else {
            return Judged { sentence: Ok(Sentence::Deny("the parameters are too long to be judged".to_owned())) };
        };
        for request in &requests {
            match judge.judge(request).await {
                Ok(answer) => match sentence(&answer) {
                    Sentence::Allow => {}
                    other => return Judged { sentence: Ok(other) },
                },
                Err(error) => {
                    tracing::warn!(%error, "the policy judge failed");
                    return failed("the judge failed");
                }
            }
        }
        Judged { sentence: Ok(Sentence::Allow) }
    }

    fn was_allowed(&self, policy: &Arc<AdversarialPolicy>, key: &(SessionId, CallDigest)) -> bool {
        let allowed = self.allowed.lock().unwrap_or_else(PoisonError::into_inner);
        allowed.policy.as_ref().is_some_and(|of| of == policy) && allowed.calls.contains(key)
    }

    fn remember(&self, policy: &Arc<AdversarialPolicy>, key: (SessionId, CallDigest)) {
        let mut allowed = self.allowed.lock().unwrap_or_else(PoisonError::into_inner);
        if allowed.policy.as_ref().is_none_or(|of| of != policy) || allowed.calls.len() >= MOST {
            *allowed = Allowed { policy: Some(Arc::clone(policy)), calls: HashSet::new() };
        }
        allowed.calls.insert(key);
    }
}

#[async_trait]
impl Layer for AdversarialGate {
    fn name(&self) -> &'static str {
        "adversarial"
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let policy = self.policy.load();
        if policy.judges(inv.call.tool.as_str()) {
            self.judge(inv, &policy).await?;
        }
        next.run(inv).await
    }
}

impl fmt::Debug for AdversarialGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdversarialGate").field("policy", &self.policy).finish_non_exhaustive()
    }
}
