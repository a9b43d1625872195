//! The gate of the network as a part of a toolbox: its rules follow the configuration.

use std::sync::Arc;

use tools_audit::Audit;
use tools_core::Shared;
use tools_policy::permissions::SessionRules;
use tools_secrets::SecretRedactor;

use super::{keeper::SharedKeeper, outlets::Outlets, rules::compile};
use crate::{
    config::{HaftConfig, LoadError, LoadedConfig},
    part::{Part, Swap},
};

impl Outlets {
    /// The networks of a configuration.
    ///
    /// # Errors
    /// A rule that names no host, a value of `[tools.shell]` that cannot be used.
    pub(crate) fn of(
        loaded: &LoadedConfig<HaftConfig>,
        allowed: Arc<SessionRules>,
        redactor: &Shared<SecretRedactor>,
        record: Option<Arc<Audit>>,
    ) -> Result<Self, LoadError> {
        Ok(Self::new(SharedKeeper {
            rules: Shared::new(compile(loaded)?),
            most_sent: Shared::new(most_sent(loaded)?),
            allowed,
            approvals: loaded.config.tools.approvals.clone(),
            redactor: Arc::new(redactor.clone()),
            record,
        }))
    }
}

fn most_sent(loaded: &LoadedConfig<HaftConfig>) -> Result<Option<u64>, LoadError> {
    let shell = loaded.config.tools.shell.compile();
    let shell = shell.map_err(|error| loaded.fault(&format!("tools.shell.{}", error.key), error.problem))?;
    Ok(shell.sent_per_host())
}

impl Part for Outlets {
    fn compile(self: Arc<Self>, _: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> {
        let (hosts, most_sent) = (compile(loaded)?, most_sent(loaded)?);
        Ok(Box::new(move || {
            self.common.rules.store(hosts);
            self.common.most_sent.store(most_sent);
        }))
    }
}
