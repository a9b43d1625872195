//! Bytes of any kind as text.

use std::borrow::Cow;

/// Bytes as text; each sequence that is no UTF-8 becomes U+FFFD, as with
/// [`String::from_utf8_lossy`]. Several times as fast as that for bytes that are UTF-8, which it
/// takes in words instead of one by one.
pub fn utf8_lossy(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}
