//! Common parts of both tools: opening a skill, asking for agreement, and its text.

use std::fmt::Write as _;

use schemars::{JsonSchema, Schema};
use serde_json::Value;
use tools_core::{ConfirmReason, Inspection, SummaryKind, ToolDef, ToolError, ToolKind, ToolOutput, ToolTraits};

use crate::{SkillError, Skills, skills::OpenSkill};

/// Maximum number of files listed with a skill.
const LISTED: usize = 200;
/// Maximum number of characters of all descriptions together.
const CATALOGUE: usize = 16_000;

/// Definition of a tool whose parameter `name` is one of the skills; `described` are their names
/// and descriptions.
pub(super) fn definition<Args: JsonSchema>(
    name: &'static str,
    title: &'static str,
    described: &[(String, String)],
) -> ToolDef {
    let traits = ToolTraits { cacheable: false, ..ToolTraits::READ_ONLY };
    let definition = ToolDef::of::<Args>(name, ToolKind::Read, traits).titled(title);
    let mut input = definition.input.as_value().clone();
    let names: Vec<Value> = described.iter().map(|(name, _)| name.clone().into()).collect();
    if let Some(parameter) = input.pointer_mut("/properties/name").and_then(Value::as_object_mut) {
        parameter.insert("enum".to_owned(), names.into());
    }
    let share = CATALOGUE / described.len().max(1);
    let lines = described.iter().map(|(name, description)| {
        let line = format!("\n- {name}: {}", description.replace('\n', " "));
        line.chars().take(share.max(80)).collect::<String>()
    });
    let description = format!("{}\n\nSkills:{}", definition.description, lines.collect::<String>());
    let definition = definition.described(description);
    match Schema::try_from(input) {
        Ok(input) => definition.with_input(input),
        Err(_) => definition,
    }
}

/// Opens a skill on a blocking thread.
pub(super) async fn open(skills: &Skills, name: &str) -> Result<OpenSkill, ToolError> {
    let (skills, name) = (skills.clone(), name.to_owned());
    let opened = tokio::task::spawn_blocking(move || skills.open(&name)).await;
    match opened {
        Ok(opened) => Ok(opened?),
        Err(error) => Err(SkillError::Pins(std::io::Error::other(error)).into()),
    }
}

/// Inspection of a call that uses a skill: it changes nothing, but a project skill needs a person's
/// agreement.
pub(super) fn inspected(opened: OpenSkill) -> Inspection {
    let inspection = Inspection::read_only();
    let inspection = match &opened {
        OpenSkill { skill, tree, needs_consent: true } => {
            let mut says = format!(
                "trusts the skill `{}` of this project, as its {} files are now (sha256 {})",
                skill.name,
                tree.files.len() + 1,
                &tree.digest[..12]
            );
            if !skill.env.is_empty() {
                let names: Vec<&str> = skill.env.keys().map(String::as_str).collect();
                let _ = write!(says, "; invoked, it sets {} for commands", names.join(", "));
            }
            for tool in &skill.tools {
                let _ = write!(says, "; invoked, its tool `{}` runs `{}`", tool.name, tool.command());
            }
            inspection.confirming(ConfirmReason::new(says, "skills.trust = \"ask\""))
        }
        _ => inspection,
    };
    inspection.keeping(opened)
}

/// The judged skill, if it is unchanged.
pub(super) async fn judged(skills: &Skills, name: &str, inspection: &Inspection) -> Result<OpenSkill, ToolError> {
    let opened = open(skills, name).await?;
    match inspection.take::<OpenSkill>() {
        Some(before) if before.tree.digest != opened.tree.digest => Err(SkillError::Changed.into()),
        _ => Ok(opened),
    }
}

/// A skill as text for a model, with `more` below it.
pub(super) fn shown(opened: &OpenSkill, body: &str, most: usize, more: &str) -> ToolOutput {
    let skill = &opened.skill;
    let head = format!("<skill_content name={:?} path={:?}>\n", skill.name, skill.folder.to_string_lossy());
    let mut foot = "\n</skill_content>".to_owned();
    let files = &opened.tree.files;
    if !files.is_empty() {
        foot.push_str("\nFiles, to be read with `load_skill` and `file`:");
        for file in files.iter().take(LISTED) {
            let _ = write!(foot, "\n- {}", file.to_string_lossy());
        }
        if files.len() > LISTED {
            let _ = write!(foot, "\n[and {} more]", files.len() - LISTED);
        }
    }
    for why in &opened.tree.left_out {
        let _ = write!(foot, "\n[left out: {why}]");
    }
    foot.push_str(more);
    let output = ToolOutput::text(format!("{head}{body}{foot}"));
    if body.len() <= most {
        return output;
    }
    let end = body.floor_char_boundary(most);
    output.showing(format!("{head}{}\n[…]{foot}", &body[..end]), SummaryKind::Extract)
}
