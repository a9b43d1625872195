//! The production resolver: hickory with this machine's name servers. The hosts file and search
//! lists are not used: what they name is never public.

use std::sync::OnceLock;
use std::time::Duration;

use async_trait::async_trait;
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{LookupIpStrategy, ResolveHosts};
use hickory_resolver::proto::rr::RData;

use super::{Answer, HostResolver, LookupError};

/// Time limit for one name server.
const PATIENCE: Duration = Duration::from_secs(3);
/// Maximum number of cached names, each for at most its TTL.
const REMEMBERED: u64 = 128;

/// Queries the name servers configured on this machine.
#[derive(Default)]
pub struct SystemResolver {
    /// Created at the first look-up, which reads the system's files.
    resolver: OnceLock<Result<TokioResolver, String>>,
}

impl SystemResolver {
    /// The resolver of this machine; its configuration is read at the first look-up.
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses an existing resolver.
    #[cfg(any(test, feature = "test-support"))]
    pub fn with(resolver: TokioResolver) -> Self {
        Self { resolver: OnceLock::from(Ok(resolver)) }
    }
}

fn from_system() -> Result<TokioResolver, String> {
    let mut builder = TokioResolver::builder_tokio().map_err(|error| error.to_string())?;
    let options = builder.options_mut();
    options.use_hosts_file = ResolveHosts::Never;
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.timeout = PATIENCE;
    options.attempts = 2;
    options.ndots = 1;
    options.cache_size = REMEMBERED;
    options.preserve_intermediates = true;
    builder.build().map_err(|error| error.to_string())
}

#[async_trait]
impl HostResolver for SystemResolver {
    async fn lookup(&self, name: &str) -> Result<Answer, LookupError> {
        let resolver = self.resolver.get_or_init(from_system).as_ref();
        let resolver = resolver.map_err(|error| LookupError(error.clone()))?;
        // The trailing dot makes the name absolute: no search list is tried.
        match resolver.lookup_ip(format!("{name}.")).await {
            Ok(found) => {
                let aliases = found.as_lookup().answers().iter().filter_map(|record| match &record.data {
                    RData::CNAME(target) => Some(target.0.to_ascii().trim_end_matches('.').to_ascii_lowercase()),
                    _ => None,
                });
                Ok(Answer { addresses: found.iter().collect(), aliases: aliases.collect() })
            }
            Err(error) if error.is_no_records_found() || error.is_nx_domain() => Ok(Answer::default()),
            Err(error) => Err(LookupError(error.to_string())),
        }
    }
}
