//! Definition of a tool: everything known about it without running it.

use std::{borrow::Cow, sync::Arc};

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use super::derived::{DerivedParts, ToolDescription, ToolSchema};
use crate::{ToolName, ToolTraits};

/// The definitions of an executor, in the order in which a model sees them.
pub type ToolDefs = Arc<[Arc<ToolDef>]>;

/// Definition of a tool.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolDef {
    /// Name of the tool in calls.
    pub name: ToolName,
    /// Title for a person; `None` shows the name.
    pub title: Option<Cow<'static, str>>,
    /// Description from which the model decides when to use it.
    pub description: ToolDescription,
    /// JSON Schema 2020-12 of the parameters, without `$ref`s.
    pub input: ToolSchema,
    /// JSON Schema of the structured result; `None` when there is none.
    pub output: Option<ToolSchema>,
    /// Kind of the tool, as in ACP.
    pub kind: ToolKind,
    /// Its guarantees.
    pub traits: ToolTraits,
    /// Its origin.
    pub origin: ToolOrigin,
    /// Form of a call by a model without native tool use.
    pub invocation: InvocationHint,
    /// The parameters whose text becomes the content of files unchanged. Only in these,
    /// placeholders of credentials are replaced by the credentials.
    pub content: &'static [&'static str],
    /// Whether the tool is meant to be called repeatedly with the same parameters, to detect
    /// changes.
    pub poll: bool,
}

impl ToolDef {
    /// The definition of a tool whose parameters are `Args`.
    ///
    /// The doc comment of `Args` becomes the description, those of its fields the schema's
    /// descriptions: one source for decoding, for the prompt and for the reference. Both are made
    /// on first use.
    ///
    /// `name` is a constant of the program; an invalid tool name is replaced by `invalid_name`,
    /// which contract tests refuse.
    pub fn of<Args: JsonSchema>(name: &'static str, kind: ToolKind, traits: ToolTraits) -> Self {
        let derived = DerivedParts::parameters::<Args>();
        let input = ToolSchema::derived(Arc::clone(&derived));
        Self { input, ..Self::new(tool_name(name), ToolDescription::derived(derived), Schema::default(), kind, traits) }
    }

    /// The definition of a tool whose schema is made elsewhere (an MCP server, a host).
    pub fn new(
        name: ToolName,
        description: impl Into<ToolDescription>,
        input: Schema,
        kind: ToolKind,
        traits: ToolTraits,
    ) -> Self {
        Self {
            name,
            title: None,
            description: description.into(),
            input: input.into(),
            output: None,
            kind,
            traits,
            origin: ToolOrigin::Builtin,
            invocation: InvocationHint::ToolCall,
            content: &[],
            poll: false,
        }
    }

    /// Definition assumed for an unknown tool: no guarantees.
    pub fn unknown(name: ToolName) -> Self {
        Self::new(name, "", Schema::default(), ToolKind::Other, ToolTraits::CAUTIOUS)
    }

    /// Sets a title for people.
    pub fn titled(self, title: impl Into<Cow<'static, str>>) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    /// Sets the description.
    pub fn described(self, description: impl Into<ToolDescription>) -> Self {
        Self { description: description.into(), ..self }
    }

    /// Sets the schema of the parameters.
    pub fn with_input(self, input: Schema) -> Self {
        Self { input: input.into(), ..self }
    }

    /// Sets the schema of the structured result.
    pub fn with_output<Output: JsonSchema>(self) -> Self {
        Self { output: Some(ToolSchema::derived(DerivedParts::result::<Output>())), ..self }
    }

    /// Sets the origin.
    pub fn from_origin(self, origin: ToolOrigin) -> Self {
        Self { origin, ..self }
    }

    /// Sets a fence tag for models without native tool use.
    pub fn fenced(self, tag: &'static str) -> Self {
        Self { invocation: InvocationHint::FencedBlock(Cow::Borrowed(tag)), ..self }
    }

    /// Sets the parameters whose text becomes the content of files.
    pub fn with_content(self, content: &'static [&'static str]) -> Self {
        Self { content, ..self }
    }

    /// Marks a tool that is called repeatedly until something has changed: repeating it is no loop.
    pub fn polled(self) -> Self {
        Self { poll: true, ..self }
    }

    /// Traits that gates may rely on: [`ToolTraits::CAUTIOUS`] for a server that the operator does
    /// not trust, whatever it declares.
    pub fn trusted_traits(&self) -> ToolTraits {
        match &self.origin {
            ToolOrigin::Mcp { trusted: false, .. } => ToolTraits::CAUTIOUS,
            ToolOrigin::Mcp { trusted: true, .. } => ToolTraits { cacheable: false, ..self.traits },
            _ => self.traits,
        }
    }
}

fn tool_name(name: &'static str) -> ToolName {
    ToolName::parse(name).unwrap_or_else(|_| ToolName::parse("invalid_name").expect("the fallback is a valid name"))
}

/// Kind of a tool, as in ACP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// Runs commands.
    Execute,
    /// Reads files.
    Read,
    /// Changes files.
    Edit,
    /// Removes files.
    Delete,
    /// Moves or renames files.
    Move,
    /// Searches.
    Search,
    /// Fetches from outside.
    Fetch,
    /// Thinks.
    Think,
    /// Anything else.
    Other,
}

/// Origin of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolOrigin {
    /// Part of Haft.
    Builtin,
    /// Added by the program that embeds Haft.
    Host,
    /// Brought by a skill.
    Skill,
    /// Offered by an MCP server.
    Mcp {
        /// The configured key of the server.
        server: String,
        /// Whether the operator trusts the server's declarations.
        trusted: bool,
    },
}

/// Form of a call if the provider has no native tool use.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum InvocationHint {
    /// A fenced block with this tag.
    FencedBlock(Cow<'static, str>),
    /// A native tool call.
    ToolCall,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Reads a file.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Args {
        /// Which file.
        path: String,
        /// How many lines.
        limit: Option<u32>,
    }

    #[test]
    fn doc_comments_become_description_and_schema() {
        let definition = ToolDef::of::<Args>("read", ToolKind::Read, ToolTraits::READ_ONLY);
        assert_eq!(definition.description, "Reads a file.");
        assert_eq!(
            definition.input.as_value(),
            &json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "Which file."},
                    "limit": {"type": "integer", "description": "How many lines."},
                },
                "required": ["path"],
            })
        );
    }

    #[test]
    fn an_unvouched_server_is_read_as_cautious() {
        let definition = ToolDef::of::<Args>("x", ToolKind::Read, ToolTraits::READ_ONLY);
        let from = |trusted| definition.clone().from_origin(ToolOrigin::Mcp { server: "s".into(), trusted });
        assert_eq!(from(false).trusted_traits(), ToolTraits::CAUTIOUS);
        assert_eq!(from(true).trusted_traits(), ToolTraits { cacheable: false, ..ToolTraits::READ_ONLY });
        assert_eq!(definition.trusted_traits(), ToolTraits::READ_ONLY);
    }
}
