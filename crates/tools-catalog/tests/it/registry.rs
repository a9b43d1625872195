//! Bad definitions are put right when they are taken in, and name their tool; calls are held to
//! what is left.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tools_catalog::{CatalogFault, CheckedExecutor, ToolRegistry};
use tools_core::{
    CallContext, DynExecutor, Inspection, Stack, Tool, ToolCall, ToolDef, ToolError, ToolErrorCategory, ToolKind,
    ToolOrigin, ToolOutput, ToolTraits, Typed,
};
use tools_testkit::{Workspace, contract};

use crate::support::{rich, tool};

fn one(tool: &Arc<ToolDef>) -> (Value, Vec<CatalogFault>) {
    let (registry, faults) = ToolRegistry::new(std::slice::from_ref(tool));
    (registry.definitions()[0].input.as_value().clone(), faults)
}

fn checked(schema: Value, params: Value) -> Result<(), (ToolErrorCategory, String)> {
    let (registry, _) = ToolRegistry::new(&[tool("x", schema)]);
    let call = ToolCall::new("x", params).expect("the name is valid");
    registry.check(&call).map_err(|error| (error.category(), error.to_string()))
}

#[test]
fn a_good_definition_stays_the_very_same() {
    let mut schema = rich();
    schema.as_object_mut().unwrap().remove("$schema");
    let good = tool("x", schema);
    let (registry, faults) = ToolRegistry::new(std::slice::from_ref(&good));
    assert!(faults.is_empty(), "{faults:?}");
    assert!(Arc::ptr_eq(&registry.definitions()[0], &good));
}

#[test]
fn every_fault_names_its_tool_and_place() {
    let check = |schema: Value, expected: &[&str]| {
        let (_, faults) = one(&tool("odd", schema));
        let texts: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(texts, expected);
    };
    check(
        json!({"properties": {"a": {"$ref": "https://example.com/s.json"}, "b": {"$ref": "#/$defs/none"}}}),
        &[
            "`odd`: the reference `https://example.com/s.json` at `a` leads to nothing in its definition; any value is taken there",
            "`odd`: the reference `#/$defs/none` at `b` leads to nothing in its definition; any value is taken there",
        ],
    );
    check(
        json!({"properties": {"tree": {"$ref": "#/$defs/node"}}, "$defs": {"node": {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}}}),
        &["`odd`: the schema at `tree.children.children` holds itself or is too large; any value is taken below it"],
    );
    check(
        json!({"type": "string"}),
        &["`odd`: its parameters are not an object; it is taken as one without known parameters"],
    );
    check(json!(false), &["`odd`: its parameters are not an object; it is taken as one without known parameters"]);
    check(
        json!({"properties": {"a": {"type": "text"}, "b": {"pattern": "("}, "c": {"items": 7}}}),
        &[
            "`odd`: `type` at `a` cannot be what it is; it is passed over",
            "`odd`: `pattern` at `b` cannot be what it is; it is passed over",
            "`odd`: `items` at `c` cannot be what it is; it is passed over",
        ],
    );
    let described =
        |text: String| one(&Arc::new(ToolDef::clone(&tool("odd", json!({"type": "object"}))).described(text))).1;
    assert_eq!(
        described("x".repeat(1 << 20))[0].to_string(),
        "`odd`: its description has 1048576 bytes; the first 16384 are kept"
    );
    assert_eq!(
        described("Reads\u{202e}.\u{1b}[2J\n".to_owned())[0].to_string(),
        "`odd`: its description holds characters that do not show; they are taken out"
    );
    let twice = [tool("a", json!({"type": "object"})), tool("a", json!({"type": "object"}))];
    let (registry, faults) = ToolRegistry::new(&twice);
    assert_eq!(
        (registry.definitions().len(), faults[0].to_string()),
        (1, "two tools are called `a`; the first is kept".to_owned())
    );
}

#[test]
fn names_listed_twice_count_once() {
    let twice = json!({
        "properties": {"a": {"type": ["string", "null", "string"]}},
        "required": ["a", "a"],
        "dependentRequired": {"a": ["b", "b"]},
    });
    let (schema, faults) = one(&tool("odd", twice.clone()));
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(schema["required"], json!(["a"]));
    assert_eq!(schema["properties"]["a"]["type"], json!(["string", "null"]));
    assert_eq!(schema["dependentRequired"], json!({"a": ["b"]}));
    assert!(checked(twice, json!({})).is_err());
}

#[test]
fn what_stands_beside_a_reference_counts_and_its_references_are_followed() {
    let (schema, faults) = one(&tool(
        "odd",
        json!({
            "$ref": "#/$defs/base",
            "properties": {"size": {"$ref": "#/$defs/size"}},
            "required": ["size"],
            "$defs": {
                "base": {
                    "type": "object",
                    "properties": {"path": {"type": "string"}},
                    "required": ["path"],
                    "description": "What it is about.",
                },
                "size": {"type": "integer", "minimum": 1},
                "unused": {"$ref": "#/$defs/none"},
            },
        }),
    ));
    assert!(faults.is_empty(), "{faults:?}");
    let expected = json!({
        "type": "object",
        "description": "What it is about.",
        "properties": {"path": {"type": "string"}, "size": {"type": "integer", "minimum": 1}},
        "required": ["path", "size"],
    });
    assert_eq!(schema, expected);
}

#[test]
fn references_that_double_at_each_step_end() {
    let mut definitions = serde_json::Map::new();
    for n in 0..40 {
        let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
        definitions.insert(format!("d{n}"), json!({"properties": {"a": next, "b": next}}));
    }
    definitions.insert("d40".to_owned(), json!({"type": "string"}));
    let (schema, faults) =
        one(&tool("wide", json!({"properties": {"p": {"$ref": "#/$defs/d0"}}, "$defs": definitions})));
    assert!(matches!(faults[0], CatalogFault::Endless { .. }), "{faults:?}");
    assert!(schema.to_string().len() < 10 << 20);
}

#[test]
fn bad_parameters_are_named_by_path_with_what_is_right() {
    use ToolErrorCategory::{InvalidParameters, TypeMismatch};
    let check = |params: Value, category: ToolErrorCategory, part: &str| {
        let (found, text) = checked(rich(), params).unwrap_err();
        assert_eq!(found, category, "{text}");
        assert!(text.contains(part), "{text}");
    };
    assert_eq!(checked(rich(), json!({"path": "a", "edits": [{"old": "x"}], "mode": "fast", "level": 2})), Ok(()));
    check(json!({}), InvalidParameters, "no parameters given; missing field `path` (a string)");
    check(json!({"path": 7, "edits": []}), TypeMismatch, "`path`: expected a string, found an integer");
    check(json!({"path": "a", "edits": [{"old": 1}]}), TypeMismatch, "`edits[0].old`: expected a string");
    check(json!({"pth": "a", "edits": []}), InvalidParameters, "did you mean `path`?");
    check(
        json!({"path": "a", "edits": [], "mode": "odd"}),
        InvalidParameters,
        "`mode`: expected one of `fast`, `slow`",
    );
    check(json!({"path": "", "edits": []}), InvalidParameters, "`path`: ");
    check(json!({"path": "a", "edits": [], "limit": -1}), InvalidParameters, "`limit`: ");
}

#[test]
fn thoughts_alone_are_no_parameters() {
    let (category, text) = checked(rich(), json!({"_tafc_think": "a marker"})).unwrap_err();
    assert_eq!(category, ToolErrorCategory::InvalidParameters);
    assert!(text.contains("no parameters given") && !text.contains("marker"), "{text}");
    assert_eq!(checked(json!({"type": "object", "additionalProperties": false}), json!({"_tafc_think": "x"})), Ok(()));
}

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop::sample::select(vec!["object", "string", "#", "#/properties/type", "#/$defs/type", "x", "("])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 5, |inner| {
        let keys = prop::sample::select(vec![
            "type",
            "properties",
            "items",
            "$ref",
            "$defs",
            "anyOf",
            "enum",
            "required",
            "pattern",
            "minimum",
            "additionalProperties",
            "const",
            "$id",
            "a",
            "patternProperties",
            "dependentRequired",
            "minLength",
        ]);
        prop_oneof![
            prop::collection::vec((keys, inner.clone()), 0..6).prop_map(|members| Value::Object(
                members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            )),
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
        ]
    })
}

/// Whether a schema has a reference outside the values that it only compares with.
fn has_reference(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => map.iter().any(|(name, value)| {
            (name == "$ref" && value.is_string()) || (name != "const" && name != "enum" && has_reference(value))
        }),
        Value::Array(list) => list.iter().any(has_reference),
        _ => false,
    }
}

proptest! {
    #[test]
    fn whatever_a_server_sends_can_be_shown_and_called(schema in anything().prop_filter("a schema", |value| value.is_object() || value.is_boolean())) {
        let (registry, _) = ToolRegistry::new(&[tool("x", schema)]);
        let repaired = &registry.definitions()[0];
        prop_assert_eq!(&repaired.input.as_value()["type"], "object");
        prop_assert!(!has_reference(repaired.input.as_value()), "{}", repaired.input.as_value());
        prop_assert!(tools_catalog::ParameterCheck::compile(repaired).is_ok(), "{}", repaired.input.as_value());
        for dialect in tools_catalog::Dialect::ALL {
            prop_assert_eq!(dialect.render(registry.definitions()).tools.len(), 1);
        }
    }
}

/// Gives back its text.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// What to give back.
    text: String,
}

struct Echo(Arc<AtomicUsize>);

impl Tool for Echo {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<Args>("echo", ToolKind::Other, ToolTraits::READ_ONLY).from_origin(ToolOrigin::Host)
    }

    async fn inspect(&self, _: &Args, _: &CallContext) -> Result<Inspection, ToolError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(Inspection::read_only())
    }

    async fn run(&self, args: Args, _: &CallContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(args.text))
    }
}

#[tokio::test]
async fn calls_of_a_hosts_tool_are_held_to_its_definition_before_it_sees_them() {
    let looked = Arc::new(AtomicUsize::new(0));
    let executor = || DynExecutor::new(CheckedExecutor::new(DynExecutor::new(Typed::new(Echo(Arc::clone(&looked))))));
    let call = |params: Value| ToolCall::new("echo", params).unwrap();
    contract::check(executor(), &Workspace::new(), &[call(json!({"text": "a"}))]).await;
    looked.store(0, Ordering::Relaxed);
    let (stack, cx) = (Stack::new(vec![], executor()), CallContext::new("/"));
    let refused = stack.dispatch(call(json!({"text": 7})), &cx).await.unwrap_err();
    assert_eq!((refused.category(), looked.load(Ordering::Relaxed)), (ToolErrorCategory::TypeMismatch, 0));
    assert_eq!(stack.dispatch(call(json!({"text": "a"})), &cx).await.unwrap().summary, "a");
}
