//! `haft trust`: unblocks tools that were blocked because they kept failing.

use haft::config::places;
use serde_json::json;

use crate::args::{CommonArgs, TrustVerb};
use crate::commands::open::open;
use crate::commands::policy::known_tool;
use crate::exit::Exit;
use crate::output;

pub(crate) fn run(common: &CommonArgs, verb: &TrustVerb) -> Result<Exit, String> {
    let TrustVerb::Reset { tool } = verb;
    let tool = known_tool(&open(common)?, tool)?;
    haft::policy::anomaly::ToolHealth::request_reset(&places::resets_dir(), &tool)
        .map_err(|error| format!("`{}` cannot be written: {error}", places::resets_dir().display()))?;
    output::done(common, &json!({"ok": true, "tool": tool}), &format!("`{tool}` is unblocked in all processes"));
    Ok(Exit::Ok)
}
