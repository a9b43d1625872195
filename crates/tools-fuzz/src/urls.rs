//! A URL, a newline, and the target of a redirect: an admitted URL has only one interpretation, and
//! a redirect passes the same checks.

use tools_core::Verdict;
use tools_egress::guard::{Host, PageUrl, UrlRules};
use tools_egress::rules::{HostRules, RuleText};

pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (text, location) = text.split_once('\n').unwrap_or((text, "/"));
    let rules = UrlRules::default();
    if let Ok(url) = rules.admit(text) {
        same(&url);
        if let Ok(next) = rules.follow(&url, location) {
            same(&next);
        }
    }
    if let Ok(host) = Host::parse(text) {
        assert_eq!(Host::parse(&host.to_string()).as_ref(), Ok(&host), "a host is written as it is read");
    }
    let rule = RuleText { pattern: text.to_owned(), program: None, action: Verdict::Allow, private: false };
    if let (Ok(rules), Ok(host)) = (HostRules::compile("network", &[rule]), Host::parse(location)) {
        let _ = rules.about(&host, 443, None);
    }
}

fn same(url: &PageUrl) {
    assert_eq!(PageUrl::parse(url.as_str()).as_ref(), Ok(url), "a URL is written as it is read");
    assert!(url.as_str().starts_with("https://"));
    assert_eq!(url.host().check(), Ok(()), "a host that is admitted is public by its name");
}
