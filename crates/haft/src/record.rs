//! The record of calls in a toolbox: where it is, and the layer that keeps it.

use std::{path::PathBuf, sync::Arc};

use tools_audit::{Audit, AuditSink};
use tools_core::{Layer, Shared};
use tools_secrets::SecretRedactor;

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig, places},
    part::{Part, Swap},
    policy_digest,
};

/// Where calls are recorded.
#[derive(Debug, Clone)]
pub(crate) enum RecordPlace {
    File(PathBuf),
    /// A database that several machines share, and the chain of this process in it.
    #[cfg(feature = "postgres")]
    Database(
        #[cfg_attr(not(feature = "mcp"), expect(dead_code, reason = "only the resource of a session reads it"))]
        Arc<tools_team::audit::AuditDatabase>,
        String,
    ),
}

impl std::fmt::Display for RecordPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(file) => file.display().fmt(f),
            #[cfg(feature = "postgres")]
            Self::Database(_, chain) => write!(f, "PostgreSQL (`tools.audit.database`), chain {chain}"),
        }
    }
}

/// The record of a toolbox.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) place: RecordPlace,
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
        let (place, sink): (_, Arc<dyn AuditSink>) = if config.database.is_empty() {
            let sink = config.compile(&state).map_err(|error| loaded.fault("tools.audit.path", error.to_string()))?;
            (RecordPlace::File(sink.path().to_owned()), Arc::new(sink))
        } else {
            database(&config.database).map_err(|problem| loaded.fault("tools.audit.database", problem))?
        };
        let exporting = config.exporting(&state, sink);
        let sink = exporting.map_err(|error| loaded.fault("tools.audit.otlp_file", error.to_string()))?;
        let policy = Shared::new(policy_digest(&loaded.config));
        let audit = Audit::new(sink, Arc::new(redactor.clone()), config.on_error).with_policy(policy.clone());
        let audit = audit.noting_in(running(&loaded.config));
        Ok(Some(Self { place, audit: Arc::new(audit), policy }))
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
fn database(address: &str) -> Result<(RecordPlace, Arc<dyn AuditSink>), String> {
    use tools_team::audit::{AuditDatabase, PostgresSink};

    let failed = |error| format!("{error}");
    let database = crate::team::shared(address, AuditDatabase::at).map_err(failed)?;
    let sink = crate::team::shared(address, PostgresSink::at).map_err(failed)?;
    let place = RecordPlace::Database(database, sink.chain().to_owned());
    Ok((place, sink))
}

#[cfg(not(feature = "postgres"))]
fn database(_: &str) -> Result<(RecordPlace, Arc<dyn AuditSink>), String> {
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

/// The folder in which the lines of running calls lie under `config`.
fn running(config: &HaftConfig) -> PathBuf {
    audit_file(config).with_extension("running")
}

/// Every file of the record under `config`: what is written now, what is exported, the parts that
/// were written before, and what is running.
#[cfg(any(feature = "shell", feature = "file"))]
pub(crate) fn files(config: &HaftConfig) -> Vec<PathBuf> {
    let export = config.tools.audit.export_file(&places::state_dir());
    let record = config.tools.audit.enabled.then(|| audit_file(config));
    let of_record = record.into_iter().flat_map(|file| {
        let mut files = earlier(&file);
        files.extend([tools_audit::head_file(&file), file]);
        files
    });
    of_record.chain(export).chain([running(config)]).collect()
}

/// Files beside the record that hold earlier parts of it.
#[cfg(any(feature = "shell", feature = "file"))]
fn earlier(record: &std::path::Path) -> Vec<PathBuf> {
    let (Some(folder), Some(stem)) = (record.parent(), record.file_stem().and_then(|stem| stem.to_str())) else {
        return vec![];
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let prefix = format!("{stem}-");
    let is_earlier = |path: &PathBuf| {
        path.extension() == record.extension()
            && path.file_stem().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(&prefix))
    };
    entries.filter(is_earlier).collect()
}
