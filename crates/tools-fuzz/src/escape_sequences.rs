//! Any bytes as output to a terminal: the result is text without control characters, and a second
//! pass removes nothing.

use tools_filter::sanitize_output;

pub(crate) fn check(bytes: &[u8]) {
    let text = sanitize_output(bytes);
    let control = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
    assert_eq!(control, None, "a control character is left in {text:?}");
    assert_eq!(sanitize_output(text.as_bytes()), text);
}
