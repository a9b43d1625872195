//! Resolves links to absolute URLs that can be fetched, and drops links within the page.

use tools_core::is_hidden;
use url::Url;

/// Maximum length of a link target in bytes: longer ones contain data, or do not help a reader.
const MAX_TARGET_BYTES: usize = 500;

/// The base URL of the links of a page.
pub(super) struct Base {
    url: Option<Url>,
    origin: String,
}

impl Base {
    /// The base of a page with this URL.
    pub(super) fn new(url: Option<&Url>) -> Self {
        let origin = url.map(|url| url.origin().ascii_serialization()).unwrap_or_default();
        Self { url: url.cloned(), origin }
    }

    /// Sets the base that the page declares.
    pub(super) fn named(&mut self, href: &str) {
        if let Some(url) = self.url.as_ref().and_then(|url| url.join(href).ok()).filter(Url::has_host) {
            *self = Self::new(Some(&url));
        }
    }

    /// The absolute target of `href`; `None` for places on the same page, for scripts, and for
    /// targets that are too long.
    pub(super) fn target(&self, href: &str) -> Option<String> {
        let href = href.trim();
        if href.is_empty() || href.starts_with('#') || href.len() > MAX_TARGET_BYTES || href.contains(is_hidden) {
            return None;
        }
        let target = if href.starts_with("https://") || href.starts_with("http://") {
            href.to_owned()
        } else if href.starts_with('/') && !href.starts_with("//") && !self.origin.is_empty() {
            [&self.origin, href].concat()
        } else {
            match &self.url {
                Some(url) => url.join(href).ok()?.to_string(),
                None => href.to_owned(),
            }
        };
        let is_shown = target.starts_with("http") || target.starts_with("mailto:") || self.url.is_none();
        // A closing parenthesis would end the link in Markdown.
        is_shown.then(|| target.replace(' ', "%20").replace('(', "%28").replace(')', "%29"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_absolute_or_nothing() {
        let url = Url::parse("https://a.org/x/y?q").unwrap();
        let mut base = Base::new(Some(&url));
        let check = |base: &Base, href: &str, expected: Option<&str>| {
            assert_eq!(base.target(href).as_deref(), expected, "{href}");
        };
        check(&base, "/b", Some("https://a.org/b"));
        check(&base, "z", Some("https://a.org/x/z"));
        check(&base, "//b.org/c", Some("https://b.org/c"));
        check(&base, "http://c.org/(d) e", Some("http://c.org/%28d%29%20e"));
        check(&base, "mailto:a@b.c", Some("mailto:a@b.c"));
        check(&base, "#there", None);
        check(&base, "javascript:alert(1)", None);
        check(&base, "data:text/html,x", None);
        base.named("https://b.org/deep/");
        check(&base, "z", Some("https://b.org/deep/z"));
    }
}
