//! `more`: the next part of an answer that was cut.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::{
    CallContext, Inspection, Tool, ToolDef, ToolError, ToolErrorCategory, ToolKind, ToolOutput, ToolTraits,
};

use crate::continuations::{Continuations, Cursor};

/// Room for the text of one part; the line about what follows comes on top.
const PART: usize = 24_000;

/// Reads the next part of an answer that was too long. The last line of such an answer names the cursor.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The cursor as the last line of the cut answer gives it.
    cursor: String,
}

pub(crate) struct More {
    kept: Continuations,
}

impl More {
    pub(crate) fn new(kept: Continuations) -> Self {
        Self { kept }
    }
}

impl Tool for More {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        let traits = ToolTraits { cacheable: false, bounded_output: true, ..ToolTraits::READ_ONLY };
        ToolDef::of::<Args>("more", ToolKind::Read, traits).titled("More of an answer")
    }

    async fn inspect(&self, _: &Args, _: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::read_only())
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let part = Cursor::parse(&args.cursor).and_then(|cursor| self.kept.part(cx.session(), cursor, PART));
        let part = part.ok_or_else(|| unknown_cursor(&args.cursor))?;
        let mut text = part.text;
        if !text.ends_with('\n') {
            text.push('\n');
        }
        match part.next {
            Some(next) => {
                // Writing to a `String` cannot fail.
                let _ = write!(text, "[{} bytes follow: `more` with cursor \"{next}\"]", part.bytes_left);
            }
            None => text.push_str("[end of what was left out; the rest stood at the end of the first answer]"),
        }
        Ok(ToolOutput::text(text))
    }
}

fn unknown_cursor(cursor: &str) -> ToolError {
    let shown: String = cursor.chars().take(40).flat_map(char::escape_debug).collect();
    ToolError::new(
        ToolErrorCategory::InvalidParameters,
        "unknown_cursor",
        format!("nothing is kept under the cursor `{shown}`: it is not one that was given out, or its text was dropped to make room"),
    )
    .with_suggestion("Call the tool again and ask for less at once.")
}
