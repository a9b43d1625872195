//! Findings in code of a small language: files, and signs that it runs something.

use tools_core::Access;

/// A finding in a piece of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NamedFile {
    /// The code runs something or cannot be read. The clause says which.
    Sign(&'static str),
    /// A file is touched; `is_exact` if its name is a literal.
    File { name: String, access: Access, is_exact: bool },
}
