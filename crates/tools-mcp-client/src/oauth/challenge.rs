//! Parses `WWW-Authenticate`: the authorization that a server requires.

use hyper::header::{HeaderMap, WWW_AUTHENTICATE};

use super::scopes::{self, Scopes};

/// Maximum length of the header.
const MAX_HEADER_LEN: usize = 8 << 10;

/// The challenge `Bearer` of an answer with the status 401 or 403.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Challenge {
    /// Address of the server's metadata, which name its authorization server.
    pub(crate) resource_metadata: Option<String>,
    /// Scopes that a token needs.
    pub(crate) scopes: Scopes,
    error: Option<String>,
}

impl Challenge {
    /// The first challenge `Bearer`; `None` if there is none.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let values = headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok());
        values.filter(|value| value.len() <= MAX_HEADER_LEN).find_map(parse)
    }

    /// Whether the token is valid but lacks a scope.
    pub(crate) fn is_insufficient_scope(&self) -> bool {
        self.error.as_deref() == Some("insufficient_scope")
    }
}

/// The challenge `Bearer` among those of one header.
fn parse(text: &str) -> Option<Challenge> {
    let mut rest = text;
    let mut found: Option<Challenge> = None;
    let mut is_bearer = false;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let (name, behind) = token(rest);
        if name.is_empty() {
            return found;
        }
        let value = behind.trim_start().strip_prefix('=');
        match value.map(str::trim_start) {
            // `name=value`, but not the padding of credentials (`dG9rZW4=`).
            Some(value) if !value.is_empty() && !value.starts_with(['=', ',']) => {
                let (value, behind) = value_of(value)?;
                if let (true, Some(challenge)) = (is_bearer, &mut found) {
                    match name.to_ascii_lowercase().as_str() {
                        "resource_metadata" => challenge.resource_metadata = Some(value),
                        "scope" => challenge.scopes = scopes::parse(&value),
                        "error" => challenge.error = Some(value),
                        _ => {}
                    }
                }
                rest = behind;
            }
            Some(_) => rest = behind.trim_start_matches([' ', '=']),
            None => {
                if found.is_some() {
                    return found;
                }
                is_bearer = name.eq_ignore_ascii_case("bearer");
                found = is_bearer.then(Challenge::default);
                rest = behind;
            }
        }
    }
}

fn token(text: &str) -> (&str, &str) {
    let fits = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~/".contains(c);
    text.split_at(text.find(|c| !fits(c)).unwrap_or(text.len()))
}

/// A quoted or unquoted value; `None` if a closing quote is missing.
fn value_of(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([',', ' ', '\t']).unwrap_or(text.len());
        return Some((text[..end].to_owned(), &text[end..]));
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Some((value, &quoted[at + 1..])),
            '\\' => value.push(characters.next()?.1),
            c => value.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_challenge_is_found_among_others() {
        let check = |text: &str, expected: Option<(Option<&str>, &str, bool)>| {
            let found = parse(text);
            let found = found.as_ref().map(|challenge| {
                (
                    challenge.resource_metadata.as_deref(),
                    challenge.scopes.to_string(),
                    challenge.is_insufficient_scope(),
                )
            });
            let found = found.as_ref().map(|(url, scopes, is)| (*url, scopes.as_str(), *is));
            assert_eq!(found, expected, "{text}");
        };
        check("Bearer", Some((None, "", false)));
        check("bearer realm=\"x\", scope=\"a b\"", Some((None, "a b", false)));
        check(
            r#"Bearer error="insufficient_scope", scope="a", resource_metadata="https://a/b?c=d,e""#,
            Some((Some("https://a/b?c=d,e"), "a", true)),
        );
        check(r#"Basic realm="Bearer scope=\"no\"", Bearer scope=yes"#, Some((None, "yes", false)));
        check("Negotiate dG9rZW4=, Bearer scope=a", Some((None, "a", false)));
        check("Negotiate dG9rZW4==, Bearer scope = \"a\"", Some((None, "a", false)));
        check("Bearer scope=a, DPoP scope=b", Some((None, "a", false)));
        check("Basic realm=\"x\"", None);
        check("Bearer scope=\"a", None);
        check("", None);
        check("=,=", None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_to_its_end(text in ".{0,200}") {
            let _ = parse(&text);
        }

        #[test]
        fn what_is_quoted_comes_back(value in "[ -~]{0,40}") {
            let quoted = value.replace('\\', "\\\\").replace('"', "\\\"");
            let found = parse(&format!("Basic realm=\"{quoted}\", Bearer a=\"{quoted}\", resource_metadata=\"{quoted}\"")).unwrap();
            prop_assert_eq!(found.resource_metadata, Some(value));
        }
    }
}
