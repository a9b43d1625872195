//! Each tool as an executor.

use std::sync::Arc;

use tools_core::{DynExecutor, Typed};

use super::{invoke_skill::InvokeSkill, load_skill::LoadSkill};
use crate::Skills;

/// The tools `load_skill` and `invoke_skill`.
#[derive(Debug, Clone)]
pub struct SkillTools(Skills);

impl SkillTools {
    /// The tools over these skills.
    pub fn new(skills: Skills) -> Self {
        Self(skills)
    }

    /// The executors; none if there are no skills.
    pub fn into_executors(self) -> Vec<DynExecutor> {
        if self.0.is_empty() {
            return vec![];
        }
        let described: Arc<[(String, String)]> = self.0.described().into();
        vec![
            DynExecutor::new(Typed::new(LoadSkill(self.0.clone(), Arc::clone(&described)))),
            DynExecutor::new(Typed::new(InvokeSkill(self.0, described))),
        ]
    }
}
