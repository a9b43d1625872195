//! `haft explain`: shows how a call would be decided, and by which rule. Runs nothing.

use std::io::{self, BufRead};

use haft::core::{ToolCall, ToolName, Verdict};
use haft::{Explanation, Toolbox};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::args::{CommonArgs, Explain};
use crate::commands::open::{open_for, open_introduced};
use crate::commands::parameters;
use crate::exit::Exit;
use crate::output::{self, one_line};

#[derive(Debug, Deserialize)]
struct Line {
    tool: String,
    #[serde(default)]
    params: Value,
}

/// Explains one call, or one per line of standard input.
pub(crate) async fn run(common: &CommonArgs, verb: &Explain) -> Result<Exit, String> {
    if verb.stdin {
        return lines(&open_introduced(common).await?, verb).await;
    }
    let tool = verb.tool.as_deref().unwrap_or_default();
    let toolbox = open_for(common, tool).await?;
    let definition = ToolName::parse(tool).ok().and_then(|name| toolbox.stack().definition(&name));
    let params = parameters::parse(&verb.params, definition.as_deref())?;
    let explanation = explain(&toolbox, tool, params, verb).await?;
    if common.json {
        output::json(&explanation);
    } else {
        output::line(&described(&explanation));
    }
    Ok(match explanation.verdict {
        Verdict::Allow => Exit::Ok,
        Verdict::Ask => Exit::ApprovalWanted,
        Verdict::Deny => Exit::Denied,
    })
}

async fn explain(toolbox: &Toolbox, tool: &str, params: Value, verb: &Explain) -> Result<Explanation, String> {
    let call = ToolCall::new(tool, params).map_err(|error| error.to_string())?;
    let cx = toolbox.context().capped(verb.trust.into());
    Ok(toolbox.explain(call, &cx).await)
}

async fn lines(toolbox: &Toolbox, verb: &Explain) -> Result<Exit, String> {
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| format!("standard input: {error}"))?;
        if line.trim().is_empty() {
            continue;
        }
        let explained = match serde_json::from_str::<Line>(&line) {
            Ok(line) => explain(toolbox, &line.tool, line.params, verb).await,
            Err(error) => Err(format!("not a valid call: {error}")),
        };
        match explained {
            Ok(explanation) => output::json(&explanation),
            Err(problem) => output::json(&json!({"tool": null, "verdict": "deny", "error": problem})),
        }
    }
    Ok(Exit::Ok)
}

fn described(explanation: &Explanation) -> String {
    let mut lines = vec![format!(
        "{}: {} — {} ({})",
        explanation.tool,
        word(explanation.verdict),
        one_line(&explanation.decided_by),
        explanation.layer
    )];
    for part in &explanation.subjects {
        lines.push(format!(
            "  {:<6} {:<50} {}",
            word(part.verdict),
            one_line(&part.subject.text()),
            one_line(&part.rule)
        ));
    }
    if let Some(rule) = &explanation.would_store {
        lines.push(format!("  \"always\" would store: {} \"{}\" = allow", rule.tool, one_line(&rule.pattern)));
    }
    if let Some(error) = &explanation.error {
        lines.push(format!("  {}", one_line(error)));
    }
    lines.join("\n")
}

/// Name of a verdict for people.
pub(crate) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Deny => "deny",
    }
}
