//! Tokens and headers for servers over HTTP, which are never shown.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

/// Minimum length of a secret that is redacted in a server's text: shorter ones occur in ordinary
/// text.
#[cfg(feature = "http")]
const MIN_HIDDEN_LEN: usize = 8;

/// A text that is sent to a server and never shown.
#[derive(Clone)]
pub struct Secret(
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "a build without HTTP sends nothing"))] String,
);

impl Secret {
    /// A secret, without surrounding whitespace. `None` if a header cannot contain it: empty, or
    /// more than one line.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = !text.is_empty() && text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
        fits.then(|| Self(text.to_owned()))
    }

    #[cfg(feature = "http")]
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Parts that a server may repeat: the whole secret, and the part after a scheme.
    #[cfg(feature = "http")]
    pub(crate) fn parts(&self) -> impl Iterator<Item = &str> {
        let credentials = self.0.split_once(' ').map(|(_, rest)| rest.trim());
        [Some(self.0.as_str()), credentials].into_iter().flatten().filter(|part| part.len() >= MIN_HIDDEN_LEN)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Reads a token when a request needs it. The error says why there is none and never contains the
/// token.
pub type TokenReader = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = Result<Secret, String>> + Send>> + Send + Sync>;
