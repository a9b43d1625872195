//! Histories: one that has everything, and random ones.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use tools_core::{Media, ToolDef, ToolKind, ToolName, ToolTraits};
use tools_providers::{Block, Message, Protocol, Role, Thinking, ToolList, ToolResult, ToolUse, parse_arguments};

pub(crate) fn tool(name: &str, schema: Value) -> Arc<ToolDef> {
    let schema = serde_json::from_value(schema).unwrap();
    let text = format!("Does what {name} does.");
    Arc::new(ToolDef::new(ToolName::parse(name).unwrap(), text, schema, ToolKind::Other, ToolTraits::CAUTIOUS))
}

pub(crate) fn tools() -> ToolList {
    let read = json!({"type": "object", "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}}, "required": ["path"], "additionalProperties": false});
    let bash = json!({"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"], "additionalProperties": false});
    ToolList::new(&[tool("read", read), tool("bash", bash)])
}

pub(crate) fn call(id: &str, name: &str, arguments: &str) -> Block {
    Block::ToolUse(ToolUse { id: id.to_owned(), name: name.to_owned(), input: parse_arguments(arguments) })
}

pub(crate) fn result(id: &str, name: &str, text: &str, is_error: bool) -> ToolResult {
    ToolResult { id: id.to_owned(), name: name.to_owned(), text: text.to_owned(), is_error, images: vec![] }
}

fn picture() -> Media {
    Media::new("image/png", *b"\x89PNG")
}

fn of(role: Role, blocks: Vec<Block>) -> Arc<Message> {
    Arc::new(Message { role, blocks })
}

/// Thoughts, parallel calls, arguments that are no JSON, failures, pictures, the same id twice, a
/// call without a result.
pub(crate) fn everything(protocol: Protocol) -> Vec<Arc<Message>> {
    let raw = match protocol {
        Protocol::OpenAiResponses => {
            json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed"})
        }
        _ => json!({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}),
    };
    let thinking = Block::Thinking(Thinking { text: "Hm.".to_owned(), raw: Some((protocol, raw)) });
    let foreign = Block::Thinking(Thinking { text: "not sent".to_owned(), raw: None });
    let mut seen = result("c1", "read", "fn main() {}\n", false);
    seen.images.push(picture());
    vec![
        Message::user("Why does the test fail? Д"),
        of(
            Role::Assistant,
            vec![
                thinking,
                Block::Text("I look.".to_owned()),
                call("c1", "read", r#"{"path":"a.rs","limit":3}"#),
                call("c2", "bash", "{\"command\": "),
            ],
        ),
        of(
            Role::User,
            vec![
                Block::Text("Be quick.".to_owned()),
                Block::ToolResult(result("c2", "bash", "no JSON", true)),
                Block::ToolResult(seen),
            ],
        ),
        of(Role::Assistant, vec![foreign, call("c1", "bash", "{}")]),
        of(
            Role::User,
            vec![
                Block::ToolResult(result("c1", "bash", "[tool_error]\ncategory: timeout", true)),
                Block::Image(picture()),
            ],
        ),
        of(Role::Assistant, vec![Block::Text("   ".to_owned())]),
        of(Role::Assistant, vec![call("c9", "no such tool!", "[1]")]),
        Message::user("Go on."),
    ]
}

fn block() -> impl Strategy<Value = Block> {
    let text = prop_oneof!["[a-zД \n\"\\\\]{0,12}", Just(String::new()), Just(" \n".to_owned())];
    let id = prop_oneof!["[a-c]{0,2}", "call_[0-9]{1,3}", "[^a]{1,60}"];
    let name = prop_oneof![Just("read".to_owned()), Just("bash".to_owned()), "[a-z .Д]{0,70}"];
    let arguments =
        prop_oneof![Just("{}".to_owned()), Just(r#"{"path":"x"}"#.to_owned()), Just("[1".to_owned()), "[{}\":a]{0,9}"];
    prop_oneof![
        text.clone().prop_map(Block::Text),
        (id.clone(), name.clone(), arguments).prop_map(|(id, name, arguments)| call(&id, &name, &arguments)),
        (id, name, text.clone(), any::<bool>())
            .prop_map(|(id, name, text, is_error)| Block::ToolResult(result(&id, &name, &text, is_error))),
        text.prop_map(|text| Block::Thinking(Thinking {
            raw: Some((Protocol::Anthropic, json!({"type": "thinking", "thinking": text, "signature": "s"}))),
            text,
        })),
        Just(Block::Image(picture())),
    ]
}

/// Any messages at all: results without calls, calls without results, blocks of the other role.
pub(crate) fn histories() -> impl Strategy<Value = Vec<Arc<Message>>> {
    let role = prop_oneof![Just(Role::User), Just(Role::Assistant)];
    let message = (role, prop::collection::vec(block(), 0..5)).prop_map(|(role, blocks)| of(role, blocks));
    prop::collection::vec(message, 0..10)
}
