//! The skills of a workspace: found at the start, read again at each use.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio::time::Instant;
use tools_core::{Redactor, SessionId, ToolDef, nearest};

use crate::active::SharedActive;
use crate::text_sanitizer::{TextSanitizer, UNTRUSTED};
use crate::{
    Activation, InlineTool, Origin, Pins, Place, Skill, SkillError, SkillFolder, SkillsConfig, Tree, Trust, discover,
    tree,
};

/// The skills of a workspace, and their state in sessions. Cheap to clone; clones share it.
#[derive(Debug, Clone)]
pub struct Skills {
    listed: Arc<[SkillListing]>,
    pub(crate) config: Arc<SkillsConfig>,
    pins: Pins,
    pub(crate) active: SharedActive,
    /// The names of all other tools.
    taken: Arc<RwLock<BTreeSet<String>>>,
    pub(crate) sanitizer: TextSanitizer,
}

/// A skill as listed to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SkillListing {
    /// Its name made safe to show, by which it is called.
    pub(crate) name: String,
    description: String,
    folder: PathBuf,
    origin: Origin,
}

/// A skill that was read for a call.
#[derive(Debug, Clone)]
pub(crate) struct OpenSkill {
    pub(crate) skill: Skill,
    pub(crate) tree: Tree,
    pub(crate) needs_consent: bool,
}

impl Skills {
    /// The skills in these places. Their text in definitions is redacted by `redactor`, and hidden
    /// characters are made visible.
    pub fn find(places: &[Place], config: SkillsConfig, pins: Pins, redactor: Arc<dyn Redactor>) -> Self {
        let sanitizer = TextSanitizer::by(redactor);
        let found = discover(places).into_iter().filter(|found| !found.shadowed);
        let listed = found.filter_map(|found| listed(found, &sanitizer)).collect();
        Self {
            listed,
            config: Arc::new(config),
            pins,
            active: SharedActive::default(),
            taken: Arc::default(),
            sanitizer,
        }
    }

    /// Adds names of other tools, which a skill cannot declare.
    pub fn reserve_names(&self, names: impl IntoIterator<Item = String>) {
        // The set is only extended, so a panic cannot leave it inconsistent.
        self.taken.write().unwrap_or_else(PoisonError::into_inner).extend(names);
    }

    /// Whether there are no skills.
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// Names of the skills.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.listed.iter().map(|listed| listed.name.as_str())
    }

    /// Names and descriptions of the skills, safe to show. A project skill to whose current content
    /// nobody agreed has a remark instead of its description. Reads files.
    pub fn described(&self) -> Vec<(String, String)> {
        self.listed.iter().map(|listed| (listed.name.clone(), self.description(listed))).collect()
    }

    fn description(&self, listed: &SkillListing) -> String {
        if self.counts_unasked(listed) {
            return self.sanitizer.text(&listed.description);
        }
        // An agreement applies to the current content of the files, not to that at the start.
        match self.pins.knows(&listed.folder) {
            Ok(true) => match self.open(&listed.name) {
                Ok(opened) if !opened.needs_consent => self.sanitizer.text(&opened.skill.description),
                _ => UNTRUSTED.to_owned(),
            },
            _ => UNTRUSTED.to_owned(),
        }
    }

    /// Whether it needs no agreement.
    fn counts_unasked(&self, listed: &SkillListing) -> bool {
        listed.origin == Origin::User || self.config.trust == Trust::Allow
    }

    /// Reads a skill for a call.
    pub(crate) fn open(&self, name: &str) -> Result<OpenSkill, SkillError> {
        let Some(listed) = self.listed.iter().find(|listed| listed.name == name) else {
            let near = nearest(name, self.listed.iter().map(|listed| listed.name.as_str()));
            return Err(SkillError::NotFound {
                name: name.to_owned(),
                near: near.into_iter().map(str::to_owned).collect(),
            });
        };
        let skill = Skill { name: listed.name.clone(), ..Skill::read(&listed.folder)? };
        let skill = {
            let taken = self.taken.read().unwrap_or_else(PoisonError::into_inner);
            skill.beside(|tool| taken.contains(tool))
        };
        let tree = tree(&skill.folder)?;
        let is_trusted = self.counts_unasked(listed) || self.pins.has(&skill.folder, &tree.digest)?;
        match self.config.trust {
            Trust::Deny if !is_trusted => Err(SkillError::Untrusted(name.to_owned())),
            _ => Ok(OpenSkill { skill, tree, needs_consent: !is_trusted }),
        }
    }

    /// Stores an agreement to the current content of a skill.
    pub(crate) fn agreed(&self, opened: &OpenSkill) -> Result<(), SkillError> {
        if opened.needs_consent { self.pins.add(&opened.skill.folder, &opened.tree.digest) } else { Ok(()) }
    }

    /// Notes that a session is shown a skill; `true` if it was already shown unchanged.
    pub(crate) fn show(&self, session: &SessionId, opened: &OpenSkill) -> bool {
        self.active.show(session, &opened.skill.name, &opened.tree.digest)
    }

    pub(crate) fn activate(&self, session: &SessionId, skill: &Skill) {
        let activation = Activation {
            skill: skill.name.clone(),
            allowed: skill.allowed.clone(),
            env: skill.env.clone(),
            tools: skill.tools.iter().map(|tool| (tool.clone(), Arc::new(self.definition_of(tool)))).collect(),
            since: Instant::now(),
        };
        self.active.begin(session, activation);
    }

    /// The definition of a tool that a skill declares.
    pub(crate) fn definition_of(&self, tool: &InlineTool) -> ToolDef {
        tool.definition(self.sanitizer.redactor())
    }

    /// The invoked skill of a session that is still active.
    pub fn active(&self, session: &SessionId) -> Option<Activation> {
        self.active.of(session, Duration::from_secs(self.config.active_secs))
    }

    /// Ends the turn of a session: its invoked skill is no longer active. For hosts with turns.
    pub fn end_turn(&self, session: &SessionId) {
        self.active.end_turn(session);
    }

    /// Forgets which skills a session was shown: after its conversation was shortened, and when it
    /// ends.
    pub fn forget(&self, session: &SessionId) {
        self.active.end_turn(session);
        self.active.forget_shown(session);
    }
}

fn listed(found: SkillFolder, sanitizer: &TextSanitizer) -> Option<SkillListing> {
    match found.skill {
        Ok(skill) => {
            let Skill { name, description, .. } = skill;
            Some(SkillListing { name: sanitizer.line(&name), description, folder: found.folder, origin: found.origin })
        }
        Err(error) => {
            tracing::warn!(folder = %found.folder.display(), %error, "a skill cannot be used");
            None
        }
    }
}
