//! The section `[tools.adversarial_policy]`, and what it compiles to.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::{CallPhase, KeyFault};

/// Maximum time limit for the judge, in seconds.
const MAX_TIMEOUT_SECS: u64 = 600;

/// Lets a model judge each call against policies written in plain language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AdversarialConfig {
    /// Whether a model judges each call against `policies` and `phases`.
    #[schemars(extend("x-overlay" = true))]
    pub enabled: bool,
    /// Whether a call continues when the judging model fails or does not answer in time.
    #[schemars(extend("x-overlay" = false))]
    pub fail_open: bool,
    /// Policies in plain language, one sentence each, against which a model judges calls.
    #[schemars(extend("x-overlay" = "extend"))]
    pub policies: Vec<String>,
    /// Further policies for calls that the model makes in one phase of its work.
    pub phases: PhasePolicies,
    /// Tools whose calls the model does not judge.
    pub exempt_tools: Vec<String>,
    /// Name of the provider in `[[llm.providers]]` that judges calls. Empty: the one that agents
    /// use.
    #[schemars(extend("x-applies" = "next_start"))]
    pub provider: String,
    /// Whether the judging model can stop a call, or have a person asked. If false, its answer is
    /// only a warning.
    #[schemars(extend("x-overlay" = true))]
    pub block_on_reject: bool,
    /// Time limit in seconds for the judgement of one call.
    pub timeout: u64,
}

impl Default for AdversarialConfig {
    fn default() -> Self {
        let exempt = ["memory_save", "memory_search", "read_overflow", "load_skill", "schedule_deferred"];
        Self {
            enabled: false,
            fail_open: false,
            policies: vec![],
            phases: PhasePolicies::default(),
            exempt_tools: exempt.map(str::to_owned).into(),
            provider: String::new(),
            block_on_reject: true,
            timeout: 10,
        }
    }
}

/// Policies that count in one phase, beside those that always do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PhasePolicies {
    /// Further policies for calls that the model makes while it plans.
    #[schemars(extend("x-overlay" = "extend"))]
    pub planner: Vec<String>,
    /// Further policies for calls that the model makes while it carries out the task.
    #[schemars(extend("x-overlay" = "extend"))]
    pub executor: Vec<String>,
    /// Further policies for calls that the model makes while it checks the work.
    #[schemars(extend("x-overlay" = "extend"))]
    pub verifier: Vec<String>,
    /// Further policies for calls that are made while no person can be asked.
    #[schemars(extend("x-overlay" = "extend"))]
    pub autonomous: Vec<String>,
}

impl PhasePolicies {
    fn of(&self, phase: CallPhase) -> &[String] {
        match phase {
            CallPhase::Planner => &self.planner,
            CallPhase::Executor => &self.executor,
            CallPhase::Verifier => &self.verifier,
            CallPhase::Autonomous => &self.autonomous,
        }
    }

    fn all(&self) -> impl Iterator<Item = &String> {
        [&self.planner, &self.executor, &self.verifier, &self.autonomous].into_iter().flatten()
    }
}

/// The compiled section.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AdversarialPolicy(pub(super) AdversarialConfig);

impl AdversarialConfig {
    /// Checks the values.
    ///
    /// # Errors
    /// Names the key whose value cannot be used.
    pub fn compile(&self) -> Result<AdversarialPolicy, KeyFault> {
        if !(1..=MAX_TIMEOUT_SECS).contains(&self.timeout) {
            return Err(KeyFault::new("timeout", "expected 1 to 600 seconds"));
        }
        if self.policies.iter().any(|policy| policy.trim().is_empty()) {
            return Err(KeyFault::new("policies", "an empty policy says nothing"));
        }
        if self.phases.all().any(|policy| policy.trim().is_empty()) {
            return Err(KeyFault::new("phases", "an empty policy says nothing"));
        }
        Ok(AdversarialPolicy(self.clone()))
    }

    /// Whether any phase has a policy.
    pub(super) fn has_policy(&self) -> bool {
        !self.policies.is_empty() || self.phases.all().next().is_some()
    }
}

impl AdversarialPolicy {
    /// Whether calls of a tool are judged in a phase.
    pub(crate) fn judges(&self, tool: &str, phase: CallPhase) -> bool {
        let config = &self.0;
        let mut policies = self.policies(phase);
        config.enabled && policies.next().is_some() && !config.exempt_tools.iter().any(|exempt| exempt == tool)
    }

    /// The policies that apply in a phase.
    pub(super) fn policies(&self, phase: CallPhase) -> impl Iterator<Item = &String> {
        self.0.policies.iter().chain(self.0.phases.of(phase))
    }

    pub(super) fn patience(&self) -> Duration {
        Duration::from_secs(self.0.timeout)
    }
}
