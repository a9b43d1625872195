//! The record of calls in a toolbox: where it is, and the layer that keeps it.

use std::{path::PathBuf, sync::Arc};

use tools_audit::{Audit, RecordStore};
use tools_core::{Layer, Shared};
use tools_secrets::SecretRedactor;

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig, places},
    part::PartList,
};

/// The record of a toolbox.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) store: Arc<dyn RecordStore>,
    pub(crate) audit: Arc<Audit>,
}

/// Opens the record of a configuration; `None` where calls are not put on record. Each line names
/// `digest`, that of the rules in force.
///
/// # Errors
/// Whatever keeps its files from being written.
pub(crate) fn open(
    loaded: &LoadedConfig<HaftConfig>,
    redactor: &Shared<SecretRedactor>,
    digest: &Shared<String>,
    parts: &mut PartList,
) -> Result<Option<Record>, LoadError> {
    let config = &loaded.config.tools.audit;
    if !config.enabled {
        return Ok(None);
    }
    let state = places::state_dir();
    let store = store(loaded)?;
    let sink = config.exporting(&state, Arc::clone(&store) as _);
    let sink = sink.map_err(|error| loaded.fault("tools.audit.otlp_file", error.to_string()))?;
    let audit = Audit::new(sink, Arc::new(redactor.clone()), config.on_error).with_policy(digest.clone());
    let audit = Arc::new(audit.noting_in(config.running(&state)));
    parts.layers.extend([Arc::clone(&audit) as Arc<dyn Layer>, audit.noting()]);
    Ok(Some(Record { store, audit }))
}

/// Where the lines go: a chain of this process in a database, or a file.
fn store(loaded: &LoadedConfig<HaftConfig>) -> Result<Arc<dyn RecordStore>, LoadError> {
    let config = &loaded.config.tools.audit;
    #[cfg(feature = "postgres")]
    {
        let key = "tools.audit.database";
        let sink = tools_team::audit::PostgresSink::at;
        if let Some(sink) = crate::databases::shared(loaded, key, &config.database, sink)? {
            return Ok(sink);
        }
    }
    let file = config.compile(&places::state_dir());
    Ok(Arc::new(file.map_err(|error| loaded.fault("tools.audit.path", error.to_string()))?))
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
    database.map(Some).map_err(|error| format!("`tools.audit.database`: {error}"))
}

/// The file that calls are recorded in under `config`.
pub fn audit_file(config: &HaftConfig) -> PathBuf {
    places::state_dir().join(&config.tools.audit.path)
}
