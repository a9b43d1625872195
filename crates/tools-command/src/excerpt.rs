//! Parts of a command line in messages.

/// A few words of a text, for a message.
pub(crate) fn shorten(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}
