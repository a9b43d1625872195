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
    /// Whether skills are looked for.
    #[schemars(extend("x-overlay" = false))]
    pub enabled: bool,
    /// Further folders that hold skills.
    pub dirs: Vec<PathBuf>,
    /// Whether skills of the project count: `ask` asks a person about each, and again when one of
    /// its files changed; `allow` takes them as they are; `deny` leaves out those that `haft skills
    /// trust` did not name.
    #[schemars(extend("x-overlay" = ["allow", "ask", "deny"]))]
    pub trust: Trust,
    /// Maximum number of bytes of a body that are shown; what is longer is stored with its
    /// beginning shown.
    pub max_body: usize,
    /// Maximum number of seconds that an invoked skill stays active, where a client does not say
    /// when a turn ends.
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
