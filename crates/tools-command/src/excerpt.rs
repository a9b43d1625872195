//! Excerpts of a command line for messages.

/// The first 60 characters of a text, for a message.
pub(crate) fn shorten(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}
