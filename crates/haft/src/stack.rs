//! The order of the layers, as a value: `haft layers`, the reference page and the builder all read
//! it here.

#[cfg(feature = "policy")]
use tools_policy::{
    GATES,
    gate::{GateInfo, Stands},
};

/// One layer: where it lives, what it refuses with, and why it stands where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerRow {
    /// Its permanent name.
    pub name: &'static str,
    /// The crate it lives in.
    pub owner: &'static str,
    /// The categories and codes it refuses with; empty when it refuses nothing.
    pub refuses_with: &'static [&'static str],
    /// Reason of the position.
    pub why: &'static str,
}

/// What stands outside every gate.
const OUTER: &[LayerRow] = &[
    LayerRow {
        name: "unlisted",
        owner: "tools-core",
        refuses_with: &["tool_not_found/tool_not_found"],
        why: "outside the record, which keeps the refusal as it was decided: a model learns of a tool that it is not shown only that there is none",
    },
    LayerRow {
        name: "announce",
        owner: "tools-core",
        refuses_with: &[],
        why: "`Started` before anything, `Finished` after the audit line exists: no result is returned before it is recorded",
    },
    #[cfg(feature = "audit")]
    LayerRow {
        name: "audit",
        owner: "tools-audit",
        refuses_with: &["permanent_failure/audit_failed"],
        why: "sees every refusal, unknown tool and dropped call, and writes before it returns",
    },
    #[cfg(feature = "graph")]
    LayerRow {
        name: "dependencies",
        owner: "tools-graph",
        refuses_with: &["policy_blocked/needs_tool_first"],
        why: "before every gate: rate-limited calls are not asked about, and outcomes are seen as they end",
    },
    #[cfg(feature = "skills")]
    LayerRow {
        name: "skills",
        owner: "tools-skills",
        refuses_with: &["policy_blocked/skill_narrows"],
        why: "before every gate: a skill only removes tools, and removed tools are not asked about",
    },
];

/// What stands between the gates and the execution.
const INNER: &[LayerRow] = &[
    #[cfg(feature = "memory")]
    LayerRow {
        name: "memory",
        owner: "tools-memory",
        refuses_with: &[],
        why: "outside the cache: a session has read text from outside also where a result is served again",
    },
    #[cfg(feature = "cache")]
    LayerRow {
        name: "cache",
        owner: "tools-cache",
        refuses_with: &[],
        why: "inside every gate, so that a hit is judged like any call; outside overflow and filter, so that a hit is what the model saw",
    },
    #[cfg(feature = "overflow")]
    LayerRow {
        name: "overflow",
        owner: "tools-overflow",
        refuses_with: &[],
        why: "outside the filter: stores the whole text and shows head and tail of what the filter left of it",
    },
    #[cfg(feature = "filter")]
    LayerRow {
        name: "filter",
        owner: "tools-filter",
        refuses_with: &[],
        why: "nearest to what the tool said, so that whatever stands outside it stores, counts and shows what the model reads",
    },
    #[cfg(feature = "audit")]
    LayerRow {
        name: "running",
        owner: "tools-audit",
        refuses_with: &[],
        why: "right outside of what really runs: notes what a killed process leaves unfinished, so that a later one puts it on record",
    },
    LayerRow {
        name: "secrets",
        owner: "tools-secrets",
        refuses_with: &[
            "invalid_parameters/unknown_placeholder",
            "confirmation_required/credential_moves",
            "permanent_failure/session_elsewhere",
        ],
        why: "nearest to raw text: whatever shortens, stores, records or shows a result sees placeholders in the place of credentials",
    },
    #[cfg(feature = "checkpoint")]
    LayerRow {
        name: "checkpoint",
        owner: "tools-checkpoint",
        refuses_with: &[],
        why: "looks before and after what really runs, all its attempts together: refused calls and reused results cost nothing",
    },
];

/// What stands nearest to the execution.
const INNERMOST: &[LayerRow] = &[
    #[cfg(feature = "retry")]
    LayerRow {
        name: "retry",
        owner: "tools-retry",
        refuses_with: &[],
        why: "innermost: repeats the execution alone, of tools that may be repeated, after failures that may pass",
    },
];

/// The layers of this build, outermost first; the gates among them in the order of their list.
pub fn layers() -> Vec<LayerRow> {
    let mut rows = OUTER.to_vec();
    #[cfg(feature = "policy")]
    rows.extend(gates(Stands::BeforeCall));
    rows.extend(INNER);
    #[cfg(feature = "policy")]
    rows.extend(gates(Stands::AroundExecution));
    rows.extend(INNERMOST);
    rows
}

#[cfg(feature = "policy")]
fn gates(stands: Stands) -> impl Iterator<Item = LayerRow> {
    GATES.iter().filter(move |row| row.about.stands == stands).map(|row| LayerRow::of(&row.about))
}

#[cfg(feature = "policy")]
impl LayerRow {
    fn of(gate: &GateInfo) -> Self {
        let GateInfo { name, refuses_with, why_here, .. } = *gate;
        Self { name, owner: "tools-policy", refuses_with, why: why_here }
    }
}
