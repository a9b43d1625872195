//! Skills in a toolbox: where they are looked for, and the layer that holds sessions to them.

use std::{path::Path, sync::Arc};

use tools_core::{Shared, ToolName};
use tools_sandbox::home;
use tools_secrets::SecretRedactor;
use tools_skills::{Pins, Place, Skills, SkillsConfig, SkillsLayer, places};

use crate::{config::places::state_dir, part::PartList};

/// Tools that go on working whatever skill is active: those that load skills, and those that read
/// on or end what an allowed call began.
const FREE: &[&str] = &["load_skill", "invoke_skill", "read_overflow", "job_read", "job_kill"];

/// The skills of a workspace; none where they are switched off. What is said of them goes through
/// `redactor`.
pub(crate) fn find(
    config: &SkillsConfig,
    workdir: &Path,
    redactor: &Shared<SecretRedactor>,
    parts: &mut PartList,
) -> Arc<Skills> {
    let places = if config.enabled { skill_places(config, workdir) } else { vec![] };
    let skills = Arc::new(Skills::find(&places, config.clone(), skill_pins(), Arc::new(redactor.clone())));
    let free = FREE.iter().filter_map(|name| ToolName::parse(name).ok());
    parts.layers.push(Arc::new(SkillsLayer::new(skills.as_ref().clone(), free)));
    parts.forget(&skills, Skills::forget);
    skills
}

/// Folders that are searched for skills of a workspace.
pub fn skill_places(config: &SkillsConfig, workdir: &Path) -> Vec<Place> {
    places(home().as_deref(), workdir, &config.dirs)
}

/// The list of skills of projects that somebody agreed to.
pub fn skill_pins() -> Pins {
    Pins::at(state_dir().join("skills").join("trusted.json"))
}
