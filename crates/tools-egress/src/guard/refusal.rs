//! Why the guard says no. The words are for the model: they tell what kind of thing was refused and
//! never an address that a name resolved to.

use thiserror::Error;

use super::{AddressClass, NameClass};

/// Reason why an address is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum Refusal {
    /// Not a URL that can be read in one way only.
    #[error("the URL cannot be used: {0}")]
    Malformed(&'static str),
    /// Another scheme than `https`.
    #[error("the scheme `{0}` is not allowed; only `https` is")]
    Scheme(String),
    /// User name or password in the URL.
    #[error("a URL with a user name or password is not fetched")]
    UserInfo,
    /// A port that is not one for the web.
    #[error("port {port} is not allowed; allowed: {allowed}")]
    Port { port: u16, allowed: String },
    /// The host is on the list of denied ones, or not on the list of allowed ones.
    #[error("host `{host}` is refused by `{rule}`")]
    Domain { host: String, rule: String },
    /// A redirect to another host, about which a person would be asked.
    #[error("it leads to another host, `{url}`: fetch that URL itself")]
    Elsewhere { url: String },
    /// A name that leads to no public host.
    #[error("the host is {0}, not a public one")]
    Name(NameClass),
    /// An address that is not public. The class is for the operator where it came out of a look-up.
    #[error("{}", not_public(*.class, *.by_name))]
    Address { class: AddressClass, by_name: bool },
    /// The name resolves to more addresses than are looked at.
    #[error("the name resolves to too many addresses")]
    TooManyAnswers,
    /// The other side of an open connection has an address that was not judged.
    #[error("the connection led to another address than the one that was checked")]
    Peer,
    /// The name has no address.
    #[error("the name does not resolve to an address")]
    NoAnswer,
    /// The name could not be looked up.
    #[error("the name could not be looked up")]
    LookupFailed,
    /// Nobody answered the question for the name in time.
    #[error("looking up the name took too long")]
    LookupTimeout,
}

fn not_public(class: AddressClass, by_name: bool) -> String {
    if by_name {
        // Which kind of internal address a name leads to is no business of a model.
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
