//! A normalized host: IDNA applied, lower case, no trailing dot, all spellings of an address
//! parsed.

use std::fmt;
use std::net::IpAddr;

use super::{AddressClass, Refusal, judge};

/// Maximum length of a DNS name.
const MAX_NAME_LEN: usize = 253;
const MAX_LABEL_LEN: usize = 63;

/// A host: a name or an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Host {
    /// A name in ASCII, lower case, without a dot at its end.
    Name(String),
    /// An address.
    Address(IpAddr),
}

impl Host {
    /// Parses a host as a browser does, including percent signs, full-width digits and numbers for
    /// IPv4 (`0x7f.1`, `2130706433`); IPv6 is in brackets.
    ///
    /// # Errors
    /// [`Refusal::Malformed`] if it is neither a name nor an address.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        if text.len() > MAX_NAME_LEN * 12 {
            return Err(Refusal::Malformed("the host is too long"));
        }
        let host =
            ::url::Host::parse(text).map_err(|_| Refusal::Malformed("the host is neither a name nor an address"))?;
        Self::of_url(host)
    }

    pub(super) fn of_url<S: AsRef<str>>(host: ::url::Host<S>) -> Result<Self, Refusal> {
        match host {
            ::url::Host::Ipv4(address) => Ok(Self::Address(IpAddr::V4(address))),
            ::url::Host::Ipv6(address) => Ok(Self::Address(IpAddr::V6(address))),
            ::url::Host::Domain(name) => Self::of_name(name.as_ref()),
        }
    }

    fn of_name(name: &str) -> Result<Self, Refusal> {
        let name = name.strip_suffix('.').unwrap_or(name);
        if name.len() > MAX_NAME_LEN {
            return Err(Refusal::Malformed("the host is too long"));
        }
        if !name.split('.').all(is_label) {
            return Err(Refusal::Malformed("the host is not a valid DNS name"));
        }
        Ok(Self::Name(name.to_ascii_lowercase()))
    }

    /// Checks a host before it is looked up; `Ok` for a name or address that may be public.
    ///
    /// # Errors
    /// [`Refusal::Name`] for names of local networks and metadata services, [`Refusal::Address`]
    /// for addresses.
    pub fn check(&self) -> Result<(), Refusal> {
        match self {
            Self::Name(name) => match class_of_name(name) {
                Some(class) => Err(Refusal::Name(class)),
                None => Ok(()),
            },
            Self::Address(address) => {
                judge(*address).map(|_| ()).map_err(|class| Refusal::Address { class, by_name: false })
            }
        }
    }

    /// Whether this host is `domain` or a subdomain. An address is never a subdomain.
    pub fn is_within(&self, domain: &str) -> bool {
        let Self::Name(name) = self else { return false };
        is_at_or_below(name, domain)
    }
}

fn is_at_or_below(name: &str, domain: &str) -> bool {
    name.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => address.fmt(f),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

fn is_label(label: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !label.is_empty() && label.len() <= MAX_LABEL_LEN && label.bytes().all(is_known)
}

/// Reason why a name is never a public host, whatever it resolves to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum NameClass {
    /// The machine itself: `localhost` and its subdomains.
    Localhost,
    /// A single label: only a search list or a hosts file defines it.
    SingleLabel,
    /// A domain for local networks or for special use (`.local`, `.internal`, `.lan`, `.test`).
    SpecialUse,
    /// The metadata service of a cloud.
    Metadata,
}

impl fmt::Display for NameClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Localhost => "the machine itself",
            Self::SingleLabel => "a name without a domain",
            Self::SpecialUse => "a domain for local networks or special use",
            Self::Metadata => "a metadata service",
        })
    }
}

const METADATA_NAMES: &[&str] = &[
    "metadata.goog",
    "metadata.google.internal",
    "metadata.azure.internal",
    "metadata.tencentyun.com",
    "metadata.platformequinix.com",
    "metadata.packet.net",
    "instance-data.ec2.internal",
];

/// Domains outside of public DNS, from the registry of special-use names and from common practice.
const SPECIAL_USE: &[&str] = &[
    "alt",
    "arpa",
    "corp",
    "example",
    "home",
    "internal",
    "intranet",
    "invalid",
    "lan",
    "local",
    "localdomain",
    "onion",
    "private",
    "svc",
    "test",
];

/// The class of a normalized name; `None` if it may be public.
pub(super) fn class_of_name(name: &str) -> Option<NameClass> {
    let last = name.rsplit('.').next().unwrap_or(name);
    if METADATA_NAMES.iter().any(|known| is_at_or_below(name, known)) {
        Some(NameClass::Metadata)
    } else if last == "localhost" || name == "localhost.localdomain" {
        Some(NameClass::Localhost)
    } else if !name.contains('.') {
        Some(NameClass::SingleLabel)
    } else if SPECIAL_USE.contains(&last) {
        Some(NameClass::SpecialUse)
    } else {
        None
    }
}

impl From<AddressClass> for Refusal {
    fn from(class: AddressClass) -> Self {
        Self::Address { class, by_name: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_spelling_of_a_host_is_read_once() {
        let check = |text: &str, expected: &str| assert_eq!(Host::parse(text).unwrap().to_string(), expected, "{text}");
        check("EXAMPLE.com.", "example.com");
        check("bücher.de", "xn--bcher-kva.de");
        check("0x7f.1", "127.0.0.1");
        check("2130706433", "127.0.0.1");
        check("１２７。0。0。1", "127.0.0.1");
        check("%31%32%37.0.0.1", "127.0.0.1");
        check("[::FFFF:1.2.3.4]", "[::ffff:1.2.3.4]");
        let refused = |text: &str| assert!(matches!(Host::parse(text), Err(Refusal::Malformed(_))), "{text}");
        refused("localhost..");
        refused("a,b.example.com");
        refused("256.256.256.256");
        refused("[::1%25lo]");
        refused("");
        refused(&"a".repeat(10_000));
        refused(&"a.".repeat(200));
        refused("a b.com");
    }

    #[test]
    fn names_that_no_public_host_has_are_refused_before_a_look_up() {
        let check =
            |text: &str, expected: Result<(), Refusal>| assert_eq!(Host::parse(text).unwrap().check(), expected);
        check("docs.rs", Ok(()));
        check("internal-tools.com", Ok(()));
        check("a.b.localhost.", Err(Refusal::Name(NameClass::Localhost)));
        check("router", Err(Refusal::Name(NameClass::SingleLabel)));
        check("db.internal", Err(Refusal::Name(NameClass::SpecialUse)));
        check("x.kubernetes.default.svc", Err(Refusal::Name(NameClass::SpecialUse)));
        check("METADATA.google.internal", Err(Refusal::Name(NameClass::Metadata)));
        check("metadata.goog", Err(Refusal::Name(NameClass::Metadata)));
        check("10.0.0.1", Err(Refusal::Address { class: AddressClass::Private, by_name: false }));
    }

    #[test]
    fn a_domain_covers_itself_and_what_lies_below() {
        let within = |host: &str| Host::parse(host).unwrap().is_within("evil.com");
        assert!(within("evil.com.") && within("EVIL.com") && within("a.b.evil.com"));
        assert!(!within("notevil.com") && !within("evil.com.example.org") && !within("1.2.3.4"));
    }
}
