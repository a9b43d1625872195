//! `haft audit report`: writes the record as one HTML page.

use std::io::{self, IsTerminal};
use std::path::Path;

use haft::audit::report::{Options, page};
use haft::config::places;
use serde_json::json;

use crate::{args::CommonArgs, commands::open::workdir, exit::Exit, output};

/// Default file name of the page.
const USUAL: &str = "haft-report.html";

/// Writes the page of `log`; with `of_folder`, only the calls in the working directory.
pub(super) fn write(
    common: &CommonArgs,
    log: &Path,
    out: Option<&Path>,
    calls: usize,
    of_folder: bool,
) -> Result<Exit, String> {
    let folder = if of_folder { Some(workdir(common)?) } else { None };
    let options = Options { calls, session: common.session.clone(), folder };
    let page = page(log, &options).map_err(|error| error.to_string())?;
    let to_stdout = out.map_or_else(|| !common.json && !io::stdout().is_terminal(), |out| out == Path::new("-"));
    if to_stdout {
        output::line(page.trim_end());
        return Ok(Exit::Ok);
    }
    let base = common.workdir.as_deref().unwrap_or(Path::new("."));
    // By default not in the working directory: the page contains output and could be committed
    // there.
    let out = out.map_or_else(|| places::state_dir().join(USUAL), |out| base.join(out));
    std::fs::write(&out, page).map_err(|error| format!("`{}`: {error}", out.display()))?;
    let shown = out.canonicalize().unwrap_or(out);
    if common.json {
        output::json(&json!({"file": shown.to_string_lossy()}));
    } else {
        output::line(&shown.display().to_string());
    }
    Ok(Exit::Ok)
}
