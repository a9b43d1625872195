//! `haft tools`: prints the catalog as a model would see it.

use std::{collections::HashMap, sync::Arc};

use haft::Toolbox;
use haft::audit::view;
use haft::catalog::{self, Dialect, canonical_bytes};
use haft::core::{ToolDef, ToolName};
use serde_json::Value;

use crate::args::{CommonArgs, Tools, ToolsFormat};
use crate::commands::open::{introduced, open_offering};
use crate::commands::record_file::RecordFile;
use crate::exit::Exit;
use crate::output;

/// Prints the tools in a format, or a report about them.
pub(crate) async fn run(common: &CommonArgs, verb: &Tools) -> Result<Exit, String> {
    let toolbox = introduced(open_offering(common, &verb.offer)?).await?;
    let tools = toolbox.offered();
    let calls = if verb.cost { calls(&toolbox).await? } else { HashMap::new() };
    let dialect = match (verb.dialect, verb.format) {
        (Some(dialect), _) => dialect,
        (None, ToolsFormat::Anthropic) => Dialect::Anthropic,
        (None, ToolsFormat::Openai) => Dialect::OpenAiChat,
        (None, ToolsFormat::Mcp) => Dialect::Mcp,
        (None, ToolsFormat::Prompt) => {
            output::line(catalog::prompt(&tools).trim_end());
            return Ok(Exit::Ok);
        }
        (None, ToolsFormat::Table) if !common.json => {
            if verb.cost {
                ranked(&tools, &calls);
            } else {
                table(&tools);
            }
            return Ok(Exit::Ok);
        }
        (None, ToolsFormat::Table | ToolsFormat::Json) => {
            list(&tools, tools.iter().map(|tool| catalog::json(tool)).collect(), verb.cost.then_some(&calls));
            return Ok(Exit::Ok);
        }
    };
    let rendered = dialect.render(&tools);
    if verb.report {
        if common.json {
            output::json(&rendered.report);
        } else if rendered.report.is_empty() {
            output::line(&format!("{dialect} expresses all of the {} tools", tools.len()));
        } else {
            let lines: Vec<String> = rendered.report.iter().map(|note| output::one_line(&note.to_string())).collect();
            output::line(&lines.join("\n"));
        }
    } else if verb.cost {
        list(&tools, rendered.tools, Some(&calls));
    } else {
        output::line(&rendered.bytes());
    }
    Ok(Exit::Ok)
}

/// Prints a value for each tool, with its cost and number of calls if given.
fn list(tools: &[Arc<ToolDef>], mut values: Vec<Value>, calls: Option<&HashMap<String, usize>>) {
    if let Some(calls) = calls {
        for (value, tool) in values.iter_mut().zip(tools) {
            value["tokens"] = tokens(tool).into();
            value["calls"] = calls.get(tool.name.as_str()).copied().unwrap_or_default().into();
        }
    }
    output::json(&values);
}

/// Number of recorded calls of each tool.
async fn calls(toolbox: &Toolbox) -> Result<HashMap<String, usize>, String> {
    let file = RecordFile::configured(toolbox.config()).await?;
    let mut calls = HashMap::new();
    if file.exists() {
        for row in view::rows(&file).map_err(|error| error.to_string())? {
            *calls.entry(row.tool).or_default() += 1;
        }
    }
    Ok(calls)
}

fn tokens(tool: &Arc<ToolDef>) -> usize {
    let rendered = Dialect::Anthropic.render(std::slice::from_ref(tool));
    catalog::estimate_tokens(&rendered.tools.first().map(canonical_bytes).unwrap_or_default())
}

fn table(tools: &[Arc<ToolDef>]) {
    for tool in tools {
        let traits = [
            (tool.traits.read_only, "read-only"),
            (tool.traits.destructive, "destructive"),
            (tool.traits.open_world, "open-world"),
        ];
        let traits: Vec<&str> = traits.iter().filter(|(holds, _)| *holds).map(|(_, word)| *word).collect();
        let about = tool.description.lines().next().unwrap_or_default();
        output::line(&format!("{:<18}  {:<24} {about}", tool.name.as_str(), traits.join(" ")));
    }
}

/// Prints the tools ranked by cost, the most expensive first.
fn ranked(tools: &[Arc<ToolDef>], calls: &HashMap<String, usize>) {
    let cost = |tool: &Arc<ToolDef>| (tokens(tool), tool.name.clone());
    let mut costs: Vec<(usize, ToolName)> = tools.iter().map(cost).collect();
    costs.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    output::line(&format!("{:<18}{:>8}{:>7}{:>8}", "tool", "tokens", "share", "calls"));
    let sum: usize = costs.iter().map(|(tokens, _)| tokens).sum();
    for (tokens, name) in &costs {
        let called = match calls.get(name.as_str()) {
            Some(count) => count.to_string(),
            None => "never".to_owned(),
        };
        let share = format!("{} %", (tokens * 100 + sum / 2) / sum.max(1));
        output::line(&format!("{:<18}{tokens:>8}{share:>7}{called:>8}", name.as_str()));
    }
    output::line(&format!("{:<18}{sum:>8}  tokens in all, estimated", "sum"));
}
