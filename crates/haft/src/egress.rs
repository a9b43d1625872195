//! The egress proxies of commands as a part of a toolbox: their rules follow the configuration.

use std::sync::Arc;

use tools_core::Shared;
use tools_egress_proxy::{EgressSettings, SessionNetworks, host_rules};
use tools_policy::Gates;
use tools_secrets::SecretRedactor;

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig},
    part::PartList,
    record::Record,
};

/// The networks of a configuration. What was allowed for a session counts in them, and each
/// connection is on `record`.
///
/// # Errors
/// A rule that names no host, a value of `[tools.shell]` that cannot be used.
pub(crate) fn networks(
    loaded: &LoadedConfig<HaftConfig>,
    gates: &Gates,
    redactor: &Shared<SecretRedactor>,
    record: Option<&Record>,
    parts: &mut PartList,
) -> Result<Arc<SessionNetworks>, LoadError> {
    let rules = parts.policy(loaded, "tools.permissions", |loaded| host_rules(&loaded.config.tools.permissions))?;
    let most_sent =
        parts.policy(loaded, "tools.shell", |loaded| Ok(loaded.config.tools.shell.compile()?.sent_per_host()))?;
    let networks = Arc::new(SessionNetworks::new(EgressSettings {
        rules,
        most_sent,
        allowed: Arc::clone(&gates.state.rules),
        approvals: loaded.config.tools.approvals.clone(),
        redactor: Arc::new(redactor.clone()),
        record: record.map(|record| Arc::clone(&record.audit)),
    }));
    parts.forget(&networks, SessionNetworks::end);
    Ok(networks)
}
