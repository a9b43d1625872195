//! `haft man DIR`: the manual pages, one per verb, from the same tree of arguments as the help
//! texts.

use std::{fs, path::Path};

use clap::CommandFactory;

use crate::{args::Cli, exit::Exit};

/// Writes the pages.
pub(crate) fn run(dir: &Path) -> Result<Exit, String> {
    let failed = |error: std::io::Error| format!("`{}`: {error}", dir.display());
    fs::create_dir_all(dir).map_err(failed)?;
    clap_mangen::generate_to(Cli::command(), dir).map_err(failed)?;
    Ok(Exit::Ok)
}
