//! The record of calls in a toolbox: where it is, and the layer that keeps it.

use std::{path::PathBuf, sync::Arc};

use tools_audit::{Audit, AuditSink};
use tools_core::{Layer, Shared};

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig, places},
    credentials::LiveRedactor,
    part::{Part, Swap},
    policy_digest,
};

/// The record of a toolbox.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) file: PathBuf,
    pub(crate) audit: Arc<Audit>,
    /// The digest of the rules in force, which every line names.
    policy: Shared<String>,
}

impl Record {
    /// Opens the record of a configuration; `None` where calls are not put on record.
    ///
    /// # Errors
    /// Whatever keeps its files from being written.
    pub(crate) fn open(loaded: &LoadedConfig<HaftConfig>, redactor: &LiveRedactor) -> Result<Option<Self>, LoadError> {
        let config = &loaded.config.tools.audit;
        if !config.enabled {
            return Ok(None);
        }
        let state = places::state_dir();
        let sink = config.compile(&state).map_err(|error| loaded.fault("tools.audit.path", error.to_string()))?;
        let file = sink.path().to_owned();
        let sink: Arc<dyn AuditSink> = Arc::new(sink);
        let exporting = config.exporting(&state, sink);
        let sink = exporting.map_err(|error| loaded.fault("tools.audit.otlp_file", error.to_string()))?;
        let policy = Shared::new(policy_digest(&loaded.config));
        let audit = Audit::new(sink, Arc::new(redactor.clone()), config.on_error).with_policy(policy.clone());
        Ok(Some(Self { file, audit: Arc::new(audit), policy }))
    }

    pub(crate) fn layer(&self) -> Arc<dyn Layer> {
        Arc::clone(&self.audit) as Arc<dyn Layer>
    }
}

impl Part for Record {
    fn compile(self: Arc<Self>, _: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> {
        let digest = policy_digest(&loaded.config);
        Ok(Box::new(move || self.policy.store(digest)))
    }
}

/// The file that calls are recorded in under `config`.
pub fn audit_file(config: &HaftConfig) -> PathBuf {
    places::state_dir().join(&config.tools.audit.path)
}

/// Every file of the record under `config`: what is written now, what is exported, and the parts
/// that were written before.
#[cfg(any(feature = "shell", feature = "file"))]
pub(crate) fn files(config: &HaftConfig) -> Vec<PathBuf> {
    let export = config.tools.audit.export_file(&places::state_dir());
    let record = config.tools.audit.enabled.then(|| audit_file(config));
    let of_record = record.into_iter().flat_map(|file| {
        let mut files = earlier(&file);
        files.extend([tools_audit::head_file(&file), file]);
        files
    });
    of_record.chain(export).collect()
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
