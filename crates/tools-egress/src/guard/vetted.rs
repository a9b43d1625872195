//! The guard: resolves a host and a port to vetted addresses, the only ones that can be connected
//! to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::host::class_of_name;
use super::{AddressClass, Answer, Host, HostResolver, NameClass, Refusal, judge};

/// Maximum number of addresses of a name, more than any honest host has.
const MAX_ANSWERS: usize = 32;
/// Time limit for a look-up, whatever the resolver does.
const PATIENCE: Duration = Duration::from_secs(10);

/// Resolves hosts to addresses that may be connected to. It does not check URLs: see
/// [`super::UrlRules`].
///
/// The resolver is replaceable, the judgement is not.
#[derive(Clone)]
pub struct Guard {
    resolver: Arc<dyn HostResolver>,
}

/// A host and a port with their vetted addresses. Only [`Guard::vet`] creates one: its holder may
/// connect to these addresses and to no others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VettedHost {
    host: Host,
    addresses: Vec<VettedAddress>,
}

/// A vetted address with its port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VettedAddress(SocketAddr);

/// A host and a port that an operator granted though it may not be public. Only a rule that names
/// both makes one ([`crate::rules::HostRule::grant`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    pub(crate) host: Host,
    pub(crate) port: u16,
}

impl Guard {
    /// A guard over a resolver.
    pub fn new(resolver: Arc<dyn HostResolver>) -> Self {
        Self { resolver }
    }

    /// Looks the host up once and judges every address. No connection is opened.
    ///
    /// # Errors
    /// The reason why it must not be reached; one address that is not public refuses the host,
    /// however many are.
    pub async fn vet(&self, host: &Host, port: u16) -> Result<VettedHost, Refusal> {
        host.check()?;
        let addresses = match host {
            Host::Address(address) => vec![*address],
            Host::Name(name) => judged_answer(self.look_up(name).await?)?,
        };
        let judged =
            addresses.into_iter().map(|address| judge(address).map(|one| VettedAddress(SocketAddr::new(one, port))));
        let mut addresses: Vec<VettedAddress> = judged.collect::<Result<_, _>>()?;
        // A machine without IPv6 fails fast on IPv4 first; one without IPv4 has few addresses to
        // try.
        addresses.sort_by_key(|address| address.0.is_ipv6());
        addresses.dedup();
        Ok(VettedHost { host: host.clone(), addresses })
    }

    /// The addresses of a host that an operator granted by name and port. They need not be public;
    /// metadata services are refused all the same.
    ///
    /// # Errors
    /// As [`Guard::vet`], but for addresses that are not public.
    pub async fn vet_granted(&self, grant: &Grant) -> Result<VettedHost, Refusal> {
        let Grant { host, port } = grant;
        let addresses = match host {
            Host::Address(address) => vec![*address],
            Host::Name(name) if class_of_name(name) == Some(NameClass::Metadata) => {
                return Err(Refusal::Name(NameClass::Metadata));
            }
            // What the machine itself is called is not asked of anybody.
            Host::Name(name) if class_of_name(name) == Some(NameClass::Localhost) => {
                vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]
            }
            Host::Name(name) => self.look_up(name).await?.addresses,
        };
        if let Some(class) =
            addresses.iter().find_map(|address| judge(*address).err().filter(|class| *class == AddressClass::Metadata))
        {
            return Err(Refusal::from(class));
        }
        match addresses.len() {
            0 => Err(Refusal::NoAnswer),
            1..=MAX_ANSWERS => {
                let addresses =
                    addresses.into_iter().map(|one| VettedAddress(SocketAddr::new(one.to_canonical(), *port)));
                Ok(VettedHost { host: host.clone(), addresses: addresses.collect() })
            }
            _ => Err(Refusal::TooManyAnswers),
        }
    }

    async fn look_up(&self, name: &str) -> Result<Answer, Refusal> {
        let answer = timeout(PATIENCE, self.resolver.lookup(name)).await;
        // The resolver's words name servers of this network: they are for nobody who asked for a
        // page.
        answer.map_err(|_| Refusal::LookupTimeout)?.map_err(|_| Refusal::LookupFailed)
    }
}

/// The addresses of an answer that is plausible as a whole.
fn judged_answer(answer: Answer) -> Result<Vec<IpAddr>, Refusal> {
    if let Some(class) = answer.aliases.iter().find_map(|alias| class_of_name(alias.trim_end_matches('.'))) {
        return Err(Refusal::Name(class));
    }
    match answer.addresses.len() {
        0 => Err(Refusal::NoAnswer),
        1..=MAX_ANSWERS => Ok(answer.addresses),
        _ => Err(Refusal::TooManyAnswers),
    }
}

impl VettedHost {
    /// The host that was judged.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The addresses, in the order in which they should be tried; at least one.
    pub fn addresses(&self) -> &[VettedAddress] {
        &self.addresses
    }

    /// Whether the other side of an open connection is one of the addresses that were judged.
    ///
    /// # Errors
    /// [`Refusal::Peer`].
    pub(crate) fn check_peer(&self, peer: SocketAddr) -> Result<(), Refusal> {
        let peer = SocketAddr::new(peer.ip().to_canonical(), peer.port());
        if self.addresses.contains(&VettedAddress(peer)) { Ok(()) } else { Err(Refusal::Peer) }
    }
}

impl VettedAddress {
    /// The address and port to connect to.
    pub fn socket(self) -> SocketAddr {
        self.0
    }
}
