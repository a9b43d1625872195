//! `haft tools`: the catalog as a model would get it.

use std::sync::Arc;

use haft::{catalog, core::ToolDef};
use serde_json::Value;

use crate::{
    args::{Common, ToolsFormat},
    commands::open::open,
    exit::Exit,
    output,
};

/// Prints the tools in a shape.
pub(crate) fn run(common: &Common, format: ToolsFormat, cost: bool) -> Result<Exit, String> {
    let toolbox = open(common)?;
    let tools = toolbox.stack().listed();
    let shape: fn(&ToolDef) -> Value = match (format, common.json) {
        (ToolsFormat::Prompt, _) => {
            output::line(catalog::prompt(&tools).trim_end());
            return Ok(Exit::Ok);
        }
        (ToolsFormat::Table, false) => {
            table(&tools, cost);
            return Ok(Exit::Ok);
        }
        (ToolsFormat::Table, true) | (ToolsFormat::Json, _) => catalog::json,
        (ToolsFormat::Anthropic, _) => catalog::anthropic,
        (ToolsFormat::Openai, _) => catalog::openai,
        (ToolsFormat::Mcp, _) => catalog::mcp,
    };
    let mut list: Vec<Value> = tools.iter().map(|tool| shape(tool)).collect();
    if cost {
        for (value, tool) in list.iter_mut().zip(tools.iter()) {
            value["tokens"] = Value::from(tokens(tool));
        }
    }
    output::json(&list);
    Ok(Exit::Ok)
}

fn tokens(tool: &ToolDef) -> usize {
    catalog::estimate_tokens(&catalog::anthropic(tool).to_string())
}

fn table(tools: &[Arc<ToolDef>], cost: bool) {
    for tool in tools {
        let traits = [
            (tool.traits.read_only, "read-only"),
            (tool.traits.destructive, "destructive"),
            (tool.traits.open_world, "open-world"),
        ];
        let traits: Vec<&str> = traits.iter().filter(|(holds, _)| *holds).map(|(_, word)| *word).collect();
        let about = tool.description.lines().next().unwrap_or_default();
        let cost = if cost { format!("{:>6}", tokens(tool)) } else { String::new() };
        output::line(&format!("{:<18}{cost}  {:<24} {about}", tool.name.as_str(), traits.join(" ")));
    }
    if cost {
        let sum: usize = tools.iter().map(|tool| tokens(tool)).sum();
        output::line(&format!("{:<18}{sum:>6}  tokens in all, estimated", "sum"));
    }
}
