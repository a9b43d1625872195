//! Schema of the notes of gates and tools: each note is a field of the line.

use schemars::JsonSchema;
use serde_json::{Map, Value};

/// Notes whose meaning is settled. A line may have others, put there by a host's own layers.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the schema of fields that are noted under their names")]
pub(super) struct KnownNotes {
    /// Who or what allowed the call: `rule`, `default`, `person`, `autonomous`. If the decision is
    /// `deny`, `person` refused it.
    approved_by: Option<String>,
    /// The rule that decided, as written in the configuration.
    policy_match: Option<String>,
    /// Decision of the adversarial gate.
    adversarial_policy_decision: Option<Value>,
    /// How strongly the command was confined.
    sandbox: Option<String>,
    /// Whether the result came from the cache: `hit` or `miss`.
    cache: Option<String>,
    /// Reference of the complete output in the overflow store.
    overflow: Option<String>,
    /// Source of the paths and hosts that the call names; of several sources the least trusted:
    /// `user`, `internal`, `model`, `workspace`, `command`, `memory`, `mcp`, `web`.
    claim_source: Option<String>,
    /// What the call names that neither exists nor was given to the model: field, value and kind
    /// (`path`, `entity`) of each.
    hallucination: Option<Vec<Value>>,
    /// The skill whose tool was called (`name`), and the name of that tool (`tool`).
    skill: Option<Map<String, Value>>,
    /// What was restored after a failed command.
    rollback: Option<Map<String, Value>>,
}
