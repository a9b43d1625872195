//! Ordered rules on hosts that an operator allows, asks about or denies: the first match decides.

use std::fmt;

use thiserror::Error;
use tools_core::Verdict;

use crate::guard::{Grant, Host};

/// Ports of a rule without ports: those of the web.
const WEB: [u16; 2] = [443, 80];

/// A rule as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleText {
    /// `HOST`, `*.HOST` or `*`, followed by `:PORT` or `:*`; without a port, for the ports of the
    /// web.
    pub pattern: String,
    /// The program that the rule applies to; `None` for all.
    pub program: Option<String>,
    /// The decision.
    pub action: Verdict,
    /// Whether the host may resolve to non-public addresses although its name looks public.
    pub private: bool,
}

/// A rule that is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{problem}")]
pub struct RuleFault {
    /// Its index in the list.
    pub index: usize,
    /// The problem and its correction.
    pub problem: String,
}

/// A compiled rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRule {
    hosts: Hosts,
    ports: Ports,
    program: Option<String>,
    action: Verdict,
    private: bool,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Hosts {
    All,
    /// A domain and its subdomains.
    Domain(String),
    One(Host),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ports {
    Web,
    All,
    One(u16),
}

/// Rules in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostRules(Vec<HostRule>);

impl HostRules {
    /// Compiles rules. `name` is the name of the list in messages.
    ///
    /// # Errors
    /// The first rule that names no host.
    pub fn compile(name: &str, rules: &[RuleText]) -> Result<Self, RuleFault> {
        let compile = |(index, rule)| HostRule::compile(name, index, rule);
        rules.iter().enumerate().map(compile).collect::<Result<_, _>>().map(Self)
    }

    /// The first rule that matches a connection. `program` is `None` if unknown: then rules for a
    /// program match only if they deny.
    pub fn about(&self, host: &Host, port: u16, program: Option<&str>) -> Option<&HostRule> {
        self.0.iter().find(|rule| rule.covers(host, port) && rule.is_of(program))
    }

    /// Loopback ports of this machine that a rule allows or asks about by name, so that the caller
    /// can open a way to each.
    pub fn loopback_ports(&self) -> Vec<u16> {
        let port = |rule: &HostRule| match (&rule.hosts, rule.ports, rule.action) {
            (Hosts::One(Host::Name(name)), Ports::One(port), Verdict::Allow | Verdict::Ask) if name == "localhost" => {
                Some(port)
            }
            _ => None,
        };
        self.0.iter().filter_map(port).collect()
    }
}

impl HostRule {
    fn compile(name: &str, index: usize, rule: &RuleText) -> Result<Self, RuleFault> {
        let fault = |problem: &str| RuleFault { index, problem: problem.to_owned() };
        let pattern = rule.pattern.trim();
        if pattern.contains('/') {
            return Err(fault("expected a host without a scheme and a path (`example.org`)"));
        }
        let (host, ports) = match pattern.rsplit_once(':') {
            Some((host, "*")) => (host, Ports::All),
            Some((host, port)) if !port.contains(']') => {
                let number = port.parse().ok().filter(|port| *port > 0);
                (
                    host,
                    Ports::One(
                        number.ok_or_else(|| fault("expected a port from 1 to 65535, or `*`, after the colon"))?,
                    ),
                )
            }
            _ => (pattern, Ports::Web),
        };
        let parse = |host: &str| {
            Host::parse(host).map_err(|_| fault("expected a host (`example.org`), a domain (`*.example.org`) or `*`, and a port if it is another than 443 and 80 (`example.org:22`)"))
        };
        let hosts = match host.strip_prefix("*.") {
            _ if host == "*" => Hosts::All,
            Some(domain) => match parse(domain)? {
                Host::Name(domain) => Hosts::Domain(domain),
                Host::Address(_) => return Err(fault("nothing lies below an address")),
            },
            None => Hosts::One(parse(host)?),
        };
        if let Hosts::One(host) = &hosts
            && host.check().is_err()
            && rule.action != Verdict::Deny
            && !matches!(ports, Ports::One(_))
        {
            return Err(fault("a host that is not public takes a port (`localhost:5432`)"));
        }
        if rule.program.as_ref().is_some_and(|program| program.is_empty() || program.contains('/')) {
            return Err(fault("`program` is the name of a program without its folder"));
        }
        if rule.private && !matches!(hosts, Hosts::One(_)) {
            return Err(fault("`private` takes a rule about one host"));
        }
        let name = format!("{name}[{index}] \"{pattern}\"");
        Ok(Self { hosts, ports, program: rule.program.clone(), action: rule.action, private: rule.private, name })
    }

    fn covers(&self, host: &Host, port: u16) -> bool {
        let has_host = match &self.hosts {
            Hosts::All => true,
            Hosts::Domain(domain) => host.is_within(domain),
            Hosts::One(one) => one == host,
        };
        has_host
            && match self.ports {
                Ports::All => true,
                Ports::Web => WEB.contains(&port),
                Ports::One(one) => one == port,
            }
    }

    fn is_of(&self, program: Option<&str>) -> bool {
        match (&self.program, program) {
            (None, _) => true,
            (Some(wanted), Some(program)) => wanted == program,
            (Some(_), None) => self.action == Verdict::Deny,
        }
    }

    /// The decision of the rule.
    pub fn action(&self) -> Verdict {
        self.action
    }

    /// Permission to reach a non-public host on a port of the rule, once the connection is allowed.
    /// Only for a rule that names the host, and either a single port or `private`.
    pub fn grant(&self, port: u16) -> Option<Grant> {
        let Hosts::One(host) = &self.hosts else { return None };
        let says_so = self.private || (host.check().is_err() && matches!(self.ports, Ports::One(_)));
        (says_so && self.action != Verdict::Deny).then(|| Grant { host: host.clone(), port })
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(texts: &[(&str, Option<&str>, Verdict)]) -> Result<HostRules, RuleFault> {
        let rule = |(pattern, program, action): &(&str, Option<&str>, Verdict)| RuleText {
            pattern: (*pattern).to_owned(),
            program: program.map(str::to_owned),
            action: *action,
            private: false,
        };
        HostRules::compile("network", &texts.iter().map(rule).collect::<Vec<_>>())
    }

    #[test]
    fn the_first_rule_that_matches_decides() {
        use Verdict::{Allow, Ask, Deny};
        let rules = rules(&[
            ("evil.example.org", None, Deny),
            ("*.example.org", None, Allow),
            ("git.example.com:22", Some("ssh"), Allow),
            ("*:22", Some("nc"), Deny),
            ("10.1.2.3:5432", None, Allow),
            ("*", Some("curl"), Ask),
        ])
        .unwrap();
        let check = |target: &str, program: Option<&str>, expected: Option<Verdict>| {
            let (host, port) = target.rsplit_once(':').unwrap();
            let found = rules.about(&Host::parse(host).unwrap(), port.parse().unwrap(), program);
            assert_eq!(found.map(HostRule::action), expected, "{target} by {program:?}");
        };
        check("evil.example.org:443", None, Some(Deny));
        check("EVIL.example.org.:80", None, Some(Deny));
        check("example.org:443", None, Some(Allow));
        check("a.b.example.org:80", None, Some(Allow));
        check("a.example.org:22", None, Some(Deny));
        check("a.example.org:8080", None, None);
        check("notexample.org:443", None, None);
        check("example.org.evil.com:443", None, None);
        check("git.example.com:22", Some("ssh"), Some(Allow));
        check("git.example.com:22", Some("nc"), Some(Deny));
        check("git.example.com:22", None, Some(Deny));
        check("git.example.com:443", Some("ssh"), None);
        check("other.com:443", Some("curl"), Some(Ask));
        check("10.1.2.3:5432", None, Some(Allow));
        check("0xa010203:5432", None, Some(Allow));
    }

    #[test]
    fn only_a_rule_that_names_host_and_port_grants_what_is_not_public() {
        let grants = |pattern: &str, action| {
            rules(&[(pattern, None, action)]).unwrap().0.first().and_then(|rule| rule.grant(80)).is_some()
        };
        assert!(grants("localhost:5432", Verdict::Allow) && grants("[::1]:80", Verdict::Allow));
        for pattern in ["*", "*:5432", "*.internal:80", "example.org", "example.org:80", "example.org:*"] {
            assert!(!grants(pattern, Verdict::Allow), "{pattern}");
        }
        assert!(grants("localhost:5432", Verdict::Ask) && !grants("localhost:5432", Verdict::Deny));
        let ports = rules(&[
            ("localhost:1", None, Verdict::Allow),
            ("localhost:2", None, Verdict::Deny),
            ("db:3", None, Verdict::Allow),
        ]);
        assert_eq!(ports.unwrap().loopback_ports(), [1]);
    }

    #[test]
    fn a_rule_that_names_no_host_is_an_error() {
        for pattern in [
            "",
            "a b",
            "*.",
            "*.1.2.3.4",
            "x:0",
            "x:http",
            "a*b.org",
            "localhost",
            "10.0.0.1",
            "10.0.0.1:*",
            "https://example.org",
        ] {
            assert!(rules(&[(pattern, None, Verdict::Allow)]).is_err(), "{pattern}");
        }
        for pattern in ["https://example.org", "example.org/path", "http://x:80"] {
            let fault = rules(&[(pattern, None, Verdict::Allow)]).unwrap_err();
            assert!(fault.problem.contains("without a scheme"), "{pattern}: {fault}");
        }
        assert!(rules(&[("10.0.0.1", None, Verdict::Deny)]).is_ok());
        assert!(rules(&[("example.org", Some("/usr/bin/curl"), Verdict::Allow)]).is_err());
    }
}
