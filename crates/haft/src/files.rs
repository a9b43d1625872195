//! The file tools in a toolbox: their policy, and what it is held to beside its own section.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::Arc,
};

use tools_core::{DynExecutor, Shared};
use tools_file::{FilePolicy, SeenFiles};
use tools_sandbox::{PathError, ReadRules, ReservedFiles, folder_hint, home};
use tools_secrets::SecretsMode;

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig, paths, places},
    credentials, own_places,
    part::PartList,
    wiring::Wiring,
};

/// The policy of one set of file tools.
#[derive(Debug)]
pub(crate) struct Files {
    wiring: Arc<Wiring>,
    workdir: PathBuf,
    policy: Shared<FilePolicy>,
    seen: SeenFiles,
}

impl Files {
    /// Those of a configuration, for calls from `workdir`, that may not write what is `reserved`,
    /// nor read what `rules`, the read rules of the configuration, and `private` close.
    ///
    /// # Errors
    /// A root that cannot be opened.
    pub(crate) fn new(
        wiring: &Arc<Wiring>,
        loaded: &LoadedConfig<HaftConfig>,
        workdir: &Path,
        rules: &ReadRules,
        (reserved, private): (&[PathBuf], &[PathBuf]),
    ) -> Result<Self, LoadError> {
        let policy = Shared::new(compile(wiring, loaded, workdir, rules, (reserved, private))?);
        Ok(Self { wiring: Arc::clone(wiring), workdir: workdir.to_owned(), policy, seen: SeenFiles::default() })
    }

    /// Follows other configurations, and forgets sessions.
    pub(crate) fn kept_in_step(self: &Arc<Self>, parts: &mut PartList) {
        let files = Arc::clone(self);
        parts.follow(move |loaded| {
            let rules = paths::read_rules(loaded, &files.workdir)?;
            let (reserved, private) = (files.wiring.reserved.now(), own_places::private(&loaded.config));
            let policy = compile(&files.wiring, loaded, &files.workdir, &rules, (&reserved, &private))?;
            let live = files.policy.clone();
            Ok(move || live.store(policy))
        });
        parts.forget(self, |files, session| files.seen.forget(session));
    }

    #[cfg(any(feature = "code", feature = "diagnostics"))]
    pub(crate) fn policy(&self) -> &Shared<FilePolicy> {
        &self.policy
    }

    pub(crate) fn executors(&self) -> Vec<DynExecutor> {
        tools_file::executors_over(self.policy.clone(), &self.seen)
    }
}

fn compile(
    wiring: &Wiring,
    loaded: &LoadedConfig<HaftConfig>,
    workdir: &Path,
    rules: &ReadRules,
    (reserved, private): (&[PathBuf], &[PathBuf]),
) -> Result<FilePolicy, LoadError> {
    let (config, section) = (&loaded.config, &loaded.config.tools.file);
    let files = section.compile_under(workdir, home().as_deref(), rules.clone()).map_err(|error| {
        let near = match &error {
            PathError::Root { path, source } if source.kind() == ErrorKind::NotFound => folder_hint(path),
            _ => String::new(),
        };
        loaded.fault(&section.key_of(&error, workdir, home().as_deref()), format!("{error}{near}"))
    })?;
    let files = files.closing(private).reserving(ReservedFiles::new(reserved));
    #[cfg(feature = "policy")]
    let files = files.closing_by_tool(closing(&wiring.gates));
    let files = files.spelled(&wiring.spellings);
    let files = match credentials::security(config).mode() {
        SecretsMode::Redact => files.redacting(Arc::new(wiring.credentials.redactor().clone())),
        SecretsMode::Warn | SecretsMode::Off => files,
    };
    Ok(files.recording(&places::state_dir().join("unfinished")))
}

/// What gates refuse a file tool to read, asked anew for each call.
#[cfg(feature = "policy")]
fn closing(gates: &Arc<tools_policy::Gates>) -> tools_file::PathRestriction {
    let gates = Arc::clone(gates);
    tools_file::PathRestriction::new(move |tool, workdir| {
        let closed = gates.closes(tool, workdir);
        (!closed.is_empty()).then(|| {
            Arc::new(move |path: &Path| closed.iter().any(|one| (one.denies)(path)))
                as Arc<dyn Fn(&Path) -> bool + Send + Sync>
        })
    })
}

/// The folders that people spell otherwise than the system does.
pub(crate) fn spellings(spelled: Option<PathBuf>, config: &HaftConfig, workdir: &Path) -> Vec<(PathBuf, PathBuf)> {
    let allowed = paths::of_files(config, workdir);
    let both = spelled.into_iter().chain(allowed).filter_map(|path| Some((path.clone(), path.canonicalize().ok()?)));
    both.filter(|(spelled, canonical)| spelled.is_absolute() && spelled != canonical).collect()
}
