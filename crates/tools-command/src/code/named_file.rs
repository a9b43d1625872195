//! What code in a small language names: files, and signs that it runs something.

use tools_core::Access;

/// A file that a piece of code names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NamedFile {
    /// It runs something or cannot be read; a clause that says so.
    Sign(&'static str),
    /// A file is touched; `is_exact` where its name is a literal.
    File { name: String, access: Access, is_exact: bool },
}
