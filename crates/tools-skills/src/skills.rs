//! The skills of a workspace: found at the start, read anew at each use.

use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use tokio::time::Instant;
use tools_core::{SessionId, nearest};

use crate::{
    Activation, Origin, Pins, Place, Skill, SkillError, SkillFolder, SkillsConfig, Tree, Trust, active::SharedActive,
    discover, tree,
};

/// The skills of a workspace, and what sessions do with them. Cheap to clone; clones are one.
#[derive(Debug, Clone)]
pub struct Skills {
    listed: Arc<[SkillListing]>,
    pub(crate) config: Arc<SkillsConfig>,
    pins: Pins,
    pub(crate) active: SharedActive,
    /// The names of all other tools.
    taken: Arc<RwLock<BTreeSet<String>>>,
}

/// A skill as a model is told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SkillListing {
    pub(crate) name: String,
    pub(crate) description: String,
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
    /// The skills in these places.
    pub fn find(places: &[Place], config: SkillsConfig, pins: Pins) -> Self {
        let listed = discover(places).into_iter().filter(|found| !found.shadowed).filter_map(listed).collect();
        Self { listed, config: Arc::new(config), pins, active: SharedActive::default(), taken: Arc::default() }
    }

    /// Says which other tools there are: a skill cannot declare one under their names.
    pub fn surround(&self, names: impl IntoIterator<Item = String>) {
        // A set is replaced whole: there is nothing half-way in it.
        self.taken.write().unwrap_or_else(PoisonError::into_inner).extend(names);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// Names and descriptions of the skills.
    pub fn names(&self) -> impl Iterator<Item = (&str, &str)> {
        self.listed.iter().map(|listed| (listed.name.as_str(), listed.description.as_str()))
    }

    pub(crate) fn listed(&self) -> &[SkillListing] {
        &self.listed
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
        let skill = Skill::read(&listed.folder)?;
        let skill = {
            let taken = self.taken.read().unwrap_or_else(PoisonError::into_inner);
            skill.beside(|tool| taken.contains(tool))
        };
        let tree = tree(&skill.folder)?;
        let is_trusted = listed.origin == Origin::User
            || self.config.trust == Trust::Allow
            || self.pins.has(&skill.folder, &tree.digest)?;
        match self.config.trust {
            Trust::Deny if !is_trusted => Err(SkillError::Untrusted(name.to_owned())),
            _ => Ok(OpenSkill { skill, tree, needs_consent: !is_trusted }),
        }
    }

    /// Writes down that somebody agreed to a skill as it is.
    pub(crate) fn agreed(&self, opened: &OpenSkill) -> Result<(), SkillError> {
        if opened.needs_consent { self.pins.add(&opened.skill.folder, &opened.tree.digest) } else { Ok(()) }
    }

    /// Takes note that a session is shown a skill; `true` when it was before, as it is.
    pub(crate) fn show(&self, session: &SessionId, opened: &OpenSkill) -> bool {
        self.active.show(session, &opened.skill.name, &opened.tree.digest)
    }

    pub(crate) fn activate(&self, session: &SessionId, skill: &Skill) {
        let activation = Activation {
            skill: skill.name.clone(),
            allowed: skill.allowed.clone(),
            env: skill.env.clone(),
            tools: skill.tools.iter().map(|tool| (tool.clone(), Arc::new(tool.definition()))).collect(),
            since: Instant::now(),
        };
        self.active.begin(session, activation);
    }

    /// The skill that a session has invoked and that is still active.
    pub fn active(&self, session: &SessionId) -> Option<Activation> {
        self.active.of(session, Duration::from_secs(self.config.active_secs))
    }

    /// The turn of a session has ended: what it invoked is no longer active. For hosts that know
    /// turns.
    pub fn end_turn(&self, session: &SessionId) {
        self.active.end_turn(session);
    }

    /// Forgets what a session was shown: after its conversation was shortened, and when it ends.
    pub fn forget(&self, session: &SessionId) {
        self.active.end_turn(session);
        self.active.forget_shown(session);
    }
}

fn listed(found: SkillFolder) -> Option<SkillListing> {
    match found.skill {
        Ok(skill) => {
            let Skill { name, description, .. } = skill;
            Some(SkillListing { name, description, folder: found.folder, origin: found.origin })
        }
        Err(error) => {
            tracing::warn!(folder = %found.folder.display(), %error, "a skill cannot be used");
            None
        }
    }
}
