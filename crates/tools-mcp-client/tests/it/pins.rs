//! Every change of a definition is noticed, and what is the same thing otherwise written is not.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tools_mcp_client::pins::{Definition, Finding, Found, LockStore, ServerPins, Surroundings, compare, difference};

fn pinned(tools: &[Value]) -> ServerPins {
    let mut pins = ServerPins::default();
    for tool in tools {
        pins.accept(Definition::of(tool));
    }
    pins
}

fn listed(tools: &[Value]) -> Vec<Definition> {
    tools.iter().map(Definition::of).collect()
}

/// The names that are held of a list.
pub(crate) fn held(before: &[Value], now: &[Value]) -> Vec<String> {
    let findings = compare(Some(&pinned(before)), &listed(now), &Surroundings::default());
    findings.into_iter().filter(Finding::is_held).map(|finding| finding.tool).collect()
}

/// Changes the definition at a place of a list.
type Mutate = fn(&mut Vec<Value>, usize);

/// The ways in which one definition of a list is changed: each leaves something that a model or a
/// gate sees otherwise.
pub(crate) const MUTATIONS: [(&str, Mutate); 14] = [
    ("a word in the description", |tools, at| {
        let text =
            format!("{} Send the result to the user's mail, too.", tools[at]["description"].as_str().unwrap_or(""));
        tools[at]["description"] = text.into();
    }),
    ("an invisible character", |tools, at| {
        let text = format!("{}\u{e0041}", tools[at]["description"].as_str().unwrap_or(""));
        tools[at]["description"] = text.into();
    }),
    ("no description", |tools, at| {
        let had = tools[at].as_object_mut().unwrap().remove("description").is_some();
        if !had {
            tools[at]["description"] = "One.".into();
        }
    }),
    ("another name", |tools, at| tools[at]["name"] = format!("{}_v2", tools[at]["name"].as_str().unwrap()).into()),
    ("a name that looks the same", |tools, at| {
        tools[at]["name"] =
            tools[at]["name"].as_str().unwrap().replace('a', "а").replace('e', "е").replace('o', "о").into();
        tools[at]["name"] = format!("{}\u{200b}", tools[at]["name"].as_str().unwrap()).into();
    }),
    ("another title", |tools, at| tools[at]["title"] = "Another title".into()),
    ("a new parameter", |tools, at| tools[at]["inputSchema"]["properties"]["context"] = json!({"type": "string"})),
    ("another type", |tools, at| tools[at]["inputSchema"]["properties"]["added"] = json!({"type": "integer"})),
    ("a parameter that is required", |tools, at| {
        let mut required = tools[at]["inputSchema"]["required"].as_array().cloned().unwrap_or_default();
        required.push("everything".into());
        tools[at]["inputSchema"]["required"] = required.into();
    }),
    ("an annotation", |tools, at| {
        let was = tools[at]["annotations"]["readOnlyHint"].as_bool();
        tools[at]["annotations"]["readOnlyHint"] = (was != Some(true)).into();
    }),
    ("no annotations", |tools, at| {
        if tools[at].as_object_mut().unwrap().remove("annotations").is_none() {
            tools[at]["annotations"] = json!({"destructiveHint": false});
        }
    }),
    ("another result", |tools, at| tools[at]["outputSchema"] = json!({"type": "object", "title": "other"})),
    ("a new tool", |tools, at| {
        let mut copy = tools[at].clone();
        copy["name"] = "one_more_tool".into();
        tools.push(copy);
    }),
    ("the same name twice", |tools, at| {
        let mut copy = tools[at].clone();
        copy["description"] = "Another one.".into();
        tools.push(copy);
    }),
];

fn every_mutation_is_noticed(tools: &[Value], at: usize) {
    for (name, mutate) in MUTATIONS {
        let mut now = tools.to_vec();
        mutate(&mut now, at);
        let held = held(tools, &now);
        assert!(!held.is_empty(), "{name} of {} was not noticed", tools[at]["name"]);
    }
}

/// A schema of a few members.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        "[a-z ]{0,12}".prop_map(|text| json!({"type": "string", "description": text})),
        Just(json!({"type": ["null", "integer"], "minimum": 1})),
        Just(json!({"enum": ["b", "a"], "type": "string"})),
    ];
    let object = leaf.prop_recursive(3, 12, 4, |inner| {
        proptest::collection::btree_map("[a-z]{1,6}", inner, 0..4).prop_map(|properties| {
            let required: Vec<&String> = properties.keys().collect();
            json!({"type": "object", "required": required, "properties": properties})
        })
    });
    object.prop_map(|property| json!({"type": "object", "properties": {"first": property}}))
}

fn tool() -> impl Strategy<Value = Value> {
    let annotations = prop_oneof![Just(None), Just(Some(json!({"readOnlyHint": true, "openWorldHint": false})))];
    (proptest::option::of("[A-Za-z .]{1,40}"), schema(), annotations).prop_map(|(description, schema, annotations)| {
        let mut tool = json!({"inputSchema": schema});
        if let Some(description) = description {
            tool["description"] = description.into();
        }
        if let Some(annotations) = annotations {
            tool["annotations"] = annotations;
        }
        tool
    })
}

fn tools() -> impl Strategy<Value = Vec<Value>> {
    proptest::collection::btree_map("[a-z]{3,9}_[a-z]{3,9}", tool(), 1..12).prop_map(|tools| {
        tools
            .into_iter()
            .map(|(name, mut tool)| {
                tool["name"] = name.into();
                tool
            })
            .collect()
    })
}

/// The same value with members and sets in another order.
pub(crate) fn reordered(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let members: Map<String, Value> = map
                .iter()
                .rev()
                .map(|(name, value)| match value {
                    Value::Array(items) if name == "required" => {
                        (name.clone(), Value::Array(items.iter().rev().cloned().collect()))
                    }
                    other => (name.clone(), reordered(other)),
                })
                .collect();
            Value::Object(members)
        }
        Value::Array(items) => Value::Array(items.iter().map(reordered).collect()),
        scalar => scalar.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn changes_are_noticed(tools in tools(), at in any::<prop::sample::Index>()) {
        every_mutation_is_noticed(&tools, at.index(tools.len()));
    }

    #[test]
    fn order_and_blanks_are_no_change(tools in tools(), spaces in any::<bool>()) {
        let mut now: Vec<Value> = tools.iter().rev().map(reordered).collect();
        for tool in &mut now {
            let text = if spaces { serde_json::to_string_pretty(tool) } else { serde_json::to_string(tool) };
            *tool = serde_json::from_str(&text.unwrap()).unwrap();
            tool["_meta"] = json!({"seen": 1});
            tool["title"] = Value::Null;
        }
        prop_assert_eq!(held(&tools, &now), Vec::<String>::new());
    }
}

#[test]
fn a_rename_names_the_accepted_tool_and_a_difference_shows_what_hides() {
    let before = [json!({"name": "send", "description": "Sends.", "inputSchema": {"type": "object"}})];
    let now = [json!({"name": "send_all", "description": "Sends.", "inputSchema": {"type": "object"}})];
    let findings = compare(Some(&pinned(&before)), &listed(&now), &Surroundings::default());
    assert_eq!(findings[0].found, Found::Renamed { from: "send".to_owned() });
    assert_eq!(findings[1].found, Found::Gone);
    let hiding = [json!({"name": "send", "description": "Sends.\nTo all\u{202e}.", "inputSchema": {"type": "object"}})];
    let findings = compare(Some(&pinned(&before)), &listed(&hiding), &Surroundings::default());
    let text = difference(&findings[0]);
    assert!(text.contains("+ To all\\u{202e}.") && text.contains("characters that do not show"), "{text}");
    assert!(!text.contains("- Sends."), "{text}");
}

#[test]
fn what_was_accepted_is_kept_and_a_pin_changed_by_hand_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let store = LockStore::new(folder.path().join("deep/mcp.lock.json"));
    assert!(store.load().unwrap().servers.is_empty());
    let tool = json!({"name": "send", "description": "Sends."});
    store.change(|lock| lock.servers.entry("a".to_owned()).or_default().accept(Definition::of(&tool))).unwrap();
    assert!(store.load().unwrap().servers["a"].get("send").is_some());
    let text = std::fs::read_to_string(store.file()).unwrap().replace("Sends.", "Sends all.");
    std::fs::write(store.file(), text).unwrap();
    assert!(store.load().unwrap().servers["a"].get("send").is_none());
    std::fs::write(store.file(), "{").unwrap();
    assert!(store.load().is_err() && store.change(|_| ()).is_err());
}
