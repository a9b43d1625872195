//! The request of an edit.

/// The old and the new text, with options.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) old: &'a str,
    pub(crate) new: &'a str,
    pub(crate) all: bool,
    /// Whether line breaks are CRLF in a text without any line break: its file had them before.
    pub(crate) crlf: bool,
}
