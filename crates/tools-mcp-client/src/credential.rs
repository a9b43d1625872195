//! Tokens and headers for servers over HTTP, which nothing shows.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

/// The shortest secret that is looked for in what a server says: shorter ones stand in ordinary
/// text.
#[cfg(feature = "http")]
const MIN_HIDDEN_LEN: usize = 8;

/// A text that is sent to a server and shown to nobody.
#[derive(Clone)]
pub struct Secret(
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "a build without HTTP sends nothing"))] String,
);

impl Secret {
    /// A secret; blanks around it are cut. `None` for what cannot stand in a header: nothing, or
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

    /// The parts of it that a server may repeat: all of it, and what stands behind a scheme.
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

/// Reads a token when a request needs it; the error says why there is none, without the token.
pub type TokenReader = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = Result<Secret, String>> + Send>> + Send + Sync>;
