//! Parses tool declarations in `metadata`, and converts tools to definitions and shell calls.

use std::collections::BTreeMap;

use schemars::Schema;
use serde_json::{Value, json};
use tools_core::{
    JsonObject, Redactor, ToolDef, ToolError, ToolErrorCategory, ToolKind, ToolName, ToolOrigin, ToolTraits,
    VisibleText, quoted, redacted_lines,
};

use super::template::{Template, is_name};
use crate::Field;

/// Prefix of a tool's keys.
const KEY: &str = "tool.";
/// Suffix of the key with a tool's description.
const DESCRIPTION: &str = "description";
/// Maximum number of tools of a skill, and of parameters of a tool.
const MAX_TOOLS: usize = 20;
const MAX_PARAMETERS: usize = 16;
/// Maximum number of characters of a description or argument.
const MAX_SAID: usize = 1_024;
const MAX_ARGUMENT: usize = 8_000;

/// A tool that a skill declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlineTool {
    /// Its name.
    pub name: ToolName,
    description: String,
    /// Descriptions of the parameters, in the order of the command.
    parameters: Vec<Parameter>,
    template: Template,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Parameter {
    name: String,
    says: String,
    default: Option<String>,
}

/// The tools that a skill's `metadata` declares. A faulty tool is left out, with a warning in
/// `warnings`.
pub(crate) fn declared(metadata: &BTreeMap<String, Field>, warnings: &mut Vec<String>) -> Vec<InlineTool> {
    let mut said: BTreeMap<&str, BTreeMap<&str, &Field>> = BTreeMap::new();
    for (key, value) in metadata {
        let Some(key) = key.strip_prefix(KEY) else { continue };
        let (tool, about) = key.split_once('.').unwrap_or((key, ""));
        said.entry(tool).or_default().insert(about, value);
    }
    let mut tools = vec![];
    for (name, fields) in &said {
        match InlineTool::read(name, fields) {
            Ok(_) if tools.len() == MAX_TOOLS => {
                warnings.push(format!("it declares more than {MAX_TOOLS} tools; `{name}` is left out"));
            }
            Ok(tool) => tools.push(tool),
            Err(problem) => {
                warnings.push(format!(
                    "the tool `{}` is left out: {}",
                    VisibleText::of(name),
                    VisibleText::of(&problem)
                ));
            }
        }
    }
    tools
}

impl InlineTool {
    fn read(name: &str, fields: &BTreeMap<&str, &Field>) -> Result<Self, String> {
        let tool = ToolName::parse(name).ok().filter(|_| is_name(name));
        let tool = tool.ok_or("its name is not of `a-z`, `0-9` and `_`, beginning with a letter, 64 at most")?;
        let mut texts = BTreeMap::new();
        for (about, value) in fields {
            let text = value.text().filter(|text| about.is_empty() || text.chars().count() <= MAX_SAID);
            let key = if about.is_empty() { name.to_owned() } else { format!("{name}.{about}") };
            let text =
                text.ok_or_else(|| format!("`{KEY}{key}` is not a string, or longer than {MAX_SAID} characters"))?;
            texts.insert(*about, text.trim());
        }
        let command = texts.remove("").ok_or_else(|| format!("`{KEY}{name}`, its command, is missing"))?;
        let description = texts.remove(DESCRIPTION).unwrap_or_default();
        let said: Vec<&str> = texts.keys().copied().collect();
        let template = Template::parse(command, &said)?;
        let mut parameters: Vec<Parameter> = vec![];
        for place in template.places() {
            match parameters.iter().find(|known| known.name == place.name) {
                Some(known) if known.default == place.default => {}
                Some(_) => return Err(format!("`{}` has two defaults", place.name)),
                None => parameters.push(Parameter {
                    name: place.name.clone(),
                    says: texts.remove(place.name.as_str()).unwrap_or_default().to_owned(),
                    default: place.default.clone(),
                }),
            }
        }
        if parameters.len() > MAX_PARAMETERS {
            return Err(format!("it takes more than {MAX_PARAMETERS} parameters"));
        }
        match texts.keys().next() {
            Some(unknown) => Err(format!("its command has no place `{{{unknown}}}`")),
            None => Ok(Self { name: tool, description: description.to_owned(), parameters, template }),
        }
    }

    /// The command line, as it is declared.
    pub fn command(&self) -> &str {
        self.template.as_str()
    }

    /// The definition for a model: the skill's text is redacted by `redactor`, and hidden
    /// characters are made visible.
    pub fn definition(&self, redactor: &dyn Redactor) -> ToolDef {
        let told = |text: &str| redacted_lines(redactor, text);
        let describe = |parameter: &Parameter| {
            let mut property = json!({ "type": "string" });
            if !parameter.says.is_empty() {
                property["description"] = told(&parameter.says).into();
            }
            if let Some(default) = parameter.default.as_ref().filter(|default| !default.is_empty()) {
                property["default"] = told(default).into();
            }
            (parameter.name.clone(), property)
        };
        let properties: JsonObject = self.parameters.iter().map(describe).collect();
        let needed = self.parameters.iter().filter(|parameter| parameter.default.is_none());
        let needed: Vec<&str> = needed.map(|parameter| parameter.name.as_str()).collect();
        let input = json!({ "type": "object", "properties": properties, "required": needed,
            "additionalProperties": false });
        let input = Schema::try_from(input).unwrap_or_default();
        let gap = if self.description.is_empty() { "" } else { " " };
        let description = format!("{}{gap}Runs the command `{}`.", told(&self.description), told(self.command()));
        ToolDef::new(self.name.clone(), description, input, ToolKind::Execute, ToolTraits::CAUTIOUS)
            .from_origin(ToolOrigin::Skill)
    }

    /// The command line for a call with these parameters.
    ///
    /// # Errors
    /// `InvalidParameters` or `TypeMismatch`, by the name of the parameter.
    pub fn line(&self, params: &JsonObject) -> Result<String, ToolError> {
        let wrong = |text: String| ToolError::new(ToolErrorCategory::InvalidParameters, "invalid_parameters", text);
        let mut arguments = BTreeMap::new();
        for (name, value) in params {
            if !self.parameters.iter().any(|parameter| parameter.name == *name) {
                let known = quoted(self.parameters.iter().map(|parameter| &parameter.name));
                let known = if known.is_empty() { "none".to_owned() } else { known };
                return Err(wrong(format!("`{}` has no parameter `{name}`; it takes {known}", self.name)));
            }
            let text = match value {
                Value::Null => continue,
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                Value::Bool(is) => is.to_string(),
                Value::Array(_) | Value::Object(_) => {
                    let text = format!("`{name}` is a text, not a list or an object");
                    return Err(ToolError::new(ToolErrorCategory::TypeMismatch, "invalid_arguments", text));
                }
            };
            if text.contains('\0') || text.chars().count() > MAX_ARGUMENT {
                return Err(wrong(format!("`{name}` is longer than {MAX_ARGUMENT} characters, or has a NUL in it")));
            }
            arguments.insert(name.clone(), text);
        }
        self.template.filled(&arguments).map_err(|missing| wrong(format!("the parameter `{missing}` is missing")))
    }
}
