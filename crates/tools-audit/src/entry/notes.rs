//! Schema of the notes of gates and tools: each note is a field of the line.

use schemars::JsonSchema;
use serde_json::{Map, Value};

/// Notes whose meaning is settled. A line may have others, put there by a host's own layers.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the schema of fields that are noted under their names")]
pub(super) struct KnownNotes {
    /// Who or what let it run: `rule`, `default`, `person`, `autonomous`. Where the decision is
    /// `deny`, `person` refused it.
    approved_by: Option<String>,
    /// The rule that decided, as it stands in the configuration.
    policy_match: Option<String>,
    /// What the adversarial gate decided.
    adversarial_policy_decision: Option<Value>,
    /// How strongly a command was confined.
    sandbox: Option<String>,
    /// Whether the result came from the cache: `hit` or `miss`.
    cache: Option<String>,
    /// The reference under which the complete output is stored.
    overflow: Option<String>,
    /// Where the paths and hosts that the call names came from, and of several sources the least
    /// believed: `user`, `internal`, `model`, `workspace`, `command`, `memory`, `mcp`, `web`.
    claim_source: Option<String>,
    /// What the call names that neither exists nor was told to the model: field, value and kind
    /// (`path`, `entity`) of each.
    hallucination: Option<Vec<Value>>,
    /// The skill whose tool the call stands for (`name`), and the name of that tool (`tool`).
    skill: Option<Map<String, Value>>,
    /// What was put back after a command that failed.
    rollback: Option<Map<String, Value>>,
}
