//! What `haft scan` is asked for.

/// What to do with the credentials that are found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ask {
    /// Print the text with placeholders instead of a list.
    pub(crate) redact: bool,
    /// Fail when something is found.
    pub(crate) check: bool,
}
