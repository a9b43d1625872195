//! A provider's key, which is never shown.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

/// The key of a provider. It can be neither printed nor compared.
#[derive(Clone)]
pub struct Key(String);

impl Key {
    /// A key, without surrounding whitespace. `None` if a header cannot contain it: empty, or more
    /// than one line.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| Self(text.to_owned()))
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Removes the key from a text, in case a server repeats it.
    pub(super) fn hidden_in(&self, text: &str) -> String {
        text.replace(&self.0, "[key]")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// Reads a key when a request needs it. The error says why there is none and never contains the
/// key.
pub type KeyReader = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = Result<Key, String>> + Send>> + Send + Sync>;
