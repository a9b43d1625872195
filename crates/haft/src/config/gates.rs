//! The effective sections of the gates.

use std::borrow::Cow;

use tools_policy::{GateSections, permissions::PermissionsConfig};

use super::HaftConfig;

impl HaftConfig {
    /// Sections from which the gates are compiled.
    pub(crate) fn gates(&self) -> GateSections<'_> {
        let tools = &self.tools;
        GateSections {
            max_tool_calls_per_session: tools.max_tool_calls_per_session,
            caller_quota: &tools.caller_quota,
            utility: &tools.utility,
            hallucination_detection: self.agent.hallucination_detection,
            rules: (tools.policy.clone(), tools.authorization.clone()),
            adversarial_policy: &tools.adversarial_policy,
            #[cfg(feature = "llm")]
            no_judge: self.llm.unknown(&tools.adversarial_policy.provider),
            #[cfg(not(feature = "llm"))]
            no_judge: format!(
                "this build has no models, so there is no provider `{}`",
                tools.adversarial_policy.provider
            ),
            trust: &tools.trust,
            permissions: self.permissions(),
            anomaly: &tools.anomaly,
        }
    }

    /// The permission rules; without any, those derived from the shell's own lists.
    fn permissions(&self) -> Cow<'_, PermissionsConfig> {
        #[cfg(feature = "shell")]
        {
            let (shell, usual) = (&self.tools.shell, tools_shell::ShellConfig::default());
            let has_lists =
                shell.blocked_commands != usual.blocked_commands || shell.confirm_patterns != usual.confirm_patterns;
            let has_rules = self.tools.permissions.tools.keys().any(|list| list != tools_policy::permissions::NETWORK);
            if !has_rules && has_lists {
                let rules = tools_policy::permissions::from_legacy(&shell.blocked_commands, &shell.confirm_patterns);
                return Cow::Owned(PermissionsConfig { tools: [("bash".to_owned(), rules)].into() });
            }
        }
        Cow::Borrowed(&self.tools.permissions)
    }
}
