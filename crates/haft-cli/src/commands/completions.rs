//! `haft completions`: a completion script for a shell.

use clap::CommandFactory;
use clap_complete::Shell;
use serde_json::json;

use crate::{
    args::{Cli, Common},
    exit::Exit,
    output,
};

/// Prints the script.
pub(crate) fn run(common: &Common, shell: Shell) -> Result<Exit, String> {
    // Into memory first: the generator panics where nobody reads.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "haft", &mut script);
    let script = String::from_utf8(script).map_err(|error| error.to_string())?;
    if common.json {
        output::json(&json!({"shell": shell.to_string(), "script": script}));
    } else {
        output::line(script.trim_end());
    }
    Ok(Exit::Ok)
}
