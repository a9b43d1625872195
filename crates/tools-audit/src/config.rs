//! The section `[tools.audit]`, and its conversion to a sink.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::{KeyFault, Layer, Redactor, Shared};

use crate::{Audit, AuditError, AuditSink, JsonlSink, RecordStore};

/// Treatment of a call that cannot be put on record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// It is refused, or its result withheld.
    #[default]
    Block,
    /// It goes on; the fault is logged and named in the warnings.
    Warn,
}

/// When lines are brought to the disk. Whatever it says, a line survives the end of the process,
/// however it ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fsync {
    /// Before the result is returned: a line survives a power cut, and a call takes milliseconds
    /// longer.
    Always,
    /// In the background: a power cut costs the lines of the last interval.
    #[default]
    Interval,
    /// When the system thinks fit.
    Never,
}

/// The audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AuditConfig {
    /// Whether calls are recorded in the audit log.
    #[schemars(extend("x-overlay" = true))]
    pub enabled: bool,
    /// The file of the audit log, one JSON object per line; a relative path starts in `haft` in the
    /// user's state folder.
    pub path: PathBuf,
    /// The `postgres://` address of a server that stores the audit log of several machines: each
    /// process writes its own chain there and notes the heads of the others. Needs a build with the
    /// feature `postgres`. Empty: the file in `tools.audit.path`.
    #[schemars(extend("x-applies" = "next_start"))]
    pub database: String,
    /// Treatment of calls that cannot be recorded: `"block"` refuses them, `"warn"` lets them run.
    #[schemars(extend("x-overlay" = ["warn", "block"]))]
    pub on_error: OnError,
    /// Size in bytes at which a new file of the audit log is started; the old one is kept under a
    /// numbered name. 0: never.
    pub max_bytes: u64,
    /// When lines of the audit log are written to disk: `"always"` before the result is returned
    /// (survives a power cut, costs milliseconds per call), `"interval"` in the background,
    /// `"never"` when the system decides. In every case a line survives a crash of the process.
    pub fsync: Fsync,
    /// Interval in milliseconds for `fsync = "interval"`.
    pub fsync_interval_ms: u64,
    /// A file to which each call is also written as an OpenTelemetry span in OTLP JSON; a relative
    /// path starts in `haft` in the user's state folder. Empty: none. Needs a build with the
    /// feature `otel`.
    pub otlp_file: PathBuf,
}

impl Default for AuditConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            path: PathBuf::from("audit.jsonl"),
            database: String::new(),
            on_error: OnError::default(),
            max_bytes: 64 * 1024 * 1024,
            fsync: Fsync::default(),
            fsync_interval_ms: 1000,
            otlp_file: PathBuf::new(),
        }
    }
}

/// An open record.
#[derive(Debug)]
pub struct Record {
    /// Storage of the record.
    pub store: Arc<dyn RecordStore>,
    /// The layer that writes it.
    pub audit: Arc<Audit>,
}

impl Record {
    /// The layer that records each call, and the one that notes it before it runs.
    pub fn layers(&self) -> [Arc<dyn Layer>; 2] {
        [Arc::clone(&self.audit) as _, self.audit.noting()]
    }
}

impl AuditConfig {
    /// The file, below `base` if it is relative.
    pub fn file(&self, base: &Path) -> PathBuf {
        base.join(&self.path)
    }

    /// Opens the record: `shared` if given, otherwise the file, which lies below `base` if it is
    /// relative. Each line names `digest`, the digest of the rules in force.
    ///
    /// # Errors
    /// When its files cannot be written.
    pub fn open(
        &self,
        base: &Path,
        shared: Option<Arc<dyn RecordStore>>,
        redactor: Arc<dyn Redactor>,
        digest: Shared<String>,
    ) -> Result<Record, KeyFault> {
        let fault = |key| move |error: AuditError| KeyFault::new(key, error.to_string());
        let store = match shared {
            Some(store) => store,
            None => Arc::new(self.compile(base).map_err(fault("path"))?),
        };
        let sink = self.exporting(base, Arc::clone(&store) as _).map_err(fault("otlp_file"))?;
        let audit = Audit::new(sink, redactor, self.on_error).with_policy(digest);
        Ok(Record { store, audit: Arc::new(audit.noting_in(self.running(base))) })
    }

    /// Every file of the record: the current one, the export, and the earlier parts. A relative
    /// path starts at `base`.
    pub fn files(&self, base: &Path) -> Vec<PathBuf> {
        let record = self.enabled.then(|| self.file(base));
        let of_record = record.into_iter().flat_map(|file| {
            let mut files = earlier(&file);
            files.extend([crate::head_file(&file), file]);
            files
        });
        of_record.chain(self.export_file(base)).chain([self.running(base)]).collect()
    }

    /// The folder with the lines of running calls; a relative path of the record starts at `base`.
    pub fn running(&self, base: &Path) -> PathBuf {
        self.file(base).with_extension("running")
    }

    /// The file that calls are exported to; `None` if there is no export.
    pub(crate) fn export_file(&self, base: &Path) -> Option<PathBuf> {
        (!self.otlp_file.as_os_str().is_empty()).then(|| base.join(&self.otlp_file))
    }

    /// The sink that also exports the lines stored by `sink`, if configured; a relative path starts
    /// at `base`.
    ///
    /// # Errors
    /// When the file cannot be written, or the build has no export.
    pub(crate) fn exporting(&self, base: &Path, sink: Arc<dyn AuditSink>) -> Result<Arc<dyn AuditSink>, AuditError> {
        let Some(file) = self.export_file(base) else { return Ok(sink) };
        #[cfg(feature = "otel")]
        return Ok(Arc::new(crate::OtlpSink::open(sink, &file)?));
        #[cfg(not(feature = "otel"))]
        {
            tracing::debug!(file = %file.display(), "no export in this build");
            Err(AuditError::NoExport)
        }
    }

    /// Opens the log; a relative path starts at `base`.
    ///
    /// # Errors
    /// When the file cannot be written: this is better reported at start than at the first call.
    pub fn compile(&self, base: &Path) -> Result<JsonlSink, AuditError> {
        let interval = Duration::from_millis(self.fsync_interval_ms);
        Ok(JsonlSink::open(self.file(base))?.rotating_at(self.max_bytes).syncing(self.fsync, interval))
    }
}

/// Files beside the record that hold earlier parts of it.
fn earlier(record: &Path) -> Vec<PathBuf> {
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
