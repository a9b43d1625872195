//! The order of the layers, as a value: `haft layers`, the reference page and the builder all read it here.

/// One layer: where it lives, what it refuses with, and why it stands where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerRow {
    /// Its permanent name.
    pub name: &'static str,
    /// The crate it lives in.
    pub owner: &'static str,
    /// The categories and codes it refuses with; empty when it refuses nothing.
    pub refuses_with: &'static [&'static str],
    /// Why it stands exactly here.
    pub why: &'static str,
}

/// The layers, outermost first.
pub const LAYERS: &[LayerRow] = &[
    LayerRow {
        name: "announce",
        owner: "tools-core",
        refuses_with: &[],
        why: "`Started` before anything, `Finished` after the audit line exists: nobody learns a result that is not on record",
    },
    LayerRow {
        name: "audit",
        owner: "tools-audit",
        refuses_with: &["permanent_failure/audit_failed"],
        why: "sees every refusal, unknown tool and dropped call, and writes before it returns",
    },
    LayerRow {
        name: "quota",
        owner: "tools-policy",
        refuses_with: &["policy_blocked/quota_blocked"],
        why: "outside the gates: a loop of refused calls must end too; retries, further in, are free",
    },
    LayerRow {
        name: "utility",
        owner: "tools-policy",
        refuses_with: &["policy_blocked/utility_skipped"],
        why: "before a model or a person is asked about a call that is not worth making",
    },
    LayerRow {
        name: "grounding",
        owner: "tools-policy",
        refuses_with: &[],
        why: "only warns: outside the gates, so that a call that names something out of nowhere is marked on record also when it is refused",
    },
    LayerRow {
        name: "policy",
        owner: "tools-policy",
        refuses_with: &["policy_blocked/policy_denied"],
        why: "`[tools.policy]`, then `[tools.authorization]`: what they deny nothing further in lifts",
    },
    LayerRow {
        name: "adversarial",
        owner: "tools-policy",
        refuses_with: &["policy_blocked/adversarial_denied"],
        why: "a model judges only what the rules leave, and nobody is asked about what it refuses",
    },
    LayerRow {
        name: "trust",
        owner: "tools-policy",
        refuses_with: &["policy_blocked/trust_blocked"],
        why: "the trust in the origin, lowered before the permissions read it, and tools that are blocked for failing",
    },
    LayerRow {
        name: "permissions",
        owner: "tools-policy",
        refuses_with: &["confirmation_required/confirmation_required", "policy_blocked/permission_denied"],
        why: "last gate: a person is asked only about a call that nothing else refuses",
    },
    LayerRow {
        name: "cache",
        owner: "tools-cache",
        refuses_with: &[],
        why: "inside every gate, so that a hit is judged like any call; outside overflow and filter, so that a hit is what the model saw",
    },
    LayerRow {
        name: "overflow",
        owner: "tools-overflow",
        refuses_with: &[],
        why: "outside the filter: stores the whole text and shows head and tail of what the filter left of it",
    },
    LayerRow {
        name: "filter",
        owner: "tools-filter",
        refuses_with: &[],
        why: "nearest to what the tool said, so that whatever stands outside it stores, counts and shows what the model reads",
    },
    LayerRow {
        name: "secrets",
        owner: "tools-filter",
        refuses_with: &["invalid_parameters/unknown_placeholder"],
        why: "nearest to raw text: whatever shortens, stores, records or shows a result sees placeholders in the place of credentials",
    },
    LayerRow {
        name: "checkpoint",
        owner: "tools-checkpoint",
        refuses_with: &[],
        why: "looks before and after what really runs, all its attempts together: refused calls and reused results cost nothing",
    },
    LayerRow {
        name: "anomaly",
        owner: "tools-policy",
        refuses_with: &[],
        why: "counts how real executions end; the gate that blocks for it is `trust`",
    },
    LayerRow {
        name: "retry",
        owner: "tools-retry",
        refuses_with: &[],
        why: "innermost: repeats the execution alone, of tools that may be repeated, after failures that may pass",
    },
];
