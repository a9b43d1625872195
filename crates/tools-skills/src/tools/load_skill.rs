//! `load_skill`: returns the body of a skill, or one of its files.

use std::path::{Component, Path};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tools_core::{CallContext, ClaimSource, Inspection, Tool, ToolDef, ToolError, ToolOutput};

use super::shared::{definition, inspected, judged, open, shown};
use crate::{SkillError, Skills, skill::read_inside, skills::OpenSkill};

/// Maximum size in bytes of a file that is shown.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// The tool, with the skills and their descriptions.
pub(super) struct LoadSkill(pub(super) Skills, pub(super) Arc<[(String, String)]>);

/// Reads what a skill says to do, before a task that its description fits; with `file`, one of the
/// files that it lists.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The skill.
    name: String,
    /// A file of the skill, relative to its folder, instead of what it says to do.
    file: Option<String>,
}

impl Tool for LoadSkill {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        definition::<Args>("load_skill", "Load skill", &self.1)
    }

    async fn inspect(&self, args: &Args, _: &CallContext) -> Result<Inspection, ToolError> {
        Ok(inspected(open(&self.0, &args.name).await?))
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        self.run_inspected(args, Inspection::read_only(), cx).await
    }

    async fn run_inspected(
        &self,
        args: Args,
        inspection: Inspection,
        cx: &CallContext,
    ) -> Result<ToolOutput, ToolError> {
        let opened = judged(&self.0, &args.name, &inspection).await?;
        self.0.agreed(&opened)?;
        if let Some(file) = args.file {
            return Ok(of_file(opened, file).await?);
        }
        let raw = json!({ "name": opened.skill.name, "files": opened.tree.files });
        if self.0.show(cx.session(), &opened) {
            let text = format!("[the skill `{}` is loaded already, and unchanged: see above]", opened.skill.name);
            return Ok(ToolOutput::text(text).with_raw_response(raw));
        }
        let output = shown(&opened, &opened.skill.body, self.0.config.max_body, "");
        Ok(output.from_source(ClaimSource::Internal).with_raw_response(raw))
    }
}

/// A file of a skill. It must lie in the skill's folder after resolving links.
async fn of_file(opened: OpenSkill, file: String) -> Result<ToolOutput, SkillError> {
    let name = file.clone();
    let read = tokio::task::spawn_blocking(move || {
        let path = Path::new(&name);
        if path.as_os_str().is_empty()
            || !path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        {
            return Err(SkillError::NoFile(name));
        }
        let bytes = read_inside(&opened.skill.folder, &opened.skill.folder.join(path), MAX_FILE_BYTES)?;
        String::from_utf8(bytes).map_err(|_| SkillError::NotText(name))
    });
    let text = read.await.map_err(|error| SkillError::Pins(std::io::Error::other(error)))??;
    Ok(ToolOutput::text(text).from_source(ClaimSource::Workspace).with_raw_response(json!({ "file": file })))
}
