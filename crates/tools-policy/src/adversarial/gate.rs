//! The gate: asks the judge about every piece, records the sentence, and refuses the call or lets
//! it run.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::json;
use tools_core::{
    CallDigest, CallPhase, ConfirmPrompt, Invocation, Judge, JudgeRequest, KeyFault, Locked as _, PromptPart,
    SessionId, Subject, ToolDef, ToolError, ToolErrorCategory, Verdict, keys,
};
use tools_secrets::SecretRedactor;

use super::config::{AdversarialConfig, AdversarialPolicy};
use super::decide::{JudgeVerdict, requests, sentence};
use crate::gate::{Applies, CompileContext, Gate, GateInfo, GatePosition, Ruling};
use crate::grounding::{Provenance, SessionTexts, provenance};
use crate::names::unknown;

/// Maximum number of remembered allowed calls; when it is reached, all are forgotten.
const MAX_REMEMBERED: usize = 10_000;

/// Lets a model judge calls.
pub struct AdversarialGate {
    judge: Option<Arc<dyn Judge>>,
    allowed: Mutex<AllowedCalls>,
    secrets: SecretRedactor,
    texts: Arc<SessionTexts>,
}

/// The calls allowed under one policy.
#[derive(Debug, Default)]
struct AllowedCalls {
    policy: Option<Arc<AdversarialPolicy>>,
    calls: HashSet<Key>,
}

/// Key of a remembered call. Other phases may have other policies, and another user message or
/// source of names may change the judgement.
type Key = (SessionId, CallDigest, CallPhase, Provenance);

/// How a judgement ended: a sentence, or why there is none.
type JudgeResult = Result<JudgeVerdict, String>;

/// Reported reason when no judge is configured.
const NO_JUDGE: &str = "no judge is configured";

impl AdversarialGate {
    /// Creates the gate. Without a judge it refuses every call that a policy is about, unless it
    /// may fail open. Credentials that `secrets` finds are not shown to the judge. `told` has the
    /// provenance of calls.
    pub fn new(judge: Option<Arc<dyn Judge>>, secrets: SecretRedactor, texts: Arc<SessionTexts>) -> Self {
        Self { judge, allowed: Mutex::default(), secrets, texts }
    }

    fn key(&self, inv: &Invocation) -> Key {
        let cx = &inv.context;
        (cx.session().clone(), inv.call.digest(), cx.phase(), provenance(&self.texts, inv))
    }

    /// The questions to the judge about a call.
    fn requests(&self, inv: &Invocation, policy: &AdversarialPolicy, before: &Provenance) -> Option<Vec<JudgeRequest>> {
        let redactor = self.secrets.of_session(inv.context.session());
        requests(policy, &inv.call, inv.context.phase(), before, &redactor)
    }

    async fn judge(&self, inv: &Invocation, policy: &Arc<AdversarialPolicy>) -> Ruling {
        let (call, journal) = (&inv.call, inv.context.journal());
        let key = self.key(inv);
        if self.was_allowed(policy, &key) {
            journal.note(keys::ADVERSARIAL_POLICY_DECISION, json!({"decision": "allow", "cached": true}));
            return Ruling::allow(SECTION);
        }
        let start = Instant::now();
        let judged = match tokio::time::timeout(policy.patience(), self.ask(inv, policy, &key.3)).await {
            Ok(judged) => judged,
            Err(_) => Err("the judge did not answer in time".to_owned()),
        };
        let (word, reason) = described(&judged);
        let model = self.judge.as_ref().map(|judge| judge.model().to_owned());
        let latency = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        let note = json!({"decision": word, "model": model, "latency_ms": latency, "reason": reason});
        journal.note(keys::ADVERSARIAL_POLICY_DECISION, note);
        if matches!(judged, Ok(JudgeVerdict::Allow)) {
            self.remember(policy, key);
        }
        let ruling = self.ruling(&judged, policy, inv);
        if ruling.verdict == Some(Verdict::Allow) && !goes_on(&judged, policy) {
            let would = if matches!(judged, Ok(JudgeVerdict::Ask(_))) { "ask a person about" } else { "refuse" };
            journal.warn(format!("the policy judge would {would} `{}`: {reason}", call.tool));
        }
        ruling
    }

    /// Asks about every piece, and stops at the first that is not allowed.
    async fn ask(&self, inv: &Invocation, policy: &AdversarialPolicy, before: &Provenance) -> JudgeResult {
        let Some(judge) = &self.judge else { return Err(NO_JUDGE.to_owned()) };
        let Some(requests) = self.requests(inv, policy, before) else {
            return Ok(JudgeVerdict::Deny("the parameters are too long to be judged".to_owned()));
        };
        for request in &requests {
            match judge.judge(request).await {
                Ok(answer) => match sentence(&answer) {
                    JudgeVerdict::Allow => {}
                    other => return Ok(other),
                },
                Err(error) => {
                    tracing::warn!(%error, "the policy judge failed");
                    return Err("the judge failed".to_owned());
                }
            }
        }
        Ok(JudgeVerdict::Allow)
    }

    fn ruling(&self, judged: &JudgeResult, policy: &AdversarialPolicy, inv: &Invocation) -> Ruling {
        if goes_on(judged, policy) || !policy.0.block_on_reject {
            return Ruling::allow(SECTION);
        }
        if let Ok(JudgeVerdict::Ask(reason)) = judged {
            return Ruling::ask(SECTION, self.question(reason, inv));
        }
        let by = match judged {
            Err(problem) => format!("{SECTION}: {problem}"),
            Ok(_) => SECTION.to_owned(),
        };
        let message = format!("the policies do not let `{}` do this", inv.call.tool);
        Ruling::deny(by, ToolError::new(ToolErrorCategory::PolicyBlocked, "adversarial_denied", message))
    }

    /// The question to a person: the judge's reason and all that the call touches. The person is
    /// asked only once, so the question also names a credential that the call would move.
    fn question(&self, reason: &str, inv: &Invocation) -> ToolError {
        let tool = &inv.call.tool;
        let part = |subject: Subject| PromptPart { subject, verdict: Verdict::Ask, rule: SECTION.to_owned() };
        let why = if reason.is_empty() { "the policies want a person to agree" } else { reason };
        let moves = self.secrets.of_session(inv.context.session()).asks(inv);
        let others = match moves.as_ref().and_then(ToolError::prompt) {
            Some(prompt) => prompt.parts.clone(),
            None => {
                inv.inspection().ok().into_iter().flat_map(|seen| seen.subjects.iter().cloned().map(part)).collect()
            }
        };
        let parts = [part(Subject::Opaque { why: why.to_owned() })].into_iter().chain(others).collect();
        let message = format!("the policies want a person to agree before `{tool}` does this");
        ToolError::new(ToolErrorCategory::ConfirmationRequired, "adversarial_asks", message)
            .with_prompt(ConfirmPrompt::new(tool.clone(), SECTION, parts))
    }

    fn was_allowed(&self, policy: &Arc<AdversarialPolicy>, key: &Key) -> bool {
        let allowed = self.allowed.locked();
        allowed.policy.as_ref().is_some_and(|of| of == policy) && allowed.calls.contains(key)
    }

    fn remember(&self, policy: &Arc<AdversarialPolicy>, key: Key) {
        let mut allowed = self.allowed.locked();
        if allowed.policy.as_ref().is_none_or(|of| of != policy) || allowed.calls.len() >= MAX_REMEMBERED {
            *allowed = AllowedCalls { policy: Some(Arc::clone(policy)), calls: HashSet::new() };
        }
        allowed.calls.insert(key);
    }
}

/// The word for a judgement in the record, and its reason.
fn described(judged: &JudgeResult) -> (&'static str, String) {
    match judged {
        Ok(JudgeVerdict::Allow) => ("allow", String::new()),
        Ok(JudgeVerdict::Ask(reason)) => ("ask", reason.clone()),
        Ok(JudgeVerdict::Deny(reason)) => ("deny", reason.clone()),
        Ok(JudgeVerdict::Unclear) => ("unclear", "the answer is neither ALLOW nor DENY".to_owned()),
        Err(problem) => ("error", problem.clone()),
    }
}

/// Whether the policy lets a call run after this judgement.
fn goes_on(judged: &JudgeResult, policy: &AdversarialPolicy) -> bool {
    match judged {
        Ok(JudgeVerdict::Allow) => true,
        Ok(_) => false,
        Err(_) => policy.0.fail_open,
    }
}

const SECTION: &str = "tools.adversarial_policy";

impl Gate for AdversarialGate {
    type Config = AdversarialConfig;
    type Policy = AdversarialPolicy;
    type Held = ();

    const ABOUT: GateInfo = GateInfo {
        name: "adversarial",
        sections: &[SECTION],
        applies: Applies::Reload,
        position: GatePosition::BeforeCall,
        refuses_with: &["policy_blocked/adversarial_denied", "confirmation_required/adversarial_asks"],
        why_here: "the model judges only calls that the rules leave open, and nobody is asked about calls that it refuses",
    };

    fn compile(config: &AdversarialConfig, _: &CompileContext<'_>) -> Result<AdversarialPolicy, KeyFault> {
        config.compile().map_err(|fault| fault.below(SECTION))
    }

    /// The judge's answer is not known before it is asked, so a call that would be judged is not
    /// allowed yet.
    fn decide(&self, policy: &Arc<AdversarialPolicy>, inv: &Invocation) -> Ruling {
        if !policy.judges(inv.call.tool.as_str(), inv.context.phase()) {
            return Ruling::none();
        }
        // A call that cannot be inspected is refused for that reason, and nobody is asked.
        if let Err(error) = inv.inspection() {
            return Ruling::unreadable(error);
        }
        let Some(judge) = &self.judge else { return self.ruling(&Err(NO_JUDGE.to_owned()), policy, inv) };
        let key = self.key(inv);
        if self.was_allowed(policy, &key) {
            return Ruling::allow(SECTION);
        }
        if self.requests(inv, policy, &key.3).is_none() {
            return self.ruling(&Ok(JudgeVerdict::Unclear), policy, inv);
        }
        Ruling {
            verdict: Some(Verdict::Ask),
            decided_by: format!("{SECTION}: `{}` judges the call when it is made", judge.model()),
            ..Ruling::none()
        }
    }

    async fn settle(&self, policy: &Arc<AdversarialPolicy>, ruling: Ruling, inv: &Invocation, _: bool) -> (Ruling, ()) {
        if ruling.verdict.is_none() {
            return (ruling, ());
        }
        (self.judge(inv, policy).await, ())
    }

    fn lint(&self, policy: &Arc<AdversarialPolicy>, tools: &[Arc<ToolDef>]) -> Vec<String> {
        let config = &policy.0;
        let exempt =
            config.exempt_tools.iter().filter(|tool| !AdversarialConfig::default().exempt_tools.contains(tool));
        let mut found: Vec<String> =
            exempt.filter_map(|tool| unknown(&format!("{SECTION}.exempt_tools"), tool, tools)).collect();
        if config.enabled && !config.has_policy() {
            found.push(format!("`{SECTION}.enabled`: there are no policies, so that no call is judged"));
        }
        if config.enabled && config.has_policy() && self.judge.is_none() {
            let end = match (config.fail_open, config.block_on_reject) {
                (true, _) => "every call goes on unjudged",
                (false, false) => "every call goes on with a warning",
                (false, true) => "every call is refused",
            };
            found.push(format!("`{SECTION}.enabled`: there is no model that judges here, so that {end}"));
        }
        found
    }
}

tools_core::partial_debug!(AdversarialGate {});
