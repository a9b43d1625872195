//! The files that a call searches.

use std::path::{Path, PathBuf};

use crate::{error::CodeError, index::FormName, languages::named};

/// The files that a call searches.
#[derive(Debug, Clone, Default)]
pub(crate) struct SearchScope {
    /// Paths above the files; empty for all files.
    pub(crate) starts: Vec<PathBuf>,
    /// Names of the forms; `None` for any.
    pub(crate) forms: Option<Vec<FormName>>,
}

impl SearchScope {
    /// The files in a language that a call names.
    ///
    /// # Errors
    /// The name is unknown.
    pub(crate) fn in_language(name: Option<&str>) -> Result<Self, CodeError> {
        let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) else { return Ok(Self::default()) };
        let forms = named(name).ok_or_else(|| CodeError::Language(name.chars().take(50).collect()))?;
        Ok(Self { forms: Some(forms), ..Self::default() })
    }

    pub(crate) fn holds(&self, path: &Path, form: FormName) -> bool {
        (self.starts.is_empty() || self.starts.iter().any(|start| path.starts_with(start)))
            && self.forms.as_ref().is_none_or(|forms| forms.contains(&form))
    }
}
