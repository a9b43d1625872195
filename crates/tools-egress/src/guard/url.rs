//! An unambiguous URL: `https`, a host, no user name. Text that parsers interpret differently is
//! refused before parsing.

use std::fmt;

use ::url::Url;

use super::{Host, Refusal};

/// Maximum length of a URL in bytes: no page needs more, and long URLs can carry data out.
const MAX_URL_BYTES: usize = 8 * 1024;

/// An `https` URL with a normalized host and without user name or password.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PageUrl {
    url: Url,
    host: Host,
    port: u16,
}

impl PageUrl {
    /// Parses a URL; surrounding spaces are ignored. [`super::UrlRules`] checks its host and port.
    ///
    /// # Errors
    /// [`Refusal::Malformed`], [`Refusal::Scheme`] or [`Refusal::UserInfo`].
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let text = text.trim_matches([' ', '\n']);
        check_text(text)?;
        let url = Url::parse(text).map_err(|_| Refusal::Malformed("it cannot be parsed"))?;
        if url.scheme() == "https" {
            // Parsers differ about `https:host`, `https:/host` and `https:///host`.
            let rest = text.get("https:".len()..).and_then(|rest| rest.strip_prefix("//"));
            if rest.is_none_or(|rest| rest.is_empty() || rest.starts_with('/')) {
                return Err(Refusal::Malformed("`https:` is followed by `//` and a host"));
            }
        }
        Self::of(url)
    }

    /// The URL of a `Location` header of this one.
    pub(super) fn join(&self, location: &str) -> Result<Self, Refusal> {
        let location = location.trim_matches([' ', '\t']);
        check_text(location)?;
        let url = self.url.join(location).map_err(|_| Refusal::Malformed("the redirect cannot be parsed"))?;
        Self::of(url)
    }

    fn of(mut url: Url) -> Result<Self, Refusal> {
        if url.scheme() != "https" {
            return Err(Refusal::Scheme(url.scheme().chars().take(32).collect()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refusal::UserInfo);
        }
        if url.as_str().len() > MAX_URL_BYTES {
            return Err(Refusal::Malformed("it is longer than 8 KiB"));
        }
        let host = url.host().ok_or(Refusal::Malformed("it names no host"))?;
        let host = Host::of_url(host)?;
        let port = url.port_or_known_default().ok_or(Refusal::Malformed("it names no port"))?;
        // The sent URL contains the host as it was judged.
        url.set_host(Some(&host.to_string())).map_err(|_| Refusal::Malformed("the host cannot be used"))?;
        url.set_fragment(None);
        Ok(Self { url, host, port })
    }

    /// The host.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The port, even if the URL leaves it out.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The URL, normalized and without its fragment.
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// The URL as the subject that rules judge.
    pub fn subject(&self) -> tools_core::WebUrl {
        let query = self.url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let path = format!("{}{query}", self.url.path());
        tools_core::WebUrl::from_parts("https", &self.host.to_string(), self.url.port(), &path)
    }

    /// The URL.
    pub fn url(&self) -> &Url {
        &self.url
    }
}

impl fmt::Display for PageUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Refuses characters that a parser would silently drop or replace.
fn check_text(text: &str) -> Result<(), Refusal> {
    if text.len() > MAX_URL_BYTES {
        return Err(Refusal::Malformed("it is longer than 8 KiB"));
    }
    if text.chars().any(char::is_control) {
        return Err(Refusal::Malformed("it holds a control character"));
    }
    if text.contains('\\') {
        return Err(Refusal::Malformed("it holds a backslash"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_read_in_one_way_only() {
        let check = |text: &str, expected: Result<&str, &str>| {
            let found = PageUrl::parse(text).map(|url| url.to_string()).map_err(|refusal| refusal.code());
            assert_eq!(found, expected.map(str::to_owned), "{text:?}");
        };
        check(" https://EXAMPLE.com.:443/a?b#c ", Ok("https://example.com/a?b"));
        check("HTTPS://example.com", Ok("https://example.com/"));
        check("https://пример.рф/", Ok("https://xn--e1afmkfd.xn--p1ai/"));
        check("http://example.com/", Err("scheme_not_allowed"));
        check("data:text/html,x", Err("scheme_not_allowed"));
        check("https://u:p@example.com/", Err("credentials_in_url"));
        check("https://u@example.com/", Err("credentials_in_url"));
        check("https:example.com", Err("invalid_url"));
        check("https:///example.com", Err("invalid_url"));
        check("https://", Err("invalid_url"));
        check("https://a.com\\@b.com/", Err("invalid_url"));
        check("https://a.com/\r\nHost: b", Err("invalid_url"));
        check("ht\ntps://a.com/", Err("invalid_url"));
        check("https://a.com:99999/", Err("invalid_url"));
        check(&format!("https://a.com/{}", "a".repeat(MAX_URL_BYTES)), Err("invalid_url"));
        check("a.com", Err("invalid_url"));
        check("", Err("invalid_url"));
    }
}
