//! `[tools.scrape]` as configured, and its compiled form.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::KeyFault;

use crate::guard::{DomainRules, UrlRules};

/// The tools `fetch` and `web_scrape`. Only `https` pages of public hosts are reached, whatever is
/// set here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ScrapeConfig {
    /// Time limit in seconds for fetching one page: name lookup, redirects and body together.
    #[schemars(extend("x-overlay" = "lower"))]
    pub timeout: u64,
    /// Maximum number of bytes of a page that are read, before and after decompression. The rest is
    /// left out, and the result says so.
    #[schemars(extend("x-overlay" = "lower"))]
    pub max_body_bytes: usize,
    /// The only domains that `fetch` and `web_scrape` may reach, with their subdomains (`docs.rs`).
    /// Empty: all.
    pub allowed_domains: Vec<String>,
    /// Domains that `fetch` and `web_scrape` may not reach, with their subdomains. Redirects are
    /// checked against both lists.
    #[schemars(extend("x-overlay" = "extend"))]
    pub denied_domains: Vec<String>,
    /// Ports that `fetch` and `web_scrape` may use.
    pub ports: Vec<u16>,
    /// The `User-Agent` header of requests for web pages.
    pub user_agent: String,
    /// Seconds for which a page is reused without asking its server. After that, the server is
    /// asked whether the page has changed. 0: always ask.
    pub cache_secs: u64,
}

impl Default for ScrapeConfig {
    fn default() -> Self {
        Self {
            timeout: 15,
            max_body_bytes: 1024 * 1024,
            allowed_domains: Vec::new(),
            denied_domains: Vec::new(),
            ports: vec![443, 8443],
            user_agent: concat!("haft/", env!("CARGO_PKG_VERSION")).to_owned(),
            cache_secs: 300,
        }
    }
}

/// The section `[tools.scrape]`, compiled. A call keeps the one it started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScrapePolicy {
    pub(crate) rules: UrlRules,
    pub(crate) timeout: Duration,
    pub(crate) most: usize,
    pub(crate) user_agent: String,
    pub(crate) fresh: Duration,
}

/// Upper limit for `max_body_bytes`: pages are kept in memory whole.
const MAX_BODY: usize = 64 * 1024 * 1024;

impl ScrapeConfig {
    /// Compiles the configuration.
    ///
    /// # Errors
    /// Names the key whose value cannot be used.
    pub fn compile(&self) -> Result<ScrapePolicy, KeyFault> {
        let fault = |key: &str, problem: String| Err(KeyFault::new(key, problem));
        if self.timeout == 0 {
            return fault("timeout", "expected at least 1 second".to_owned());
        }
        if self.max_body_bytes == 0 || self.max_body_bytes > MAX_BODY {
            return fault("max_body_bytes", format!("expected 1 to {MAX_BODY}"));
        }
        if self.ports.is_empty() || self.ports.contains(&0) {
            return fault("ports", "expected ports from 1 to 65535".to_owned());
        }
        let is_shown = |c: char| c.is_ascii_graphic() || c == ' ';
        if self.user_agent.trim().is_empty() || !self.user_agent.chars().all(is_shown) {
            return fault("user_agent", "expected visible ASCII characters".to_owned());
        }
        for (key, list) in [("allowed_domains", &self.allowed_domains), ("denied_domains", &self.denied_domains)] {
            if let Err(entry) = DomainRules::compile(list, &[]) {
                return fault(key, format!("`{entry}` is not a domain; expected one like `docs.rs`"));
            }
        }
        let hosts = DomainRules::compile(&self.allowed_domains, &self.denied_domains).unwrap_or_default();
        Ok(ScrapePolicy {
            rules: UrlRules::new(hosts, self.ports.clone()),
            timeout: Duration::from_secs(self.timeout),
            most: self.max_body_bytes,
            user_agent: self.user_agent.clone(),
            fresh: Duration::from_secs(self.cache_secs),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_used_is_refused_by_its_key() {
        let check = |config: ScrapeConfig| config.compile().err().map_or_else(String::new, |fault| fault.key);
        let usual = ScrapeConfig::default();
        assert_eq!(check(usual.clone()), "");
        assert_eq!(check(ScrapeConfig { timeout: 0, ..usual.clone() }), "timeout");
        assert_eq!(check(ScrapeConfig { max_body_bytes: 0, ..usual.clone() }), "max_body_bytes");
        assert_eq!(check(ScrapeConfig { ports: vec![], ..usual.clone() }), "ports");
        assert_eq!(check(ScrapeConfig { user_agent: "a\r\nb: c".to_owned(), ..usual.clone() }), "user_agent");
        assert_eq!(check(ScrapeConfig { denied_domains: vec!["a b".to_owned()], ..usual.clone() }), "denied_domains");
        assert_eq!(check(ScrapeConfig { allowed_domains: vec!["https://a.b".to_owned()], ..usual }), "allowed_domains");
    }
}
