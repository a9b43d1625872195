//! One word for a shell out of any text.

/// The text as one word that bash, zsh and any POSIX shell read as exactly this text; `None` for a
/// text with a NUL, which no word can hold.
pub fn quoted(text: &str) -> Option<String> {
    if text.contains('\0') {
        return None;
    }
    Some(format!("'{}'", text.replace('\'', r"'\''")))
}
