//! The sections: what each crate takes, put together.

use std::{collections::BTreeMap, num::NonZeroU32};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::EmbeddingConfig;

/// Imports the sections of parts; for a part that is not in the build, [`super::AbsentSection`].
macro_rules! sections {
    ($($feature:literal: $($from:ident)::+ { $($section:ident),+ };)+) => {
        $(
            #[cfg(feature = $feature)]
            use $($from)::+::{$($section),+};
            #[cfg(not(feature = $feature))]
            use super::{$(AbsentSection as $section),+};
        )+
    };
}

sections! {
    "acp": tools_acp { AcpConfig };
    "agent": tools_agent::sessions { SessionsConfig };
    "audit": tools_audit { AuditConfig };
    "cache": tools_cache { CacheConfig };
    "checkpoint": tools_checkpoint { CheckpointConfig };
    "code": tools_code { IndexConfig };
    "diagnostics": tools_diagnostics { DiagnosticsConfig };
    "file": tools_file { FileConfig };
    "filter": tools_filter { FilterConfig };
    "graph": tools_catalog { TafcConfig };
    "graph": tools_graph { DependenciesConfig, ProfileConfig, ToolFilterConfig };
    "llm": tools_providers { LlmConfig };
    "mcp-client": tools_mcp_client { McpServerConfig };
    "memory": tools_memory { MemoryConfig };
    "overflow": tools_overflow { OverflowConfig };
    "policy": tools_policy::adversarial { AdversarialConfig };
    "policy": tools_policy::anomaly { AnomalyConfig };
    "policy": tools_policy::caller_quota { CallerQuotaConfig };
    "policy": tools_policy::permissions { ApprovalsConfig, PermissionsConfig };
    "policy": tools_policy::rules { AuthorizationConfig, PolicyConfig };
    "policy": tools_policy::trust { TrustConfig };
    "policy": tools_policy::utility { UtilityConfig };
    "retry": tools_retry { RetryConfig };
    "scheduler": tools_scheduler { SchedulerConfig };
    "shell": tools_shell { ShellConfig };
    "skills": tools_skills { SkillsConfig };
    "web": tools_web { ScrapeConfig };
}

/// Everything that can be configured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HaftConfig {
    /// The tools and what stands around them.
    pub tools: ToolsConfig,
    /// The MCP server, and the servers behind it.
    #[schemars(extend("x-applies" = "next_start"))]
    pub mcp: McpConfig,
    /// The agent for editors, `haft acp`.
    #[schemars(extend("x-applies" = "next_start"))]
    pub acp: AcpConfig,
    /// The tool `search_code`.
    #[schemars(extend("x-applies" = "reload"))]
    pub index: IndexConfig,
    /// The model behind the calls, as far as tools care.
    pub agent: AgentConfig,
    /// The models that may be asked.
    #[schemars(extend("x-applies" = "next_start"))]
    pub llm: LlmConfig,
    /// The model that finds things by what they mean.
    #[schemars(extend("x-applies" = "next_start"))]
    pub embedding: EmbeddingConfig,
    /// Calls and prompts at later times.
    #[schemars(extend("x-applies" = "reload"))]
    pub scheduler: SchedulerConfig,
    /// Agent Skills.
    #[schemars(extend("x-applies" = "next_start"))]
    pub skills: SkillsConfig,
}

/// Requests to the model that a turn usually has.
const MAX_TOOL_ITERATIONS: NonZeroU32 = NonZeroU32::new(10).expect("it is not zero");

/// The section `[agent]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentConfig {
    /// Maximum number of requests to the model in one turn of `haft run`.
    #[schemars(extend("x-applies" = "next_start", "x-overlay" = "lower"))]
    pub max_tool_iterations: NonZeroU32,
    /// Budget of a conversation, in tokens. A request may use 80 % of it; beyond that the turn
    /// stops. From 72 % on, old results are removed and older messages are summarised. Unset: the
    /// context size of the model.
    #[schemars(extend("x-applies" = "next_start", "x-overlay" = "lower"))]
    pub context_budget_tokens: Option<u64>,
    /// Whether calls that only read start while the model still writes its answer. At most two run
    /// at once, only tools of Haft, and none that needs a question or a judgement by a model. A
    /// result is discarded, and recorded so, if the final answer does not contain the call.
    #[schemars(extend("x-applies" = "next_start", "x-overlay" = false))]
    pub start_early: bool,
    /// Name of the provider in `[[llm.providers]]` that writes summaries. Empty: the one that
    /// answers.
    #[schemars(extend("x-applies" = "next_start"))]
    pub compress_provider: String,
    /// Maximum cost of one turn, in the currency of the provider's prices. Unset: no limit.
    #[schemars(extend("x-applies" = "next_start", "x-overlay" = "lower"))]
    pub max_cost: Option<f64>,
    /// Whether calls are checked for paths that neither exist nor were mentioned before (see also
    /// `agent.reasoning_model`). A finding warns the model and is recorded; the call is not
    /// refused.
    #[schemars(extend("x-overlay" = true))]
    pub hallucination_detection: bool,
    /// Whether the model is a reasoning model. Then `agent.hallucination_detection` also checks
    /// addresses and numbers, which such models invent more often. Never derived from the model's
    /// name.
    #[schemars(extend("x-applies" = "next_start"))]
    pub reasoning_model: bool,
    /// Selection of the definitions for a turn, where a host describes its topic. An MCP client
    /// does not.
    #[schemars(extend("x-applies" = "next_start"))]
    pub tool_filter: ToolFilterConfig,
    /// The place where conversations are saved for `--resume`.
    #[schemars(extend("x-applies" = "next_start"))]
    pub sessions: SessionsConfig,
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self {
            max_tool_iterations: MAX_TOOL_ITERATIONS,
            context_budget_tokens: None,
            start_early: false,
            compress_provider: String::new(),
            max_cost: None,
            hallucination_detection: false,
            reasoning_model: false,
            tool_filter: ToolFilterConfig::default(),
            sessions: SessionsConfig::default(),
        }
    }
}

/// The section `[tools]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ToolsConfig {
    /// Whether Haft offers any tools.
    #[schemars(extend("x-applies" = "next_start", "x-overlay" = false))]
    pub enabled: bool,
    /// Whether all tools that can change something are removed: `bash` and the tools that write.
    #[schemars(extend("x-applies" = "next_start", "x-overlay" = true))]
    pub read_only: bool,
    /// Whether the model summarises long results before they enter an agent's conversation.
    /// References to stored output are kept.
    #[schemars(extend("x-applies" = "next_start"))]
    pub summarize_output: bool,
    /// Named sets of tools for `mcp.profile`. `core` (for agents with their own file tools),
    /// `coding` and `full` are built in.
    #[schemars(extend("x-applies" = "next_start"))]
    pub profiles: BTreeMap<String, ProfileConfig>,
    /// Tools that need others to have succeeded in the session.
    #[schemars(extend("x-applies" = "next_start"))]
    pub dependencies: DependenciesConfig,
    /// A field in which a model thinks before it calls a tool.
    #[schemars(extend("x-applies" = "next_start"))]
    pub tafc: TafcConfig,
    /// The tool `bash`.
    #[schemars(extend("x-applies" = "reload"))]
    pub shell: ShellConfig,
    /// The file tools.
    #[schemars(extend("x-applies" = "reload"))]
    pub file: FileConfig,
    /// The tool `diagnostics`.
    #[schemars(extend("x-applies" = "reload"))]
    pub diagnostics: DiagnosticsConfig,
    /// The tools `fetch` and `web_scrape`.
    #[schemars(extend("x-applies" = "reload"))]
    pub scrape: ScrapeConfig,
    /// Permission rules by tool, in order. The first rule that matches a part of a call decides
    /// about that part; the strictest part decides about the call. If a tool has rules and none
    /// matches, a person is asked. A tool without rules runs if it only reads the workspace;
    /// otherwise a person is asked. A rule covers only its own tool and the path that the call
    /// names: put paths that no tool may read into `tools.file.deny_read`.
    #[schemars(extend("x-overlay" = "deny"))]
    pub permissions: PermissionsConfig,
    /// Shortening of command output before a model reads it. Rules of your own stand in
    /// `filters.toml`.
    #[schemars(extend("x-applies" = "reload"))]
    pub filters: FilterConfig,
    /// Approvals that last longer than a session.
    #[schemars(extend("x-applies" = "next_start"))]
    pub approvals: ApprovalsConfig,
    /// Results of reading calls that are served again.
    #[schemars(extend("x-applies" = "reload"))]
    pub result_cache: CacheConfig,
    /// Storage of output that is too long to be shown.
    #[schemars(extend("x-applies" = "reload"))]
    pub overflow: OverflowConfig,
    /// The tools `memory_save` and `memory_search`.
    #[schemars(extend("x-applies" = "reload"))]
    pub memory: MemoryConfig,
    /// Rules that deny calls whatever the permissions say.
    pub policy: PolicyConfig,
    /// A second list of such rules.
    pub authorization: AuthorizationConfig,
    /// Lets a model judge calls against policies in plain language.
    pub adversarial_policy: AdversarialConfig,
    /// Tries calls again that failed for a reason that may pass.
    #[schemars(extend("x-applies" = "reload"))]
    pub retry: RetryConfig,
    /// Trust in the origins of calls.
    pub trust: TrustConfig,
    /// Blocks tools that keep failing.
    pub anomaly: AnomalyConfig,
    /// Skips calls that are not worth making.
    pub utility: UtilityConfig,
    /// Maximum number of calls of one session. Unset: no limit.
    #[schemars(extend("x-overlay" = "lower"))]
    pub max_tool_calls_per_session: Option<u64>,
    /// Quota of callers, over all their sessions.
    pub caller_quota: CallerQuotaConfig,
    /// The record of calls.
    #[schemars(extend("x-applies" = "next_start"))]
    pub audit: AuditConfig,
    /// Copies of changed files, for undoing calls.
    #[schemars(extend("x-applies" = "next_start"))]
    pub checkpoints: CheckpointConfig,
}

impl Default for ToolsConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            read_only: false,
            summarize_output: false,
            profiles: BTreeMap::new(),
            dependencies: DependenciesConfig::default(),
            tafc: TafcConfig::default(),
            shell: ShellConfig::default(),
            file: FileConfig::default(),
            diagnostics: DiagnosticsConfig::default(),
            scrape: ScrapeConfig::default(),
            permissions: PermissionsConfig::default(),
            filters: FilterConfig::default(),
            approvals: ApprovalsConfig::default(),
            result_cache: CacheConfig::default(),
            overflow: OverflowConfig::default(),
            memory: MemoryConfig::default(),
            policy: PolicyConfig::default(),
            authorization: AuthorizationConfig::default(),
            adversarial_policy: AdversarialConfig::default(),
            retry: RetryConfig::default(),
            trust: TrustConfig::default(),
            anomaly: AnomalyConfig::default(),
            utility: UtilityConfig::default(),
            max_tool_calls_per_session: None,
            caller_quota: CallerQuotaConfig::default(),
            audit: AuditConfig::default(),
            checkpoints: CheckpointConfig::default(),
        }
    }
}

/// The section `[mcp]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpConfig {
    /// Whether results carry `structuredContent` beside the text. Many clients then show the model
    /// only that.
    pub structured: bool,
    /// Maximum number of bytes of text in one answer. Unset: 11,000 for Codex, which cuts the
    /// middle out of answers above 12,000, and 25,000 for other clients.
    pub answer_bytes: Option<usize>,
    /// Time limit in seconds for a person's answer to a question; without an answer the call is
    /// refused. A later answer counts if the same call is made again within ten minutes.
    pub question_timeout: u64,
    /// Name of the set of tools that a client is shown: `core`, `coding`, `full`, `gateway`
    /// (`tool_search` and `read_overflow`; others are shown once a search found them) or one of
    /// `[tools.profiles]`. Tools that are not shown can still be called.
    pub profile: String,
    /// Number of tools above which a client is shown only those of `core`, `tool_search`, and the
    /// tools that a search finds.
    pub search_above: usize,
    /// Tools that a client should load at once even if it finds other tools by its own search.
    pub always_load: Vec<String>,
    /// MCP servers whose tools are offered too. The same gates judge their calls; servers that Haft
    /// starts run in the sandbox like commands. Their definitions are pinned in `mcp.lock.json`
    /// beside the configuration.
    pub servers: Vec<McpServerConfig>,
}

impl Default for McpConfig {
    fn default() -> Self {
        Self {
            structured: false,
            answer_bytes: None,
            question_timeout: 120,
            profile: "full".to_owned(),
            search_above: 40,
            always_load: ["bash", "read", "edit"].map(str::to_owned).to_vec(),
            servers: vec![],
        }
    }
}
