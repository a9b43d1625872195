//! The steps between a refused call and its repetition with consent, as values: the same whether
//! the answer is awaited or comes in a later request.

use std::time::Duration;

use tokio::time::Instant;

use super::refusal::{RefusalReason, refusal};
use super::{Answer, Approval, ConfirmPrompt, Decisions, Question, Refusal, StoredRule};
use crate::{CallContext, CallDigest, CallerId, Clock, Outcome, ToolCall, ToolError, ToolErrorCategory};

/// A call that waits for a person.
#[derive(Debug, Clone)]
pub struct ApprovalRequest {
    call: ToolCall,
    error: ToolError,
    prompt: ConfirmPrompt,
    since: Instant,
}

/// Result of an answer.
#[derive(Debug)]
pub enum Settlement {
    /// The call runs again with this consent; the host stores `keep` in its rules first.
    Agreed {
        /// The call.
        call: ToolCall,
        /// The consent, for this call alone.
        approval: Approval,
        /// The rule that the person wants to store, and its lifetime.
        keep: Option<(RuleLifetime, StoredRule)>,
    },
    /// The call does not run.
    Refused {
        /// The call.
        call: ToolCall,
        /// The error for the model.
        error: ToolError,
        /// A person's own refusal, for the record; `None` if nobody answered.
        refusal: Option<Refusal>,
        /// The rule that the person wants to store, to refuse matching calls from now on.
        keep: Option<StoredRule>,
    },
}

/// Lifetime of a rule that a person stores with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleLifetime {
    /// Until the session ends.
    Session,
    /// From now on.
    Always,
}

impl ApprovalRequest {
    /// The question that an outcome asks; `None` if the outcome is final.
    ///
    /// # Errors
    /// `question_too_long` if the question cannot be shown whole: nobody is asked about a part they
    /// cannot see.
    pub fn about(call: &ToolCall, outcome: &Outcome) -> Result<Option<Self>, ToolError> {
        let Err(error) = outcome else { return Ok(None) };
        if error.category() != ToolErrorCategory::ConfirmationRequired {
            return Ok(None);
        }
        let Some(prompt) = error.prompt() else { return Ok(None) };
        Question::of(prompt).map_err(|too_long| refusal(error, &too_long))?;
        let (call, error, prompt) = (call.clone(), error.clone(), prompt.clone());
        Ok(Some(Self { call, error, prompt, since: Instant::now() }))
    }

    /// The question.
    pub fn prompt(&self) -> &ConfirmPrompt {
        &self.prompt
    }

    /// The gate's error that asked.
    pub fn error(&self) -> &ToolError {
        &self.error
    }

    /// Digest that identifies the call: an answer to another call does not apply to this one.
    pub fn digest(&self) -> CallDigest {
        self.call.digest()
    }

    /// Time that the question has been open.
    pub(crate) fn waited(&self) -> Duration {
        self.since.elapsed()
    }

    /// The result of `answer`, given by `by`. Pure: nothing is stored or run.
    pub fn answered(self, answer: Answer, by: CallerId, clock: &dyn Clock) -> Settlement {
        let waited = self.waited();
        let rule = || self.prompt.would_store.clone();
        let keep = match answer {
            Answer::Once => None,
            Answer::Session => rule().map(|rule| (RuleLifetime::Session, rule)),
            Answer::Always => rule().map(|rule| (RuleLifetime::Always, rule)),
            Answer::No(why) => {
                let error = refusal(&self.error, &RefusalReason::Declined(why.clone()));
                let refusal = Some(Refusal { by, waited, why });
                return Settlement::Refused { call: self.call, error, refusal, keep: None };
            }
            Answer::Never => {
                let error = refusal(&self.error, &RefusalReason::Declined(None));
                let refusal = Some(Refusal { by, waited, why: None });
                return Settlement::Refused { call: self.call, error, refusal, keep: rule() };
            }
            Answer::Nobody(absence) => {
                let error = refusal(&self.error, &RefusalReason::Absent(absence));
                return Settlement::Refused { call: self.call, error, refusal: None, keep: None };
            }
        };
        let approval = Approval::grant(&self.call, by, clock).after(waited).for_scripts(self.prompt.scripts.clone());
        Settlement::Agreed { call: self.call, approval, keep }
    }
}

impl Settlement {
    /// Hands the person's decision to the host, and returns the call to run next.
    ///
    /// # Errors
    /// The model's error if nobody agreed.
    pub async fn apply(
        self,
        decisions: Option<&dyn Decisions>,
        cx: &CallContext,
    ) -> Result<(ToolCall, Approval), ToolError> {
        match self {
            Self::Agreed { call, approval, keep } => {
                match (decisions, keep) {
                    (Some(decisions), Some((RuleLifetime::Session, rule))) => {
                        decisions.allow_for_session(cx.session(), rule);
                    }
                    (Some(decisions), Some((RuleLifetime::Always, rule))) => decisions.allow_always(cx, rule).await,
                    _ => {}
                }
                Ok((call, approval))
            }
            Self::Refused { call, error, refusal, keep } => {
                if let (Some(decisions), Some(rule)) = (decisions, keep) {
                    decisions.reject_always(cx, rule).await;
                }
                if let (Some(decisions), Some(refusal)) = (decisions, refusal) {
                    decisions.declined(call, cx, refusal, error.clone()).await;
                }
                Err(error)
            }
        }
    }
}
