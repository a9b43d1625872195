//! What an edit asks for.

/// What to replace by what.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) old: &'a str,
    pub(crate) new: &'a str,
    pub(crate) all: bool,
    /// Whether lines of a text without any line break end with CRLF: its file had them before.
    pub(crate) crlf: bool,
}
