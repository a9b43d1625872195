//! The record of calls in a toolbox: where it is, and the layer that keeps it.

use std::{path::PathBuf, sync::Arc};

use tools_audit::{Audit, RecordStore};
use tools_core::{Layer, Shared};
use tools_secrets::SecretRedactor;

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig, places, policy_digest},
    part::{Part, Swap},
};

/// The record of a toolbox.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) store: Arc<dyn RecordStore>,
    pub(crate) audit: Arc<Audit>,
    /// The digest of the rules in force, which every line names.
    policy: Shared<String>,
}

impl Record {
    /// Opens the record of a configuration; `None` where calls are not put on record.
    ///
    /// # Errors
    /// Whatever keeps its files from being written.
    pub(crate) fn open(
        loaded: &LoadedConfig<HaftConfig>,
        redactor: &Shared<SecretRedactor>,
    ) -> Result<Option<Self>, LoadError> {
        let config = &loaded.config.tools.audit;
        if !config.enabled {
            return Ok(None);
        }
        let state = places::state_dir();
        let store: Arc<dyn RecordStore> = if config.database.is_empty() {
            let sink = config.compile(&state).map_err(|error| loaded.fault("tools.audit.path", error.to_string()))?;
            Arc::new(sink)
        } else {
            database(&config.database).map_err(|problem| loaded.fault("tools.audit.database", problem))?
        };
        let exporting = config.exporting(&state, Arc::clone(&store) as _);
        let sink = exporting.map_err(|error| loaded.fault("tools.audit.otlp_file", error.to_string()))?;
        let policy = Shared::new(policy_digest(&loaded.config));
        let audit = Audit::new(sink, Arc::new(redactor.clone()), config.on_error).with_policy(policy.clone());
        let audit = audit.noting_in(config.running(&state));
        Ok(Some(Self { store, audit: Arc::new(audit), policy }))
    }

    pub(crate) fn layer(&self) -> Arc<dyn Layer> {
        Arc::clone(&self.audit) as Arc<dyn Layer>
    }

    /// What notes a call right before it runs.
    pub(crate) fn noting(&self) -> Arc<dyn Layer> {
        self.audit.noting()
    }
}

impl Part for Record {
    fn compile(self: Arc<Self>, _: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> {
        let digest = policy_digest(&loaded.config);
        Ok(Box::new(move || self.policy.store(digest)))
    }
}

/// The one chain of this process in the database at an address.
#[cfg(feature = "postgres")]
fn database(address: &str) -> Result<Arc<dyn RecordStore>, String> {
    let sink = tools_team::shared(address, tools_team::audit::PostgresSink::at);
    sink.map(|sink| sink as Arc<dyn RecordStore>).map_err(|error| error.to_string())
}

#[cfg(not(feature = "postgres"))]
fn database(_: &str) -> Result<Arc<dyn RecordStore>, String> {
    Err(crate::databases::NO_SERVERS.to_owned())
}

/// The record in the database that `config` names, for those who read it; `None` where it is in a
/// file.
///
/// # Errors
/// When `tools.audit.database` is no address that this program can use.
#[cfg(feature = "postgres")]
pub fn audit_database(config: &HaftConfig) -> Result<Option<tools_team::audit::AuditDatabase>, String> {
    let address = &config.tools.audit.database;
    if address.is_empty() {
        return Ok(None);
    }
    let database = tools_team::audit::AuditDatabase::at(address);
    database.map(Some).map_err(|_| format!("`tools.audit.database`: {}", crate::databases::NO_ADDRESS))
}

/// The file that calls are recorded in under `config`.
pub fn audit_file(config: &HaftConfig) -> PathBuf {
    places::state_dir().join(&config.tools.audit.path)
}
