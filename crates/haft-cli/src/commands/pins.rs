//! `haft pins review`: shows how servers changed their tools, and accepts the changes if a person
//! agrees.

use std::io::{self, BufRead, IsTerminal, Write};

use haft::core::{Redactor as _, VisibleText};
use haft::mcp_client::pins::{Finding, Found, difference, digest};
use serde_json::json;

use crate::args::CommonArgs;
use crate::commands::open::open;
use crate::commands::servers::{chosen, say_if_none};
use crate::exit::Exit;
use crate::output;

/// Shows the changes of one server, or of all. Accepts those whose code is given or that the person
/// at the terminal approves.
pub(crate) async fn review(common: &CommonArgs, id: Option<&str>, accept: Option<&str>) -> Result<Exit, String> {
    let toolbox = open(common)?;
    let launcher = toolbox.server_launcher().ok_or("tools are disabled: `tools.enabled` is false")?;
    let redactor = toolbox.config().tools.filters.security.redactor().map_err(|error| error.to_string())?;
    let servers = &toolbox.parts().servers;
    say_if_none(common, servers);
    let (mut exit, mut taken) = (Exit::Ok, false);
    for server in chosen(servers, id)? {
        let report = match servers.report(&server, &launcher, &toolbox.context()).await {
            Ok(report) => report,
            Err(error) => {
                output::note(&format!("haft: {error}"));
                exit = Exit::ToolFailed;
                continue;
            }
        };
        let is_unreviewed = |finding: &Finding| {
            let why = report.listing.held(&finding.tool);
            matches!(why, Some(haft::mcp_client::HoldReason::Because(_))) || finding.found == Found::Gone
        };
        let open: Vec<Finding> =
            report.listing.findings.iter().filter(|finding| is_unreviewed(finding)).cloned().collect();
        if open.is_empty() {
            if !common.json && !common.quiet {
                output::line(&format!("{}: nothing to review", server.id()));
            }
            continue;
        }
        let text: String = open.iter().map(difference).collect();
        // The code identifies what was shown: another list has another code.
        let code = digest(&json!([server.id(), text]))[..12].to_owned();
        if common.json {
            let tools: Vec<_> = open
                .iter()
                .map(|finding| json!({"tool": VisibleText::of(&finding.tool).as_str(), "why": finding.to_string()}))
                .collect();
            output::json(&json!({"server": server.id(), "code": code, "tools": tools}));
        } else {
            // The code is computed from the unredacted text: two credentials give two codes.
            output::line(&format!("{}\n{}", server.id(), redactor.redact(text.trim_end())));
        }
        if accept == Some(code.as_str()) || (accept.is_none() && !common.json && agreed()?) {
            servers.accept(&server, &open).map_err(|error| error.to_string())?;
            taken = true;
            output::line(&format!("{}: accepted", server.id()));
        } else {
            if accept.is_none() && !common.json {
                output::line(&format!("not accepted; to accept: `haft pins review {} --accept {code}`", server.id()));
            }
            exit = Exit::ApprovalWanted;
        }
    }
    servers.stop().await;
    if let Some(code) = accept.filter(|_| !taken) {
        return Err(format!("no server has changes with the code `{code}`; run `haft pins review` again"));
    }
    Ok(exit)
}

/// Whether the person at the terminal agrees; without one, no.
fn agreed() -> Result<bool, String> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Ok(false);
    }
    let failed = |error: io::Error| error.to_string();
    write!(io::stdout(), "Accept this? [y/N] ").and_then(|()| io::stdout().flush()).map_err(failed)?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(failed)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
