//! Reasons of the guard's refusals. The messages are for the model: they name what was refused, but
//! never an address that a name resolved to.

use thiserror::Error;

use super::{AddressClass, NameClass};

/// Reason why an address is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum Refusal {
    /// The URL is malformed or ambiguous.
    #[error("the URL cannot be used: {0}")]
    Malformed(&'static str),
    /// The scheme is not `https`.
    #[error("the scheme `{0}` is not allowed; only `https` is")]
    Scheme(String),
    /// User name or password in the URL.
    #[error("a URL with a user name or password is not fetched")]
    UserInfo,
    /// The port is not allowed.
    #[error("port {port} is not allowed; allowed: {allowed}")]
    Port { port: u16, allowed: String },
    /// The host is denied, or not among the allowed ones.
    #[error("host `{host}` is refused by `{rule}`")]
    Domain { host: String, rule: String },
    /// A redirect to another host, which would need a person's approval.
    #[error("it leads to another host, `{url}`: fetch that URL itself")]
    Elsewhere { url: String },
    /// The name is not that of a public host.
    #[error("the host is {0}, not a public one")]
    Name(NameClass),
    /// The address is not public. If it came from a look-up, its class is only for the operator.
    #[error("{}", not_public(*.class, *.by_name))]
    Address { class: AddressClass, by_name: bool },
    /// The name resolves to too many addresses.
    #[error("the name resolves to too many addresses")]
    TooManyAnswers,
    /// The peer of an open connection does not have a vetted address.
    #[error("the connection led to another address than the one that was checked")]
    Peer,
    /// The name has no address.
    #[error("the name does not resolve to an address")]
    NoAnswer,
    /// The name could not be looked up.
    #[error("the name could not be looked up")]
    LookupFailed,
    /// The look-up timed out.
    #[error("looking up the name took too long")]
    LookupTimeout,
}

fn not_public(class: AddressClass, by_name: bool) -> String {
    if by_name {
        // The model must not learn the kind of internal address behind a name.
        "the name leads to an address that is not public".to_owned()
    } else {
        format!("the address is not public: {class}")
    }
}

impl Refusal {
    /// A stable name, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Malformed(_) => "invalid_url",
            Self::Scheme(_) => "scheme_not_allowed",
            Self::UserInfo => "credentials_in_url",
            Self::Port { .. } => "port_not_allowed",
            Self::Domain { .. } => "domain_not_allowed",
            Self::Elsewhere { .. } => "leads_elsewhere",
            Self::Name(_) => "name_not_public",
            Self::Address { .. } => "address_not_public",
            Self::TooManyAnswers => "too_many_addresses",
            Self::Peer => "wrong_peer",
            Self::NoAnswer => "no_address",
            Self::LookupFailed => "lookup_failed",
            Self::LookupTimeout => "lookup_timeout",
        }
    }
}
