//! Skills as prompts of the MCP server: hosts show them as commands of their users. Getting one is
//! a call of `invoke_skill`, with its trust, its gates and its line of the record.

use async_trait::async_trait;
use haft::skill_folders::Skills;
use serde_json::{Map, Value, json};
use tools_core::{SessionId, ToolCall};
use tools_mcp::{Prompt, PromptError, Prompts};

/// The argument of every skill.
const ARGUMENTS: &str = "arguments";
/// Characters of a name that an error repeats.
const MAX_NAME_CHARS: usize = 80;

/// The skills of a toolbox.
pub(crate) struct SkillPrompts(pub(crate) Skills);

#[async_trait]
impl Prompts for SkillPrompts {
    async fn list(&self, _: &SessionId) -> Vec<Prompt> {
        let prompt = |(name, description): (String, String)| Prompt {
            name,
            description,
            arguments: vec![(ARGUMENTS, "What the skill is to be used on, in your words.")],
        };
        let skills = self.0.clone();
        let described = tokio::task::spawn_blocking(move || skills.described()).await;
        described.unwrap_or_default().into_iter().map(prompt).collect()
    }

    async fn find(&self, _: &SessionId, name: &str, arguments: &Map<String, Value>) -> Result<ToolCall, PromptError> {
        if !self.0.names().any(|known| known == name) {
            return Err(PromptError::NotFound { name: name.chars().take(MAX_NAME_CHARS).collect() });
        }
        if let Some(unknown) = arguments.keys().find(|key| *key != ARGUMENTS) {
            let unknown: String = unknown.chars().take(MAX_NAME_CHARS).collect();
            return Err(PromptError::Invalid(format!(
                "there is no argument `{}`; the only one is `{ARGUMENTS}`",
                unknown.escape_debug()
            )));
        }
        let mut params = json!({"name": name});
        match arguments.get(ARGUMENTS) {
            None => {}
            Some(Value::String(text)) => params["args"] = text.as_str().into(),
            Some(_) => return Err(PromptError::Invalid(format!("`{ARGUMENTS}` is a text"))),
        }
        ToolCall::new("invoke_skill", params).map_err(|error| PromptError::Invalid(error.to_string()))
    }
}
