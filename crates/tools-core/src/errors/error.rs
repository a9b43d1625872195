//! The failure of a call: the message for the model and, separately, the cause for the operator.

use std::{error::Error, fmt, sync::Arc, time::Duration};

use crate::{ConfirmPrompt, ErrorKind, ToolErrorCategory, ToolOutput};

/// The failure of a call.
///
/// `Display` is the message for the model. The cause is in [`Error::source`] and goes to the audit
/// and to logs only: it may name host paths and other things a model must not see.
#[derive(Clone)]
pub struct ToolError(Box<Fields>);

#[derive(Clone)]
struct Fields {
    category: ToolErrorCategory,
    code: &'static str,
    message: String,
    suggestion: Option<String>,
    retry_after: Option<Duration>,
    prompt: Option<ConfirmPrompt>,
    detail: ErrorDetail,
    output: Option<ToolOutput>,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

/// Further data of some failures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorDetail {
    /// Nothing.
    #[default]
    None,
    /// End of a command.
    Shell {
        /// Its exit code; 128 + n for death by signal n.
        exit_code: i32,
        /// The signal it died of.
        signal: Option<i32>,
    },
    /// The failure is about something that the call names, which is missing or unusable; the tool
    /// itself works.
    OfTheCall,
}

impl ToolError {
    /// A failure with its category, a stable snake_case code and a message for the model.
    pub fn new(category: ToolErrorCategory, code: &'static str, message: impl Into<String>) -> Self {
        Self(Box::new(Fields {
            category,
            code,
            message: message.into(),
            suggestion: None,
            retry_after: None,
            prompt: None,
            detail: ErrorDetail::None,
            output: None,
            source: None,
        }))
    }

    /// Sets advice on what to do next.
    pub fn with_suggestion(mut self, suggestion: impl Into<String>) -> Self {
        self.0.suggestion = Some(suggestion.into());
        self
    }

    /// Sets the time to wait before another attempt.
    pub fn with_retry_after(mut self, delay: Duration) -> Self {
        self.0.retry_after = Some(delay);
        self
    }

    /// Sets the question for a person.
    pub fn with_prompt(mut self, prompt: ConfirmPrompt) -> Self {
        self.0.prompt = Some(prompt);
        self
    }

    /// Sets details.
    pub fn with_detail(mut self, detail: ErrorDetail) -> Self {
        self.0.detail = detail;
        self
    }

    /// Sets the output produced before the failure.
    pub fn with_output(mut self, output: ToolOutput) -> Self {
        self.0.output = Some(output);
        self
    }

    /// Sets the cause, for the operator.
    pub fn with_source(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(source));
        self
    }

    /// Changes the partial output, if any: for layers that shorten or redact.
    pub fn map_output(mut self, change: impl FnOnce(ToolOutput) -> ToolOutput) -> Self {
        self.0.output = self.0.output.map(change);
        self
    }

    /// Changes every text for the model or a person: message, advice and the question. A rule to
    /// store is dropped if its text changes: it would match another call.
    pub fn map_text(mut self, change: impl Fn(&str) -> String) -> Self {
        let fields = self.0.as_mut();
        fields.message = change(&fields.message);
        fields.suggestion = fields.suggestion.as_deref().map(&change);
        fields.prompt = fields.prompt.take().map(|prompt| prompt.map_text(change));
        self
    }

    /// The category of the failure.
    pub fn category(&self) -> ToolErrorCategory {
        self.0.category
    }

    /// The code of the failure, for programs: snake_case, stable.
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// Message for the model.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Advice on what to do next: the error's own, otherwise the category's.
    pub fn suggestion(&self) -> &str {
        self.0.suggestion.as_deref().unwrap_or(self.0.category.row().suggestion)
    }

    /// Time that the other side asked to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The question for a person; present on `ConfirmationRequired` errors of gates.
    pub fn prompt(&self) -> Option<&ConfirmPrompt> {
        self.0.prompt.as_ref()
    }

    /// Details.
    pub fn detail(&self) -> &ErrorDetail {
        &self.0.detail
    }

    /// Output before the failure.
    pub fn output(&self) -> Option<&ToolOutput> {
        self.0.output.as_ref()
    }

    /// Whether the same call may work later.
    pub fn kind(&self) -> ErrorKind {
        self.0.category.kind()
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolError")
            .field("category", &self.0.category)
            .field("code", &self.0.code)
            .field("message", &self.0.message)
            .field("detail", &self.0.detail)
            .field("source", &self.0.source)
            .finish_non_exhaustive()
    }
}

impl Error for ToolError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}
