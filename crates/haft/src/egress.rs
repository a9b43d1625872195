//! The egress proxies of commands as a part of a toolbox: their rules follow the configuration.

use std::sync::Arc;

use tools_audit::Audit;
use tools_core::Shared;
use tools_egress_proxy::{EgressSettings, HostRules, SessionNetworks, host_rules};
use tools_policy::permissions::{NETWORK, SessionRules};
use tools_secrets::SecretRedactor;

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig},
    part::{Part, Swap},
};

/// The networks of a configuration.
///
/// # Errors
/// A rule that names no host, a value of `[tools.shell]` that cannot be used.
pub(crate) fn networks(
    loaded: &LoadedConfig<HaftConfig>,
    allowed: Arc<SessionRules>,
    redactor: &Shared<SecretRedactor>,
    record: Option<Arc<Audit>>,
) -> Result<SessionNetworks, LoadError> {
    let (rules, most_sent) = compile(loaded)?;
    Ok(SessionNetworks::new(EgressSettings {
        rules: Shared::new(rules),
        most_sent: Shared::new(most_sent),
        allowed,
        approvals: loaded.config.tools.approvals.clone(),
        redactor: Arc::new(redactor.clone()),
        record,
    }))
}

fn compile(loaded: &LoadedConfig<HaftConfig>) -> Result<(HostRules, Option<u64>), LoadError> {
    let tools = &loaded.config.tools;
    let rules = host_rules(&tools.permissions).map_err(|fault| {
        loaded.fault(&format!("tools.permissions.{NETWORK}[{}].pattern", fault.index), fault.problem)
    })?;
    let shell = tools.shell.compile();
    let shell = shell.map_err(|fault| loaded.fault_in("tools.shell", fault))?;
    Ok((rules, shell.sent_per_host()))
}

impl Part for SessionNetworks {
    fn compile(self: Arc<Self>, _: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> {
        let (rules, most_sent) = compile(loaded)?;
        Ok(Box::new(move || {
            self.settings().rules.store(rules);
            self.settings().most_sent.store(most_sent);
        }))
    }
}
