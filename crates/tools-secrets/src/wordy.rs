//! Whether a text reads as words do.

/// Whether letters change case only as in words: at their beginning, or all upper.
pub(crate) fn is_wordy(text: &str) -> bool {
    let mut changes = 0;
    let mut before: Option<bool> = None;
    for character in text.chars().filter(|character| character.is_alphabetic()) {
        let is_upper = character.is_uppercase();
        if before == Some(false) && is_upper {
            changes += 1;
        }
        before = Some(is_upper);
    }
    changes * 4 <= text.len()
}
