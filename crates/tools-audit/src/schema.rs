//! The JSON schema of a line, from which `docs/reference/audit.schema.json` is generated.

use serde_json::{Value, json};
use tools_core::inline_schema;

use crate::{ConnectionLine, Entry};

/// The schema of every line of a log: calls, and the log's own events.
///
/// Fields may be added to version 1; none is renamed, removed or given another meaning.
pub fn line_schema() -> Value {
    let digest = json!({"type": "string", "pattern": "^[0-9a-f]{64}$"});
    let described = |description: &str| {
        let mut digest = digest.clone();
        digest["description"] = description.into();
        digest
    };
    let mut call = Value::from(inline_schema::<Entry<'_>>());
    call["description"] = "One call, whatever became of it.".into();
    let resumed = json!({
        "description": "Something that happened to the log.",
        "required": ["event", "ts"],
        "properties": {
            "event": {"const": "audit_resumed", "description": "Lines are written again after some could not be."},
            "lost": {"type": "integer", "minimum": 1, "description": "How many calls are not on record."},
        },
    });
    let mut connection = Value::from(inline_schema::<ConnectionLine<'_>>());
    connection["description"] =
        "One connection of a command through the gate, when it has ended or was refused.".into();
    connection["properties"]["event"] = json!({"const": "connection"});
    let is = |event: &str| json!({"required": ["event"], "properties": {"event": {"const": event}}});
    let began = json!({
        "description": "First line of a chain in a database: whose it is.",
        "required": ["event", "ts", "chain", "host", "pid"],
        "properties": {
            "event": {"const": "chain_began"},
            "chain": {"type": "string", "description": "The name of the chain: one for each process."},
            "host": {"type": "string", "description": "The machine."},
            "pid": {"type": "integer", "minimum": 0, "description": "The process."},
        },
    });
    let heads = json!({
        "description": "Last lines of other chains in the database, as this process saw them.",
        "required": ["event", "ts", "heads"],
        "properties": {
            "event": {"const": "heads"},
            "heads": {"type": "array", "items": {
                "type": "object",
                "required": ["chain", "seq", "hash"],
                "properties": {
                    "chain": {"type": "string"}, "seq": {"type": "integer", "minimum": 1}, "hash": digest,
                },
            }},
        },
    });
    let heads = json!({"if": is("heads"), "then": heads, "else": resumed});
    let began = json!({"if": is("chain_began"), "then": began, "else": heads});
    let event = json!({"if": is("connection"), "then": connection, "else": began});
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of the audit log of Haft, version 1",
        "type": "object",
        "required": ["v", "seq", "ts", "prev", "hash"],
        "properties": {
            "v": {"const": 1, "description": "The version of this schema."},
            "seq": {"type": "integer", "minimum": 1, "description": "The number of the line in its chain."},
            "ts": {
                "type": "string",
                "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$",
                "description": "RFC 3339 with milliseconds, UTC.",
            },
            "continues": {"type": "string", "description": "First line of its file: the chain goes on from that one."},
            "damaged": {
                "description": "Bytes that a cut-off write left before this line.",
                "type": "object",
                "required": ["bytes", "sha256"],
                "properties": {"bytes": {"type": "integer", "minimum": 1}, "sha256": digest},
            },
            "replaces": {
                "description": "First line of its chain: another one was here, ended so, and was put away as a whole.",
                "type": "object",
                "required": ["seq", "hash"],
                "properties": {"seq": {"type": "integer", "minimum": 1}, "hash": digest},
            },
            "prev": described("The `hash` of the line before; zeros in the first of all."),
            "hash": described(
                "The SHA-256 of the digits of `prev` followed by the bytes of the line without its member `hash`.",
            ),
        },
        "if": {"required": ["event"]},
        "then": event,
        "else": call,
    })
}
