//! `tool_search`: finds tools that a long list does not show, and shows them from then on.

use std::{fmt::Write as _, sync::Arc};

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::{
    CallContext, Inspection, Tool, ToolDef, ToolError, ToolKind, ToolOutput, ToolTraits, Typed, canonical_json,
};

use super::{SessionLists, lists::SEARCH};

/// Default number of tools that one search finds.
const USUAL: usize = 5;
/// Maximum number of tools that one search finds.
const MAX_HITS: usize = 20;

/// Finds tools that are not in your list, by what they do, and adds them to it. Use it when no
/// listed tool fits the task.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// What the tool should do, in a few words, or names of tools separated by commas.
    query: String,
    /// How many tools at most (default 5, at most 20).
    #[serde(default)]
    limit: Option<usize>,
}

/// The tool `tool_search`.
#[derive(Debug)]
pub struct ToolSearch {
    lists: Arc<SessionLists>,
}

impl ToolSearch {
    /// The tool over these lists.
    pub fn new(lists: Arc<SessionLists>) -> Self {
        Self { lists }
    }

    /// The tool as an executor.
    pub fn into_executor(self) -> Typed<Self> {
        Typed::new(self)
    }
}

impl Tool for ToolSearch {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        // The result depends on the session and the tools, not on files: never cache it.
        let traits = ToolTraits { cacheable: false, ..ToolTraits::READ_ONLY };
        ToolDef::of::<Args>(SEARCH, ToolKind::Search, traits).titled("Find tools")
    }

    async fn inspect(&self, _: &Args, _: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::read_only())
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let found = self.lists.search(cx.session(), &args.query, args.limit.unwrap_or(USUAL).clamp(1, MAX_HITS));
        if found.is_empty() {
            return Ok(ToolOutput::text("No tool fits. Say what it should do in other words."));
        }
        let mut text = format!("{} tools, in your list from now on:\n", found.len());
        for tool in &found {
            // Writing to a `String` cannot fail.
            let _ = writeln!(
                text,
                "\n{}: {}\nparameters: {}",
                tool.name,
                tool.description.trim(),
                canonical_json(tool.input.as_value())
            );
        }
        Ok(ToolOutput::text(text))
    }
}
