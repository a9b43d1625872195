//! The operator's rules on URLs: ports, allowed and denied hosts. They apply to every redirect as
//! to the first URL.

use super::{Host, PageUrl, Refusal};

/// Hosts that the operator allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DomainRules {
    allowed: Vec<Host>,
    denied: Vec<Host>,
}

impl DomainRules {
    /// Compiles two lists of domains, which include their subdomains. An empty list of allowed ones
    /// allows every host. A leading `*.` makes no difference.
    ///
    /// # Errors
    /// The entry that is not a host.
    pub fn compile(allowed: &[String], denied: &[String]) -> Result<Self, String> {
        let read = |list: &[String]| -> Result<Vec<Host>, String> {
            let parse =
                |entry: &String| Host::parse(entry.strip_prefix("*.").unwrap_or(entry)).map_err(|_| entry.clone());
            list.iter().map(parse).collect()
        };
        Ok(Self { allowed: read(allowed)?, denied: read(denied)? })
    }

    /// Checks whether the host is allowed.
    ///
    /// # Errors
    /// [`Refusal::Domain`] with the rule that refuses it.
    pub fn check(&self, host: &Host) -> Result<(), Refusal> {
        let covers = |entry: &&Host| match entry {
            Host::Name(domain) => host.is_within(domain),
            Host::Address(_) => host == *entry,
        };
        let refuse = |rule: String| Err(Refusal::Domain { host: host.to_string(), rule });
        if let Some(entry) = self.denied.iter().find(covers) {
            return refuse(format!("denied_domains: {entry}"));
        }
        if !self.allowed.is_empty() && !self.allowed.iter().any(|entry| covers(&entry)) {
            return refuse("allowed_domains".to_owned());
        }
        Ok(())
    }
}

/// Requirements for a URL to be fetched at all; [`super::Guard`] judges the addresses behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlRules {
    hosts: DomainRules,
    ports: Vec<u16>,
}

impl Default for UrlRules {
    fn default() -> Self {
        Self::new(DomainRules::default(), vec![443, 8443])
    }
}

impl UrlRules {
    /// Rules on hosts and the ports that are allowed.
    pub fn new(hosts: DomainRules, ports: Vec<u16>) -> Self {
        Self { hosts, ports }
    }

    /// Parses a URL and applies all checks that need no look-up.
    ///
    /// # Errors
    /// The first check that refuses it.
    pub fn admit(&self, text: &str) -> Result<PageUrl, Refusal> {
        self.check(PageUrl::parse(text)?)
    }

    /// The URL of a redirect from `from`, after the same checks as for a first URL.
    ///
    /// # Errors
    /// The first check that refuses it.
    pub fn follow(&self, from: &PageUrl, location: &str) -> Result<PageUrl, Refusal> {
        self.check(from.join(location)?)
    }

    fn check(&self, url: PageUrl) -> Result<PageUrl, Refusal> {
        if !self.ports.contains(&url.port()) {
            let allowed: Vec<String> = self.ports.iter().map(u16::to_string).collect();
            return Err(Refusal::Port { port: url.port(), allowed: allowed.join(", ") });
        }
        self.hosts.check(url.host())?;
        url.host().check()?;
        Ok(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn denied_hosts_are_denied_in_every_spelling_and_below() {
        let rules = DomainRules::compile(&[], &["evil.com".to_owned(), "*.bad.org".to_owned()]).unwrap();
        let rules = UrlRules::new(rules, vec![443]);
        for url in [
            "https://evil.com./",
            "https://EVIL.com/",
            "https://www.evil.com/",
            "https://a.b.bad.org",
            "https://bad.org",
        ] {
            assert!(matches!(rules.admit(url), Err(Refusal::Domain { .. })), "{url}");
        }
        for url in ["https://notevil.com/", "https://evil.com.example.org/"] {
            assert!(rules.admit(url).is_ok(), "{url}");
        }
    }

    #[test]
    fn an_allow_list_holds_for_every_hop() {
        let rules = UrlRules::new(DomainRules::compile(&["docs.rs".to_owned()], &[]).unwrap(), vec![443]);
        let start = rules.admit("https://docs.rs/serde").unwrap();
        assert_eq!(rules.follow(&start, "/tokio").unwrap().as_str(), "https://docs.rs/tokio");
        assert!(matches!(rules.follow(&start, "https://other.org/"), Err(Refusal::Domain { .. })));
        assert!(matches!(rules.follow(&start, "//docs.rs.other.org/"), Err(Refusal::Domain { .. })));
        assert!(matches!(rules.follow(&start, "http://docs.rs/"), Err(Refusal::Scheme(_))));
        assert!(matches!(rules.follow(&start, "https://docs.rs:22/"), Err(Refusal::Port { .. })));
    }
}
