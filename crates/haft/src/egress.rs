//! The egress proxies of commands as a part of a toolbox: their rules follow the configuration.

use std::sync::Arc;

use tools_core::Shared;
use tools_egress_proxy::{EgressSettings, HostRules, SessionNetworks, host_rules};
use tools_policy::{Gates, permissions::NETWORK};
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
    let (rules, most_sent) = compile(loaded)?;
    let (rules, most_sent) = (Shared::new(rules), Shared::new(most_sent));
    let live = (rules.clone(), most_sent.clone());
    parts.follow(move |_, loaded| {
        let (live, (rules, most_sent)) = (live.clone(), compile(loaded)?);
        Ok(move || {
            live.0.store(rules);
            live.1.store(most_sent);
        })
    });
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

fn compile(loaded: &LoadedConfig<HaftConfig>) -> Result<(HostRules, Option<u64>), LoadError> {
    let tools = &loaded.config.tools;
    let rules = host_rules(&tools.permissions).map_err(|fault| {
        loaded.fault(&format!("tools.permissions.{NETWORK}[{}].pattern", fault.index), fault.problem)
    })?;
    let shell = tools.shell.compile().map_err(|fault| loaded.fault_in("tools.shell", fault))?;
    Ok((rules, shell.sent_per_host()))
}
