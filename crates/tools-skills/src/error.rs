//! Errors of skills, and their categories.

use std::{io, path::PathBuf};

use thiserror::Error;
use tools_core::{ToolError, ToolErrorCategory, either};

/// Reason why a skill cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum SkillError {
    /// There is no skill with this name.
    #[error("there is no skill `{name}`")]
    NotFound { name: String, near: Vec<String> },
    /// The text before the body is not front matter.
    #[error("the front matter of `SKILL.md` cannot be read: {0}")]
    Front(String),
    /// A file or a folder exceeds its size limit.
    #[error("{what} is too large: more than {most}")]
    TooLarge { what: String, most: String },
    /// The text is not UTF-8.
    #[error("`{0}` is not UTF-8 text")]
    NotText(String),
    /// The skill has no such file, or it is outside of its folder.
    #[error("the skill has no file `{0}`")]
    NoFile(String),
    /// Links form a cycle or lead out of the folder.
    #[error("`{0}` is a link that leads in a circle or out of the skill")]
    Link(String),
    /// The skill differs from what was agreed to.
    #[error("the files of the skill changed while it was judged")]
    Changed,
    /// Nobody agreed to the skill.
    #[error("the skill `{0}` is not trusted, and `skills.trust` is `deny`")]
    Untrusted(String),
    /// The system says so.
    #[error("`{path}` cannot be read")]
    Unreadable { path: PathBuf, source: io::Error },
    /// The list of agreements cannot be used.
    #[error("the list of trusted skills cannot be used")]
    Pins(#[source] io::Error),
}

impl SkillError {
    pub(crate) fn unreadable(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        |source| Self::Unreadable { path, source }
    }
}

impl From<SkillError> for ToolError {
    fn from(error: SkillError) -> Self {
        use SkillError as E;
        use ToolErrorCategory as C;
        let (category, code) = match &error {
            E::NotFound { .. } => (C::InvalidParameters, "skill_not_found"),
            E::NoFile(_) => (C::InvalidParameters, "skill_file_not_found"),
            E::Front(_) => (C::PermanentFailure, "skill_broken"),
            E::TooLarge { .. } => (C::PermanentFailure, "skill_too_large"),
            E::NotText(_) => (C::PermanentFailure, "skill_not_text"),
            E::Link(_) => (C::PermanentFailure, "skill_link"),
            E::Changed => (C::PermanentFailure, "skill_changed"),
            E::Untrusted(_) => (C::PolicyBlocked, "skill_untrusted"),
            E::Unreadable { .. } | E::Pins(_) => (C::PermanentFailure, "skill_unreadable"),
        };
        let suggestion = match &error {
            E::NotFound { near, .. } if !near.is_empty() => Some(format!("Did you mean {}?", either(near))),
            E::Changed => Some("Make the call again: it is judged anew.".to_owned()),
            E::Untrusted(_) => Some("Ask the user to run `haft skills trust`.".to_owned()),
            E::Pins(_) => Some("Ask the user to repair the list of trusted skills, or to remove it.".to_owned()),
            _ => None,
        };
        // Host paths are not for the model.
        let message = match &error {
            E::Unreadable { .. } => "a file of the skill cannot be read".to_owned(),
            other => other.to_string(),
        };
        let tool_error = Self::new(category, code, message).with_source(error);
        match suggestion {
            Some(suggestion) => tool_error.with_suggestion(suggestion),
            None => tool_error,
        }
    }
}
