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
    call["description"] = "One call, however it ended.".into();
    let resumed = json!({
        "description": "An event of the log itself.",
        "required": ["event", "ts"],
        "properties": {
            "event": {"const": "audit_resumed", "description": "Lines are written again, after some could not be written."},
            "lost": {"type": "integer", "minimum": 1, "description": "Number of calls that are not recorded."},
        },
    });
    let mut connection = Value::from(inline_schema::<ConnectionLine<'_>>());
    connection["description"] =
        "One connection of a command through the network gate, after it ended or was refused.".into();
    connection["properties"]["event"] = json!({"const": "connection"});
    let is = |event: &str| json!({"required": ["event"], "properties": {"event": {"const": event}}});
    let began = json!({
        "description": "First line of a chain in a database, with its origin.",
        "required": ["event", "ts", "chain", "host", "pid"],
        "properties": {
            "event": {"const": "chain_began"},
            "chain": {"type": "string", "description": "Name of the chain; each process has its own."},
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
            "v": {"const": 1, "description": "Version of this schema."},
            "seq": {"type": "integer", "minimum": 1, "description": "Number of the line in its chain, from 1."},
            "ts": {
                "type": "string",
                "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$",
                "description": "Time of the line: RFC 3339 with milliseconds, UTC.",
            },
            "continues": {"type": "string", "description": "In the first line of a file: the file whose chain this one continues."},
            "damaged": {
                "description": "Bytes of an incomplete line before this one.",
                "type": "object",
                "required": ["bytes", "sha256"],
                "properties": {"bytes": {"type": "integer", "minimum": 1}, "sha256": digest},
            },
            "replaces": {
                "description": "In the first line of a chain: the end of an earlier chain that was moved away as a whole.",
                "type": "object",
                "required": ["seq", "hash"],
                "properties": {"seq": {"type": "integer", "minimum": 1}, "hash": digest},
            },
            "prev": described("The `hash` of the previous line; zeros in the very first line."),
            "hash": described(
                "SHA-256 of the digits of `prev`, followed by the bytes of the line without its member `hash`.",
            ),
        },
        "if": {"required": ["event"]},
        "then": event,
        "else": call,
    })
}
