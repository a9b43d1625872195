//! Sets up the file tools of a toolbox: the restrictions on their policy from other sections.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tools_core::{DynExecutor, Shared};
use tools_file::{FilePolicy, SeenFiles};
use tools_sandbox::{ReadRules, ReservedFiles, home};
use tools_secrets::SecretsMode;

use crate::config::{LoadError, LoadedConfig, own_places, paths, places};
use crate::part::PartList;
use crate::parts::Parts;

/// The file tools and their policy, for calls from `workdir`. They may not write `reserved` paths,
/// nor read what `rules` (the configured read rules) and `private` close. They follow configuration
/// changes and forget ended sessions.
pub(crate) fn tools(
    shared: &Arc<Parts>,
    loaded: &LoadedConfig,
    workdir: &Path,
    rules: &ReadRules,
    (reserved, private): (&[PathBuf], &[PathBuf]),
    parts: &mut PartList,
) -> Result<(Shared<FilePolicy>, Vec<DynExecutor>), LoadError> {
    let policy = Shared::new(compile(shared, loaded, workdir, rules, (reserved, private))?);
    let seen = Arc::new(SeenFiles::default());
    let (shared, live, workdir) = (Arc::clone(shared), policy.clone(), workdir.to_owned());
    parts.live.follow(move |loaded| {
        let rules = paths::read_rules(loaded, &workdir)?;
        let (reserved, private) = (shared.reserved.now(), own_places::private(&loaded.config));
        let policy = compile(&shared, loaded, &workdir, &rules, (&reserved, &private))?;
        let live = live.clone();
        Ok(move || live.store(policy))
    });
    parts.ends.register(&seen, SeenFiles::forget);
    let tools = tools_file::executors_over(policy.clone(), &seen);
    Ok((policy, tools))
}

fn compile(
    shared: &Parts,
    loaded: &LoadedConfig,
    workdir: &Path,
    rules: &ReadRules,
    (reserved, private): (&[PathBuf], &[PathBuf]),
) -> Result<FilePolicy, LoadError> {
    let (section, home) = (&loaded.config.tools.file, home());
    let files = section.compile_under(workdir, home.as_deref(), rules.clone()).map_err(|error| {
        let fault = section.fault(&error, workdir, home.as_deref());
        loaded.fault(&fault.key, fault.problem)
    })?;
    let files = files.closing(private).reserving(ReservedFiles::new(reserved));
    #[cfg(feature = "policy")]
    let files = {
        let gates = Arc::clone(&shared.gates);
        files.closing_by_tool(tools_file::PathRestriction::new(move |tool, workdir| gates.denies(tool, workdir)))
    };
    let files = files.spelled(&shared.spellings);
    let files = match loaded.config.security().mode() {
        SecretsMode::Redact => files.redacting(Arc::new(shared.credentials.redactor().clone())),
        SecretsMode::Warn | SecretsMode::Off => files,
    };
    Ok(files.recording(&places::state_dir().join("unfinished")))
}
