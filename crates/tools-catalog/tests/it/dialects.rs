//! What each interface is given, and what is said of that.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use tools_catalog::{Change, Dialect};

use crate::support::{rich, tool};

/// Every object below a value.
fn objects(value: &Value) -> Vec<&serde_json::Map<String, Value>> {
    match value {
        Value::Object(map) => std::iter::once(map).chain(map.values().flat_map(objects)).collect(),
        Value::Array(items) => items.iter().flat_map(objects).collect(),
        _ => vec![],
    }
}

#[test]
fn each_interface_gets_its_form_and_says_what_is_lost() {
    for dialect in Dialect::ALL {
        let rendered = dialect.render(&[tool("rich", rich())]);
        let report: Vec<String> = rendered.report.iter().map(ToString::to_string).collect();
        insta::assert_json_snapshot!(dialect.name(), json!({"tool": rendered.tools[0], "report": report}));
        assert_eq!(dialect.name().parse(), Ok(dialect));
    }
    assert!("openai".parse::<Dialect>().unwrap_err().contains("`openai-chat`"));
}

#[test]
fn strict_forms_are_closed_and_require_everything() {
    let rendered = Dialect::OpenAiChatStrict.render(&[tool("rich", rich())]);
    let function = &rendered.tools[0]["function"];
    assert_eq!(function["strict"], true);
    for object in objects(&function["parameters"]).into_iter().filter(|map| map.contains_key("properties")) {
        let names: Vec<&String> = object["properties"].as_object().unwrap().keys().collect();
        assert_eq!(object["required"], json!(names));
        assert_eq!(object["additionalProperties"], false);
    }
}

#[test]
fn what_cannot_be_strict_is_offered_without_and_says_why() {
    for (schema, reason) in [
        (
            json!({"type": "object", "properties": {"env": {"type": "object", "additionalProperties": {"type": "string"}}}}),
            "any name",
        ),
        (json!({"type": "object", "properties": {"value": {}}}), "any type"),
        (json!({"type": "object", "properties": {"list": {"type": "array"}}}), "any type"),
    ] {
        for (strict, loose) in [
            (Dialect::OpenAiChatStrict, Dialect::OpenAiChat),
            (Dialect::OpenAiResponsesStrict, Dialect::OpenAiResponses),
        ] {
            let tools = [tool("x", schema.clone())];
            let (rendered, plain) = (strict.render(&tools), loose.render(&tools));
            let Change::NotStrict { reason: found } = &rendered.report[0].change else {
                panic!("{:?}", rendered.report)
            };
            assert!(found.contains(reason), "{found}");
            let parameters =
                |value: &Value| value.pointer("/function/parameters").or_else(|| value.get("parameters")).cloned();
            assert_eq!(parameters(&rendered.tools[0]), parameters(&plain.tools[0]));
            assert!(rendered.tools[0].to_string().contains("\"strict\":false"), "{}", rendered.tools[0]);
        }
    }
}

#[test]
fn choices_of_the_whole_parameters_become_one_object() {
    let schema = json!({"anyOf": [
        {"type": "object", "properties": {"a": {"type": "string"}, "c": {"type": "string"}}, "required": ["a", "c"]},
        {"type": "object", "properties": {"b": {"type": "string"}, "c": {"type": "string"}}, "required": ["b", "c"]},
    ]});
    let rendered = Dialect::Anthropic.render(&[tool("x", schema.clone())]);
    let input = &rendered.tools[0]["input_schema"];
    assert_eq!(input["properties"].as_object().unwrap().len(), 3);
    assert_eq!((&input["type"], &input["required"], input.get("anyOf")), (&json!("object"), &json!(["c"]), None));
    assert_eq!(rendered.report.len(), 1);
    assert!(Dialect::Mcp.render(&[tool("x", schema)]).report.is_empty());
}

#[test]
fn a_renamed_tool_is_found_again() {
    let tools = ["1st", "_1st", "plain"].map(|name| tool(name, json!({"type": "object"})));
    let rendered = Dialect::Gemini.render(&tools);
    let names: Vec<&str> = rendered.tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["_1st_2", "_1st", "plain"]);
    let back: Vec<&str> = names.iter().filter_map(|name| Some(rendered.tool(name)?.as_str())).collect();
    assert_eq!(back, ["1st", "_1st", "plain"]);
    assert_eq!(rendered.tool("1st"), None);
    assert_eq!(rendered.report[0].change, Change::Renamed { to: "_1st_2".to_owned() });
}

fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["string", "integer", "number", "boolean", "null"])
            .prop_map(|name| json!({"type": name})),
        Just(json!({"type": ["string", "integer", "null"]})),
        Just(json!({"const": 7})),
        Just(json!({"enum": ["a", null]})),
        Just(json!({"enum": [1, "b"]})),
        Just(json!(true)),
        Just(json!({"type": "string", "pattern": "^a", "format": "date", "examples": ["a"]})),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        prop_oneof![
            prop::collection::btree_map("[a-z]{1,3}", inner.clone(), 0..4).prop_map(|properties| {
                let required: Vec<String> = properties.keys().take(1).cloned().collect();
                json!({"type": "object", "properties": properties, "required": required})
            }),
            inner.clone().prop_map(|items| json!({"type": "array", "items": items, "uniqueItems": true})),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|members| json!({"anyOf": members})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|members| json!({"oneOf": members})),
            inner.prop_map(|one| json!({"allOf": [one], "description": "d"})),
        ]
    })
}

proptest! {
    #[test]
    fn an_interface_gets_only_what_it_reads(parameter in schemas()) {
        let tools = [tool("x", json!({"type": "object", "properties": {"p": parameter}, "required": ["p"]}))];
        for dialect in Dialect::ALL {
            let rendered = dialect.render(&tools);
            prop_assert_eq!(rendered.bytes(), dialect.render(&tools).bytes());
            let parameters = &rendered.tools[0];
            match dialect {
                Dialect::Gemini => {
                    for map in objects(&parameters["parameters"]) {
                        for keyword in ["oneOf", "allOf", "const", "additionalProperties", "uniqueItems"] {
                            prop_assert!(!map.contains_key(keyword), "{}", parameters);
                        }
                        prop_assert!(map.get("type").is_none_or(|name| !name.is_array()), "{}", parameters);
                    }
                }
                Dialect::OpenAiChatStrict if parameters["function"]["strict"] == true => {
                    for map in objects(&parameters["function"]["parameters"]) {
                        for keyword in ["oneOf", "allOf", "uniqueItems", "default", "format", "examples"] {
                            prop_assert!(!map.contains_key(keyword), "{}", parameters);
                        }
                        if map.get("type").is_some_and(|name| name == "object") {
                            prop_assert_eq!(&map["additionalProperties"], &json!(false));
                        }
                    }
                }
                Dialect::Mcp => prop_assert_eq!(&parameters["inputSchema"], tools[0].input.as_value()),
                _ => {}
            }
        }
    }
}

#[test]
fn the_text_does_not_depend_on_the_order_of_members() {
    let a: Value =
        serde_json::from_str(r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}"#)
            .unwrap();
    let b: Value =
        serde_json::from_str(r#"{"properties":{"b":{"type":"string"},"a":{"type":"string"}},"type":"object"}"#)
            .unwrap();
    for dialect in Dialect::ALL {
        let bytes = |schema: &Value| dialect.render(&[Arc::clone(&tool("x", schema.clone()))]).bytes();
        assert_eq!(bytes(&a), bytes(&b), "{dialect}");
    }
}
