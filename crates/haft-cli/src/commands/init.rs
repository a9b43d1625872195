//! `haft init`: rules for a project that has none. Prints them; writes only where nothing is.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::PathBuf,
};

use haft::{
    config::places,
    init::{ProjectKind, detect, propose},
};

use crate::{
    args::{Common, Kind},
    commands::open::workdir,
    exit::Exit,
    output,
};

/// Proposes rules for the project in the working directory.
pub(crate) fn run(common: &Common, kinds: &[Kind], write: bool) -> Result<Exit, String> {
    let kinds: Vec<ProjectKind> = match kinds {
        [] => detect(&workdir(common)?),
        named => named.iter().map(|kind| ProjectKind::from(*kind)).collect(),
    };
    let text = propose(&kinds);
    if !write {
        output::text(&text);
        return Ok(Exit::Ok);
    }
    let file = common.config.clone().or_else(places::config_file);
    let file: PathBuf = file.ok_or("there is no home to write a configuration to; name a file with `--config`")?;
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(|error| format!("`{}`: {error}", folder.display()))?;
    }
    let made = OpenOptions::new().write(true).create_new(true).open(&file);
    let mut made = made.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            format!("`{}` is there already; `haft init` without `--write` prints the rules", file.display())
        }
        _ => format!("`{}`: {error}", file.display()),
    })?;
    made.write_all(text.as_bytes()).map_err(|error| format!("`{}`: {error}", file.display()))?;
    if !common.quiet {
        output::line(&format!("wrote `{}`; `haft config check` reads it", file.display()));
    }
    Ok(Exit::Ok)
}

impl From<Kind> for ProjectKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Rust => Self::Rust,
            Kind::Node => Self::Node,
            Kind::Python => Self::Python,
        }
    }
}
