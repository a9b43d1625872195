//! Converts a schema for an interface, and notes each difference.

use serde_json::{Map, Value, json};

use super::Change;
use super::table::{Table, Types};

/// Maximum nesting and number of parameters that strict interfaces accept.
const STRICT_DEPTH: usize = 10;
const STRICT_PARAMETERS: usize = 5_000;
/// Keywords without meaning for a model.
const SILENT: &[&str] = &["$schema", "$comment", "$id"];

/// The conversion of one schema.
pub(super) struct SchemaAdapter {
    table: &'static Table,
    notes: Vec<(String, Change)>,
    /// Path and reason why it cannot be offered in strict mode.
    loose: Option<(String, String)>,
    parameters: usize,
}

impl SchemaAdapter {
    /// The converted parameters of a tool, the changes, and whether strict mode is possible.
    pub(super) fn parameters(table: &'static Table, schema: &Value) -> (Value, Vec<(String, Change)>, bool) {
        let mut adapting = Self { table, notes: vec![], loose: None, parameters: 0 };
        let mut adapted = adapting.root(schema);
        if let Some((path, reason)) = adapting.loose.take() {
            // Converts again for the interface without strict mode, and discards the changes for
            // strict mode.
            let mut notes = vec![(path, Change::NotStrict { reason })];
            let mut again = SchemaAdapter { table: loosely(table), notes: vec![], loose: None, parameters: 0 };
            adapted = again.root(schema);
            notes.append(&mut again.notes);
            return (adapted, notes, false);
        }
        (adapted, adapting.notes, table.strict)
    }

    fn root(&mut self, schema: &Value) -> Value {
        let mut root = schema.as_object().cloned().unwrap_or_default();
        if !self.table.root_choices {
            for choice in ["anyOf", "oneOf", "allOf"] {
                if let Some(Value::Array(members)) = root.remove(choice) {
                    self.merge(&mut root, &members, choice);
                }
            }
        }
        root.insert("type".to_owned(), "object".into());
        root.entry("properties").or_insert_with(|| json!({}));
        self.adapt("", &Value::Object(root), 1)
    }

    fn note(&mut self, path: &str, change: Change) {
        self.notes.push((path.to_owned(), change));
    }

    fn is_loose(&mut self, path: &str, reason: &str) {
        if self.table.strict && self.loose.is_none() {
            self.loose = Some((path.to_owned(), reason.to_owned()));
        }
    }

    fn adapt(&mut self, path: &str, schema: &Value, depth: usize) -> Value {
        let Some(schema) = schema.as_object() else {
            self.is_loose(path, "a value of any type");
            // An interface that accepts every keyword accepts `true` and `false` as well.
            return if self.table.keywords.is_none() { schema.clone() } else { self.untyped(path, Map::new()) };
        };
        if depth > STRICT_DEPTH {
            self.is_loose(path, "parameters are nested too deeply");
        }
        let mut map = schema.clone();
        self.constants(path, &mut map);
        self.choices(path, &mut map);
        self.types(path, &mut map);
        self.listed(path, &mut map);
        self.below(path, &mut map, depth);
        if map.get("type").is_none()
            && !["anyOf", "oneOf", "allOf", "enum", "const", "$ref"].iter().any(|key| map.contains_key(*key))
        {
            self.is_loose(path, "a value of any type");
            return self.untyped(path, map);
        }
        self.dropped(path, &mut map);
        if self.table.strict && is_object(&map) {
            self.close(path, &mut map);
        }
        Value::Object(map)
    }

    /// A value without a known type.
    fn untyped(&mut self, path: &str, mut map: Map<String, Value>) -> Value {
        if self.table.types == Types::Nullable {
            self.note(path, Change::Narrowed { from: "a value of any type".to_owned(), to: "a text".to_owned() });
            map.insert("type".to_owned(), "STRING".into());
        }
        self.dropped(path, &mut map);
        Value::Object(map)
    }

    /// Writes `const` as a list of one value, and several constants as one list.
    fn constants(&mut self, path: &str, map: &mut Map<String, Value>) {
        if !self.table.constants
            && let Some(value) = map.remove("const")
        {
            map.insert("enum".to_owned(), json!([value]));
        }
        if self.table.constants && self.table.one_of {
            return;
        }
        for choice in ["oneOf", "anyOf"] {
            let Some(members) = map.get(choice).and_then(Value::as_array) else { continue };
            let constants: Option<Vec<Value>> = members.iter().map(|member| member.get("const").cloned()).collect();
            let Some(constants) = constants.filter(|list| !list.is_empty()) else { continue };
            let described = members.iter().filter_map(|member| {
                let text = member.get("description")?.as_str()?;
                Some(format!("`{}`: {}", plain(member.get("const")?), text.trim_end_matches('.')))
            });
            let described: Vec<String> = described.collect();
            map.remove(choice);
            if constants.iter().all(Value::is_string) {
                map.insert("type".to_owned(), "string".into());
            }
            map.insert("enum".to_owned(), constants.into());
            if !described.is_empty() {
                // The meaning of each value goes to the description, where the interface reads it.
                let before = map.get("description").and_then(Value::as_str).unwrap_or_default();
                let text = [before, &described.join("; ")].join(" ").trim().to_owned();
                map.insert("description".to_owned(), text.into());
            }
            self.note(path, Change::Replaced { from: format!("`{choice}` of constants"), to: "`enum`".to_owned() });
        }
    }

    /// Replaces `oneOf` and `allOf` if the interface reads only `anyOf`.
    fn choices(&mut self, path: &str, map: &mut Map<String, Value>) {
        if !self.table.one_of
            && let Some(members) = map.remove("oneOf")
        {
            self.note(path, Change::Replaced { from: "`oneOf`".to_owned(), to: "`anyOf`".to_owned() });
            map.insert("anyOf".to_owned(), members);
        }
        let reads_all = self.table.keywords.is_none_or(|read| read.contains(&"allOf"));
        if !reads_all && let Some(Value::Array(members)) = map.remove("allOf") {
            self.note(path, Change::Replaced { from: "`allOf`".to_owned(), to: "one schema".to_owned() });
            for member in &members {
                join(map, member);
            }
        }
    }

    /// Converts a value of several types, which may include null.
    fn types(&mut self, path: &str, map: &mut Map<String, Value>) {
        if self.table.types == Types::Lists {
            return;
        }
        if let Some(Value::Array(names)) = map.get("type").cloned() {
            let (nulls, others): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| name == "null");
            map.remove("type");
            if !nulls.is_empty() {
                map.insert("nullable".to_owned(), true.into());
            }
            if let [one] = &others[..] {
                map.insert("type".to_owned(), one.clone());
            } else if !others.is_empty() {
                self.note(path, Change::Replaced { from: "a list of types".to_owned(), to: "`anyOf`".to_owned() });
                map.insert("anyOf".to_owned(), others.into_iter().map(|name| json!({"type": name})).collect());
            }
        }
        if let Some(Value::Array(members)) = map.get("anyOf").cloned() {
            let is_null = |member: &Value| member.get("type").is_some_and(|name| name == "null");
            let (nulls, mut others): (Vec<_>, Vec<_>) = members.into_iter().partition(is_null);
            if !nulls.is_empty() {
                map.insert("nullable".to_owned(), true.into());
            }
            if others.len() == 1
                && let Some(one) = others.pop()
            {
                map.remove("anyOf");
                join(map, &one);
                // The joined schema may itself have several types.
                return self.types(path, map);
            }
            map.insert("anyOf".to_owned(), others.into());
        }
        if let Some(Value::String(name)) = map.get("type") {
            let capitals = name.to_ascii_uppercase();
            map.insert("type".to_owned(), capitals.into());
        }
    }

    /// Converts lists of values if only strings may be listed.
    fn listed(&mut self, path: &str, map: &mut Map<String, Value>) {
        if self.table.any_enum {
            return;
        }
        let Some(Value::Array(values)) = map.get("enum").cloned() else { return };
        let (nulls, others): (Vec<_>, Vec<_>) = values.into_iter().partition(Value::is_null);
        if !nulls.is_empty() {
            map.insert("nullable".to_owned(), true.into());
        }
        if others.iter().all(Value::is_string) && !others.is_empty() {
            map.insert("enum".to_owned(), others.into());
            map.entry("type").or_insert_with(|| "STRING".into());
            return;
        }
        map.remove("enum");
        if let Some(name) = common_type(&others) {
            map.entry("type").or_insert_with(|| name.into());
        }
        let listed = others.iter().map(plain).collect::<Vec<_>>().join(", ");
        let before = map.get("description").and_then(Value::as_str).unwrap_or_default();
        let text = format!("{before} One of: {listed}.").trim().to_owned();
        map.insert("description".to_owned(), text.into());
        self.note(
            path,
            Change::Replaced { from: "`enum` of other values than texts".to_owned(), to: "a sentence".to_owned() },
        );
    }

    fn below(&mut self, path: &str, map: &mut Map<String, Value>, depth: usize) {
        if let Some(Value::Object(properties)) = map.get("properties").cloned() {
            self.parameters += properties.len();
            if self.parameters > STRICT_PARAMETERS {
                self.is_loose(path, "there are too many parameters");
            }
            let adapted = properties.into_iter().map(|(name, schema)| {
                let at = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                self.check_name(&at, &name);
                let schema = self.adapt(&at, &schema, depth + 1);
                (name, schema)
            });
            let adapted: Map<String, Value> = adapted.collect();
            map.insert("properties".to_owned(), adapted.into());
        }
        if let Some(items) = map.get("items").cloned() {
            let adapted = self.adapt(&format!("{path}[]"), &items, depth + 1);
            map.insert("items".to_owned(), adapted);
        } else if map.get("type").is_some_and(|name| name == "ARRAY" || name == "array") {
            if self.table.types == Types::Nullable {
                let adapted = self.adapt(&format!("{path}[]"), &Value::Bool(true), depth + 1);
                map.insert("items".to_owned(), adapted);
            }
            self.is_loose(path, "a list of values of any type");
        }
        for choice in ["anyOf", "oneOf", "allOf", "prefixItems"] {
            if let Some(Value::Array(members)) = map.get(choice).cloned() {
                let adapted = members.iter().map(|member| self.adapt(path, member, depth)).collect();
                map.insert(choice.to_owned(), adapted);
            }
        }
        if let Some(others) = map.get("additionalProperties").filter(|others| others.is_object()).cloned() {
            self.is_loose(path, "an object with parameters of any name");
            let adapted = self.adapt(&format!("{path}.*"), &others, depth + 1);
            map.insert("additionalProperties".to_owned(), adapted);
        }
    }

    fn check_name(&mut self, path: &str, name: &str) {
        let longest = self.table.longest_parameter;
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        if longest > 0 && (name.is_empty() || name.len() > longest || !name.chars().all(fits)) {
            let what = format!("a parameter is called by 1 to {longest} letters, digits, `_`, `.` and `-`");
            self.note(path, Change::Refused { what });
        }
    }

    /// Removes keywords that the interface does not read.
    fn dropped(&mut self, path: &str, map: &mut Map<String, Value>) {
        map.retain(|keyword, _| !SILENT.contains(&keyword.as_str()));
        let Some(read) = self.table.keywords else { return };
        let unread: Vec<String> = map.keys().filter(|keyword| !read.contains(&keyword.as_str())).cloned().collect();
        for keyword in unread {
            let value = map.remove(&keyword);
            // Without this keyword every object is open anyway, so nothing is lost.
            let is_said = keyword == "additionalProperties" && value == Some(Value::Bool(true));
            if !is_said {
                self.note(path, Change::Dropped { keyword });
            }
        }
    }

    /// Closes objects and makes all parameters required, as strict interfaces demand.
    fn close(&mut self, path: &str, map: &mut Map<String, Value>) {
        let properties = map.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        if properties.is_empty() && depth_of(path) > 0 {
            self.is_loose(path, "an object with parameters of any name");
        }
        let required: Vec<String> = map
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect();
        let mut all = Vec::new();
        let mut closed = Map::new();
        for (name, schema) in properties {
            let is_optional = !required.contains(&name);
            let at = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let schema = if is_optional { self.nullable(&at, schema) } else { schema };
            all.push(Value::from(name.as_str()));
            closed.insert(name, schema);
        }
        map.insert("properties".to_owned(), closed.into());
        map.insert("required".to_owned(), all.into());
        map.insert("additionalProperties".to_owned(), false.into());
    }

    fn nullable(&mut self, path: &str, mut schema: Value) -> Value {
        match schema.get("type").cloned() {
            Some(Value::Array(names)) if names.iter().any(|name| name == "null") => return schema,
            Some(Value::Array(mut names)) => {
                names.push("null".into());
                schema["type"] = names.into();
            }
            Some(name) => schema["type"] = json!([name, "null"]),
            None => {
                if let Some(Value::Array(members)) = schema.get_mut("anyOf") {
                    if members.iter().any(|member| member["type"] == "null") {
                        return schema;
                    }
                    members.push(json!({"type": "null"}));
                } else {
                    schema = json!({"anyOf": [schema, {"type": "null"}]});
                }
            }
        }
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.push(Value::Null);
        }
        self.note(
            path,
            Change::Replaced { from: "an optional parameter".to_owned(), to: "one that may be null".to_owned() },
        );
        schema
    }

    /// Merges the choices of the whole parameters into one object, with the properties of each and
    /// the requirements that all of them share.
    fn merge(&mut self, root: &mut Map<String, Value>, members: &[Value], choice: &str) {
        let to = "one object with the parameters of all".to_owned();
        self.note("", Change::Replaced { from: format!("`{choice}` of the whole parameters"), to });
        let required = |member: &Value| -> Vec<Value> { member["required"].as_array().cloned().unwrap_or_default() };
        let mut common: Option<Vec<Value>> = None;
        for member in members {
            let here = required(member);
            common = Some(match common {
                None => here,
                Some(before) if choice == "allOf" => before.into_iter().chain(here).collect(),
                Some(before) => before.into_iter().filter(|name| here.contains(name)).collect(),
            });
            let mut open = member.clone();
            if let Some(open) = open.as_object_mut() {
                open.remove("required");
            }
            join(root, &open);
        }
        let mut all = root.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        for name in common.unwrap_or_default() {
            if !all.contains(&name) {
                all.push(name);
            }
        }
        if !all.is_empty() {
            root.insert("required".to_owned(), all.into());
        }
    }
}

/// The same interface without strict mode.
fn loosely(table: &'static Table) -> &'static Table {
    use super::Dialect;
    let loose = |dialect: Dialect| dialect.table();
    if table.name == loose(Dialect::OpenAiResponsesStrict).name {
        return loose(Dialect::OpenAiResponses);
    }
    loose(Dialect::OpenAiChat)
}

fn depth_of(path: &str) -> usize {
    usize::from(!path.is_empty())
}

fn is_object(map: &Map<String, Value>) -> bool {
    match map.get("type") {
        Some(Value::String(name)) => name == "object",
        Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
        _ => map.contains_key("properties"),
    }
}

/// Adds keywords of another schema. Existing ones stay; properties and requirements are combined.
fn join(map: &mut Map<String, Value>, other: &Value) {
    for (keyword, value) in other.as_object().into_iter().flatten() {
        match (map.get_mut(keyword), value) {
            (Some(Value::Object(here)), Value::Object(there)) if keyword == "properties" => {
                for (name, schema) in there {
                    here.entry(name.clone()).or_insert_with(|| schema.clone());
                }
            }
            (Some(Value::Array(here)), Value::Array(there)) if keyword == "required" => {
                for name in there {
                    if !here.contains(name) {
                        here.push(name.clone());
                    }
                }
            }
            (Some(_), _) => {}
            (None, value) => {
                map.insert(keyword.clone(), value.clone());
            }
        }
    }
}

/// The common type of all values by its OpenAPI name; `None` if there is none.
fn common_type(values: &[Value]) -> Option<&'static str> {
    let are = |test: fn(&Value) -> bool| !values.is_empty() && values.iter().all(test);
    if are(|value| value.is_i64() || value.is_u64()) {
        Some("INTEGER")
    } else if are(Value::is_number) {
        Some("NUMBER")
    } else if are(Value::is_boolean) {
        Some("BOOLEAN")
    } else {
        None
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
