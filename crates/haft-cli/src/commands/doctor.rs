//! `haft doctor`: what works on this machine, and what is not stopped.

use crate::{args::Common, commands::open::open, exit::Exit, output};

/// Looks and prints.
pub(crate) fn run(common: &Common) -> Result<Exit, String> {
    let report = open(common)?.doctor();
    if common.json {
        output::json(&report);
    } else {
        for line in report.lines() {
            output::line(&line);
        }
    }
    Ok(if report.is_usable() { Exit::Ok } else { Exit::ToolFailed })
}
