//! The cache key of a conversation.

use std::borrow::Cow;

use tools_core::sha256_hex;

/// Maximum length of a key.
const MAX_KEY_CHARS: usize = 64;

/// The key under which requests of a conversation share the provider's cache.
pub(super) fn cache_key(session: &str) -> Cow<'_, str> {
    if session.len() <= MAX_KEY_CHARS { session.into() } else { sha256_hex(session.as_bytes()).into() }
}
