//! The layer that restricts a session to its invoked skill.

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use tools_core::{Invocation, Layer, LayerInfo, Next, Outcome, ToolError, ToolErrorCategory, ToolName, quoted};

use crate::{AllowedTools, Skills};

/// Refuses tools that an active skill does not allow, and passes its variables to commands.
#[derive(Debug, Clone)]
pub struct SkillsLayer {
    skills: Skills,
    /// Tools that are never refused: those that load skills, and those that a host adds.
    free: Arc<BTreeSet<ToolName>>,
}

impl SkillsLayer {
    /// Its row in a list of layers.
    pub const INFO: LayerInfo = LayerInfo {
        name: "skills",
        owner: "tools-skills",
        refuses_with: &["policy_blocked/skill_narrows"],
        why: "before every gate: nobody is asked about a tool that the active skill removes",
    };

    /// A layer over these skills; calls of `free` tools are always passed.
    pub fn new(skills: Skills, free: impl IntoIterator<Item = ToolName>) -> Self {
        Self { skills, free: Arc::new(free.into_iter().collect()) }
    }
}

#[async_trait]
impl Layer for SkillsLayer {
    fn name(&self) -> &'static str {
        Self::INFO.name
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let Some(active) = self.skills.active(inv.context.session()) else { return next.run(inv).await };
        if let Some(allowed) = &active.allowed
            && !self.free.contains(&inv.call.tool)
            && !allowed.allows(&inv.call.tool, inv.inspection().ok())
            && !self.skills.active.is_stand_in_call(inv.context.session(), &inv.call.digest())
        {
            return Err(narrowed(&inv.call.tool, &active.skill, allowed));
        }
        if active.env.is_empty() {
            return next.run(inv).await;
        }
        // The host's variables for the call override those of the skill.
        let mut env = active.env;
        env.extend(inv.context.env().clone());
        next.run(&inv.in_context(inv.context.clone().with_env(env))).await
    }
}

fn narrowed(tool: &ToolName, skill: &str, allowed: &AllowedTools) -> ToolError {
    let tools = quoted(allowed.tools());
    let error = ToolError::new(
        ToolErrorCategory::PolicyBlocked,
        "skill_narrows",
        format!("this call of `{tool}` is not among the tools of the skill `{skill}`, which is active"),
    );
    let tools = if tools.is_empty() { "none".to_owned() } else { tools };
    error.with_suggestion(format!("The skill names {tools}. It is active until the turn ends or another is invoked."))
}
