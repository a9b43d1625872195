//! All tools as text for a system prompt, for models without native tool use.

use std::{fmt::Write as _, sync::Arc};

use tools_core::{InvocationHint, ToolDef};

/// The `<tools>` text: name, description, invocation and parameters of each tool.
pub fn prompt(tools: &[Arc<ToolDef>]) -> String {
    let mut text = String::from("<tools>\n");
    for tool in tools {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "<tool name=\"{}\">", tool.name);
        let _ = writeln!(text, "{}", tool.description.trim());
        if let InvocationHint::FencedBlock(tag) = &tool.invocation {
            let _ = writeln!(text, "Call it with a fenced block tagged `{tag}`.");
        }
        let _ = writeln!(text, "Parameters: {}", tool.input.as_value());
        text.push_str("</tool>\n");
    }
    text.push_str("</tools>\n");
    text
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use tools_core::{ToolKind, ToolTraits};

    use super::*;
    use crate::provider::{anthropic, json, mcp, openai};

    /// Reads a file.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Args {
        /// Which file.
        path: String,
    }

    fn tool() -> ToolDef {
        ToolDef::of::<Args>("read", ToolKind::Read, ToolTraits::READ_ONLY).titled("Read a file").fenced("read")
    }

    #[test]
    fn the_prompt_names_tool_invocation_and_parameters() {
        insta::assert_snapshot!(prompt(&[Arc::new(tool())]), @r#"
        <tools>
        <tool name="read">
        Reads a file.
        Call it with a fenced block tagged `read`.
        Parameters: {"properties":{"path":{"description":"Which file.","type":"string"}},"required":["path"],"type":"object"}
        </tool>
        </tools>
        "#);
    }

    #[test]
    fn every_provider_gets_its_shape() {
        insta::assert_json_snapshot!([anthropic(&tool()), openai(&tool()), mcp(&tool()), json(&tool())]);
    }
}
