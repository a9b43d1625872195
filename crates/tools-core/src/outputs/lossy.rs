//! Conversion of arbitrary bytes to text.

use std::borrow::Cow;

/// Bytes as text; each sequence that is not UTF-8 becomes U+FFFD, as with
/// [`String::from_utf8_lossy`]. Several times as fast for valid UTF-8, which it processes in
/// machine words instead of single bytes.
pub fn utf8_lossy(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}
