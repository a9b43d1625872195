//! A diagnostic of a checker, and the order and identity of diagnostics. `project` locates its
//! file.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// It works, but should be looked at.
    Warning,
    /// It does not work.
    Error,
}

impl Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// One thing a checker says.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Diagnostic {
    /// `error` or `warning`.
    pub severity: Severity,
    /// The checker's message.
    pub message: String,
    /// The file, relative to the working directory when it lies below it; null when it is about no
    /// file.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u64>,
    /// The column, from 1.
    pub col: Option<u64>,
    /// The checker's name for what is wrong (`E0308`, `unused_variables`, `TS2322`).
    pub code: Option<String>,
    /// As the checker shows it to people; only when asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendered: Option<String>,
}

impl Diagnostic {
    /// `path:line:col severity[code]: message`, without unknown parts.
    pub(crate) fn line(&self) -> String {
        let mut text = self.file.clone().unwrap_or_default();
        for number in [self.line, self.col].into_iter().flatten() {
            if !text.is_empty() {
                text.push(':');
            }
            text.push_str(&number.to_string());
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&self.severity.to_string());
        if let Some(code) = &self.code {
            text.extend(["[", code, "]"]);
        }
        text.push_str(": ");
        text.push_str(&self.message);
        text
    }
}

/// Errors first, then by file and place. Each diagnostic occurs once, even if several targets
/// report it.
pub(crate) fn in_order(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = HashSet::new();
    // The rendered text may contain the target, so it is not compared.
    diagnostics.retain(|found| seen.insert(Diagnostic { rendered: None, ..found.clone() }));
    diagnostics.sort_by_cached_key(|found| {
        (Reverse(found.severity), found.file.is_none(), found.file.clone(), found.line, found.col)
    });
    diagnostics
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(severity: Severity, file: Option<&str>, line: u64, rendered: Option<&str>) -> Diagnostic {
        Diagnostic {
            severity,
            message: "m".to_owned(),
            file: file.map(str::to_owned),
            line: file.map(|_| line),
            col: file.map(|_| 1),
            code: None,
            rendered: rendered.map(str::to_owned),
        }
    }

    #[test]
    fn errors_come_first_then_files_and_lines_and_nothing_twice() {
        let (error, warning) = (Severity::Error, Severity::Warning);
        let found = vec![
            at(warning, Some("a"), 1, None),
            at(error, None, 0, None),
            at(error, Some("b"), 10, Some("lib")),
            at(error, Some("b"), 9, None),
            at(error, Some("b"), 10, Some("lib test")),
            at(error, Some("a"), 70, None),
        ];
        let lines: Vec<String> = in_order(found).iter().map(Diagnostic::line).collect();
        assert_eq!(lines, ["a:70:1 error: m", "b:9:1 error: m", "b:10:1 error: m", "error: m", "a:1:1 warning: m"]);
    }

    #[test]
    fn a_line_names_place_severity_and_code() {
        let found = Diagnostic { code: Some("E0308".to_owned()), ..at(Severity::Error, Some("src/a.rs"), 3, None) };
        assert_eq!(found.line(), "src/a.rs:3:1 error[E0308]: m");
    }
}
