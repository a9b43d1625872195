//! The section `[skills]`.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Place, places};

/// Agent Skills: folders with a `SKILL.md`, looked for in `~/.agents/skills` and `~/.haft/skills`,
/// then in the project's `.agents/skills`, `.haft/skills` and `.claude/skills`. Where there are
/// none, there are no tools for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SkillsConfig {
    /// Whether Agent Skills are searched for and offered.
    #[schemars(extend("x-overlay" = false))]
    pub enabled: bool,
    /// Further folders that contain skills.
    pub dirs: Vec<PathBuf>,
    /// Whether skills of the project are used: `ask` asks a person about each, and again when one
    /// of its files changed; `allow` uses all; `deny` uses only those approved with `haft skills
    /// trust`.
    #[schemars(extend("x-overlay" = ["allow", "ask", "deny"]))]
    pub trust: Trust,
    /// Maximum number of bytes of a skill's text that are shown. A longer text is stored, and its
    /// beginning is shown.
    pub max_body: usize,
    /// Maximum number of seconds that an invoked skill stays active if the client does not report
    /// the end of a turn.
    pub active_secs: u64,
}

/// Whether skills of the project count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// A person is asked.
    #[default]
    Ask,
    /// They count.
    Allow,
    /// They do not, unless they were named.
    Deny,
}

impl SkillsConfig {
    /// The folders searched for skills of a workspace: the usual ones and those of `dirs`.
    pub fn places(&self, workdir: &Path) -> Vec<Place> {
        places(tools_sandbox::home().as_deref(), workdir, &self.dirs)
    }
}

impl Default for SkillsConfig {
    fn default() -> Self {
        Self { enabled: true, dirs: vec![], trust: Trust::default(), max_body: 65_536, active_secs: 600 }
    }
}
