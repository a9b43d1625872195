//! Decodes a text without faults to a configuration in one step.
//!
//! It is faster than the loader. If it rejects a text, the loader reads it again as a tree and
//! checks it against the schema, which finds every fault and its place.

use std::borrow::Cow;

use serde::de::value::{Error as Refusal, MapDeserializer, SeqDeserializer};
use serde::de::{Error as _, IntoDeserializer, Visitor};
use serde::{Deserialize as _, Deserializer, forward_to_deserialize_any};
use toml::de::{DeTable, DeValue};

use super::HaftConfig;
use super::source::{finite, whole};

/// The configuration of a text in the current format; `None` if it may have a fault.
pub(super) fn decode(text: &str) -> Option<HaftConfig> {
    let table = DeTable::parse(text).ok()?;
    HaftConfig::deserialize(StrictDeserializer(DeValue::Table(table.into_inner()))).ok()
}

/// Deserializer that gives the same result as the loader's tree, and rejects what the schema could
/// refuse: a list for a struct, a table for a variant name, a number that JSON lacks.
struct StrictDeserializer<'a>(DeValue<'a>);

impl<'de> Deserializer<'de> for StrictDeserializer<'de> {
    type Error = Refusal;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.0 {
            DeValue::String(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            DeValue::String(Cow::Owned(text)) => visitor.visit_string(text),
            DeValue::Boolean(value) => visitor.visit_bool(value),
            DeValue::Integer(integer) => {
                let value = whole(&integer).map_err(|_| Refusal::custom("an integer of more than 64 bits"))?;
                match u64::try_from(value) {
                    Ok(value) => visitor.visit_u64(value),
                    Err(_) => visitor.visit_i64(value),
                }
            }
            DeValue::Float(float) => {
                visitor.visit_f64(finite(&float).ok_or_else(|| Refusal::custom("a number that JSON lacks"))?)
            }
            DeValue::Datetime(datetime) => visitor.visit_string(datetime.to_string()),
            DeValue::Array(items) => {
                let mut items =
                    SeqDeserializer::new(items.into_iter().map(|item| StrictDeserializer(item.into_inner())));
                let value = visitor.visit_seq(&mut items)?;
                items.end().map(|()| value)
            }
            DeValue::Table(table) => {
                let entries =
                    table.into_iter().map(|(key, value)| (key.into_inner(), StrictDeserializer(value.into_inner())));
                let mut entries = MapDeserializer::new(entries);
                let value = visitor.visit_map(&mut entries)?;
                entries.end().map(|()| value)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        if !matches!(self.0, DeValue::Table(_)) {
            return Err(Refusal::custom("no table"));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        match self.0 {
            DeValue::String(name) => visitor.visit_enum(name.into_deserializer()),
            _ => Err(Refusal::custom("no name of a variant")),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Refusal> for StrictDeserializer<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tools_core::inline_schema;

    use crate::config::{HaftConfig, LoadedConfig, source::Source};

    /// Texts of a value that matches a schema, as far as the schema says.
    fn sample(schema: &Value) -> String {
        if let Some(branch) = branches(schema).first() {
            return sample(branch);
        }
        if let Some(value) = schema.get("const").or_else(|| schema.get("enum")?.get(0)) {
            return value.to_string();
        }
        match types(schema).first().copied() {
            Some("boolean") => "true".to_owned(),
            Some("integer" | "number") => "1".to_owned(),
            Some("array") => "[]".to_owned(),
            Some("object") => table(&required(schema)),
            _ => "\"x\"".to_owned(),
        }
    }

    fn branches(schema: &Value) -> &[Value] {
        schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn types(schema: &Value) -> Vec<&str> {
        match &schema["type"] {
            Value::String(name) => vec![name],
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            _ => vec![],
        }
    }

    /// Required keys of a table, each with a value.
    fn required(schema: &Value) -> Vec<(String, String)> {
        let names = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        names.map(|name| (name.to_owned(), sample(&schema["properties"][name]))).collect()
    }

    fn table(entries: &[(String, String)]) -> String {
        let entries: Vec<String> = entries.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        format!("{{ {} }}", entries.join(", "))
    }

    /// Values that JSON lacks but that are valid TOML, and values of every type: each is valid in
    /// some places and invalid in others.
    const VALUES: &[&str] = &[
        "\"no such value\"",
        "\"\"",
        "0",
        "3",
        "-1",
        "70_000",
        "0x1f",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551616",
        "0.0",
        "1.5",
        "nan",
        "-inf",
        "1e400",
        "true",
        "1979-05-27",
        "07:32:00",
        "[]",
        "[1]",
        "[true]",
        "[\"x\"]",
        "[[\"x\"]]",
        "[{}]",
        "{}",
        "{ no_such_key = 1 }",
        "{ no_such_key = \"x\" }",
    ];

    /// Values to try at a place with this schema: valid ones, and an invalid one for every way to
    /// violate it.
    fn values(schema: &Value) -> Vec<String> {
        let mut found: Vec<String> = VALUES.iter().map(|value| (*value).to_owned()).collect();
        found.push(sample(schema));
        for branch in branches(schema) {
            found.extend(values(branch));
        }
        let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten().chain(schema.get("const"));
        for name in listed.filter_map(Value::as_str) {
            found.extend([format!("\"{name}\""), format!("\"{}\"", name.to_uppercase())]);
            found.extend([format!("{{ {name} = {{}} }}"), format!("{{ {name} = \"x\" }}"), format!("[\"{name}\"]")]);
        }
        if let Some(items) = schema.get("items") {
            found.extend(values(items).into_iter().map(|value| format!("[{value}]")));
        }
        if let Some(others) = schema.get("additionalProperties").filter(|others| others.is_object()) {
            found.extend(values(others).into_iter().map(|value| table(&[("some".to_owned(), value)])));
        }
        let required = required(schema);
        let without = |name: &str| required.iter().filter(|(key, _)| key != name).cloned().collect::<Vec<_>>();
        for (name, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            found.push(table(&without(name)));
            for value in values(schema) {
                let mut entries = without(name);
                entries.push((name.clone(), value));
                found.push(table(&entries));
            }
        }
        if !required.is_empty() {
            let mut entries = required.clone();
            entries.push(("no_such_key".to_owned(), "1".to_owned()));
            found.push(table(&entries));
            // A struct can be decoded from a list of its fields.
            let fields: Vec<String> = required.iter().map(|(_, value)| value.clone()).collect();
            found.push(format!("[{}]", fields.join(", ")));
        }
        found
    }

    #[test]
    fn nothing_is_taken_that_the_schema_refuses() {
        let schema = inline_schema::<HaftConfig>();
        let schema = schema.as_value();
        let (mut taken, mut left) = (0, 0);
        for (name, section) in schema["properties"].as_object().unwrap() {
            for value in values(section) {
                let text = format!("{name} = {value}\n");
                let Some(config) = super::decode(&text) else {
                    left += 1;
                    continue;
                };
                taken += 1;
                let source = Source::parse(&text).unwrap();
                let checked = LoadedConfig::checked(source, schema, &text, None, vec![]);
                let checked = checked.unwrap_or_else(|error| panic!("{text}{error}"));
                let text_of = |config: &HaftConfig| serde_json::to_string(config).unwrap();
                assert_eq!(text_of(&config), text_of(&checked.config), "{text}");
            }
        }
        assert!(taken > 500 && left > 5_000, "{taken} taken, {left} left");
    }

    #[test]
    fn a_text_without_a_fault_is_taken() {
        let text = "[tools.shell]\ntimeout = 3\n[[tools.permissions.bash]]\npattern = \"a *\"\naction = \"deny\"\n";
        assert!(super::decode(text).is_some());
        assert!(super::decode("").is_some());
    }
}
