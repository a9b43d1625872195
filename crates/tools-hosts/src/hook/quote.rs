//! Quotes any text as one shell word.

/// The text as one word that bash, zsh and any POSIX shell read as exactly this text; `None` for a
/// text with a NUL, which no word can contain.
pub fn quoted(text: &str) -> Option<String> {
    if text.contains('\0') {
        return None;
    }
    Some(format!("'{}'", text.replace('\'', r"'\''")))
}
