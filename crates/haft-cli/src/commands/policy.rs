//! `haft policy`: tests rules by their own examples, and manages approvals that outlast a session.

use haft::Toolbox;
use haft::core::{StoredRule, ToolName, did_you_mean, nearest};
use haft::policy::permissions::Scope;
use serde_json::json;

use crate::args::{CommonArgs, PolicyVerb};
use crate::commands::open::{open, open_with};
use crate::commands::{explain, replay, suggest};
use crate::exit::Exit;
use crate::output::{self, one_line};

pub(crate) async fn run(common: &CommonArgs, verb: &PolicyVerb) -> Result<Exit, String> {
    match verb {
        PolicyVerb::Check(verb) => explain::run(common, verb).await,
        PolicyVerb::Replay { audit, all } => replay::run(common, audit.as_deref(), *all).await,
        PolicyVerb::Suggest { audit, most } => suggest::run(common, audit.as_deref(), *most).await,
        PolicyVerb::Test => test(common).await,
        PolicyVerb::Approvals => approvals(common).await,
        PolicyVerb::Allow { tool, pattern, everywhere, days } => allow(common, tool, pattern, *everywhere, *days).await,
        PolicyVerb::Revoke { numbers, all } => revoke(common, numbers, *all).await,
    }
}

async fn test(common: &CommonArgs) -> Result<Exit, String> {
    let toolbox = open(common)?;
    let tested =
        toolbox.parts().gates.tested(&toolbox.config().tools.permissions, toolbox.stack(), &toolbox.context()).await;
    let failed = tested.iter().filter(|example| example.problem.is_some()).count();
    for example in &tested {
        if common.json {
            output::json(example);
        } else if let Some(problem) = &example.problem {
            output::line(&format!("{}: {:?}: {}", example.rule, example.example, one_line(problem)));
        }
    }
    if !common.json {
        output::line(&format!("{} examples, {failed} failed", tested.len()));
    }
    Ok(if failed == 0 { Exit::Ok } else { Exit::ToolFailed })
}

async fn approvals(common: &CommonArgs) -> Result<Exit, String> {
    let approvals = open(common)?.parts().gates.approvals().await.map_err(|error| error.to_string())?;
    if approvals.is_empty() && !common.json && !common.quiet {
        output::note("no stored approvals");
    }
    for (number, approved) in approvals.iter().enumerate() {
        let number = number + 1;
        if common.json {
            output::json(&json!({"number": number, "approval": approved}));
            continue;
        }
        let reach = match &approved.scope {
            Scope::Project { project } => one_line(&project.to_string_lossy()),
            Scope::User => "everywhere".to_owned(),
        };
        let until = approved.expires.map_or_else(|| "for ever".to_owned(), |until| format!("until {until:.0}"));
        let rejects = if approved.rejects { "rejected, " } else { "" };
        let whose = approved.caller.as_ref().map(|caller| format!(", of {caller} alone")).unwrap_or_default();
        output::line(&format!(
            "{number:>3}  {:<12} {:<40} {rejects}{until}  {reach}{whose}",
            approved.tool,
            one_line(&approved.pattern)
        ));
    }
    Ok(Exit::Ok)
}

async fn allow(
    common: &CommonArgs,
    tool: &str,
    pattern: &str,
    everywhere: bool,
    days: Option<u64>,
) -> Result<Exit, String> {
    let toolbox = open_with(common, |mut config| {
        config.tools.approvals.days = days.unwrap_or(config.tools.approvals.days);
        config
    })?;
    let tool = known_tool(&toolbox, tool)?;
    let scope = if everywhere { Scope::User } else { Scope::Project { project: toolbox.workdir().to_owned() } };
    let reach = if everywhere { "everywhere".to_owned() } else { format!("in {}", toolbox.workdir().display()) };
    let until = match toolbox.config().tools.approvals.days {
        0 => "for ever".to_owned(),
        days => format!("for {days} days"),
    };
    let said = format!("allowed {reach}, {until}: {tool} calls that match {}", one_line(pattern));
    let rule = StoredRule::new(tool, pattern);
    toolbox
        .parts()
        .gates
        .allow(rule, scope)
        .await
        .map_err(|error| format!("the approval cannot be stored: {error}"))?;
    if common.json {
        output::json(&json!({"ok": true}));
    } else if !common.quiet {
        output::note(&said);
    }
    Ok(Exit::Ok)
}

/// Checks that the tool exists. Tools of MCP servers may still be unknown.
pub(crate) fn known_tool(toolbox: &Toolbox, tool: &str) -> Result<ToolName, String> {
    let name = ToolName::parse(tool).map_err(|error| error.to_string())?;
    if tool.starts_with("mcp_") || toolbox.stack().definition(&name).is_some() {
        return Ok(name);
    }
    let definitions = toolbox.stack().definitions();
    let near = nearest(tool, definitions.iter().map(|definition| definition.name.as_str()));
    let hint = did_you_mean(&near).unwrap_or_else(|| "`haft tools` lists them".to_owned());
    Err(format!("there is no tool `{name}`; {hint}"))
}

async fn revoke(common: &CommonArgs, numbers: &[usize], all: bool) -> Result<Exit, String> {
    let toolbox = open(common)?;
    let approvals = toolbox.parts().gates.approvals().await.map_err(|error| error.to_string())?;
    let chosen: Vec<_> = if all {
        approvals
    } else {
        let one = |number: &usize| {
            let found = number.checked_sub(1).and_then(|index| approvals.get(index));
            found.cloned().ok_or_else(|| format!("there is no approval {number}; `haft policy approvals` lists them"))
        };
        numbers.iter().map(one).collect::<Result<_, _>>()?
    };
    let mut count = 0_usize;
    for approved in chosen {
        toolbox
            .parts()
            .gates
            .revoke(approved)
            .await
            .map_err(|error| format!("the approval cannot be revoked: {error}"))?;
        count += 1;
    }
    if common.json {
        output::json(&json!({"ok": true, "revoked": count}));
    } else if !common.quiet {
        output::note(&format!("revoked: {count}"));
    }
    Ok(Exit::Ok)
}
