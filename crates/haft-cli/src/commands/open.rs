//! From the common options to a toolbox: the one place where configuration becomes running code.

use std::path::{Path, PathBuf};

use haft::{
    Toolbox,
    config::{HaftConfig, Loaded, places},
    core::SessionId,
};

use crate::args::Common;

/// Builds the toolbox that every verb works on.
pub(crate) fn open(common: &Common) -> Result<Toolbox, String> {
    open_with(common, |config| config)
}

/// The same, with the configuration changed by what else was typed.
pub(crate) fn open_with(common: &Common, change: impl FnOnce(HaftConfig) -> HaftConfig) -> Result<Toolbox, String> {
    let mut loaded = load(common)?;
    loaded.config = change(loaded.config);
    let mut builder = Toolbox::builder(loaded).workdir(workdir(common)?).beside(places::config_file());
    if let Some(session) = &common.session {
        builder = builder.session(SessionId::parse(session).map_err(|error| error.to_string())?);
    }
    builder.build().map_err(|error| error.to_string())
}

/// Reads the configuration: the named file, else the user's if there is one, else defaults.
pub(crate) fn load(common: &Common) -> Result<Loaded<HaftConfig>, String> {
    let environment = |name: &str| std::env::var(name).ok();
    let usual = places::config_file().filter(|file| file.is_file());
    let loaded = match common.config.as_ref().or(usual.as_ref()) {
        Some(file) => Loaded::read(file, &environment),
        None => Loaded::parse("", &environment),
    };
    loaded.map_err(|error| error.to_string())
}

/// The folder that relative paths start from.
pub(crate) fn workdir(common: &Common) -> Result<PathBuf, String> {
    let dir = common.workdir.as_deref().unwrap_or(Path::new("."));
    let dir = dir.canonicalize().map_err(|error| format!("working directory `{}`: {error}", dir.display()))?;
    if dir.is_dir() { Ok(dir) } else { Err(format!("working directory `{}` is no directory", dir.display())) }
}
