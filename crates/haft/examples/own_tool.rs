//! A tool of your own beside the built-in ones. Its calls pass the same gates and stand on the same
//! record: `cargo run -p haft --example own_tool`.

use std::collections::BTreeMap;

use haft::Toolbox;
use haft::config::LoadedConfig;
use haft::core::{
    CallContext, DynExecutor, Inspection, NobodyToAsk, Tool, ToolCall, ToolDef, ToolError, ToolErrorCategory, ToolKind,
    ToolOutput, ToolTraits, Typed,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// Finds a ticket by its number.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FindTicketArgs {
    /// The number of the ticket.
    number: u32,
}

struct FindTicket {
    tickets: BTreeMap<u32, &'static str>,
}

impl Tool for FindTicket {
    type Args = FindTicketArgs;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<FindTicketArgs>("find_ticket", ToolKind::Search, ToolTraits::READ_ONLY)
    }

    async fn inspect(&self, _: &FindTicketArgs, _: &CallContext) -> Result<Inspection, ToolError> {
        // It touches no file, no command and no host.
        Ok(Inspection::read_only())
    }

    async fn run(&self, args: FindTicketArgs, _: &CallContext) -> Result<ToolOutput, ToolError> {
        let found = self.tickets.get(&args.number).ok_or_else(|| {
            let message = format!("there is no ticket {}", args.number);
            ToolError::new(ToolErrorCategory::InvalidParameters, "no_such_ticket", message)
        })?;
        Ok(ToolOutput::text(*found))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tickets = BTreeMap::from([(7, "the build fails on a fresh clone")]);
    let toolbox = Toolbox::builder(LoadedConfig::parse("", &|_| None)?, std::env::current_dir()?)
        .executor(DynExecutor::new(Typed::new(FindTicket { tickets })))
        .build()?;
    for number in [7, 8] {
        let call = ToolCall::new("find_ticket", serde_json::json!({ "number": number }))?;
        match toolbox.call(call, &toolbox.context(), &NobodyToAsk).await.outcome {
            Ok(output) => println!("{number}: {}", output.summary),
            Err(error) => println!("{number}: {error}"),
        }
    }
    Ok(())
}
