//! Interface to a model that judges whether a call complies with policies in plain language.

use std::{error::Error, fmt};

use async_trait::async_trait;

/// Reason why a judge gave no answer.
pub type JudgeError = Box<dyn Error + Send + Sync>;

/// Question for a judge.
#[derive(Clone, PartialEq, Eq)]
pub struct JudgeRequest {
    /// The judge's task and the policies: from the operator, and trusted.
    pub instructions: String,
    /// The call: from a model, and not trusted.
    pub material: String,
}

/// Answers questions about calls. Called by the adversarial gate, which parses the answer strictly
/// and sets a time limit: implementations return the model's text unchanged.
#[async_trait]
pub trait Judge: Send + Sync {
    /// The model's name, for the record.
    fn model(&self) -> &str;

    /// The model's answer.
    ///
    /// # Errors
    /// When there is no answer.
    async fn judge(&self, request: &JudgeRequest) -> Result<String, JudgeError>;
}

impl fmt::Debug for JudgeRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JudgeRequest").field("material", &self.material.len()).finish_non_exhaustive()
    }
}
