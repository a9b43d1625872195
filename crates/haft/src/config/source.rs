//! The text of a configuration as a tree, with the line of each value.

use std::{collections::BTreeMap, sync::OnceLock};

use serde_json::{Map, Value};
use toml::de::{DeFloat, DeInteger, DeTable, DeValue};

use crate::config::error::{ConfigError, Place};

/// A parsed text: its values, and where each was set.
#[derive(Debug, Clone, Default)]
pub(crate) struct Source {
    /// Null after a configuration was made from it.
    pub(crate) value: Value,
    /// Text that `value` was parsed from, without the variables.
    text: String,
    /// Paths in `value` that an older format has elsewhere, with their paths in the text.
    moved: BTreeMap<String, String>,
    variables: BTreeMap<String, Place>,
    /// Computed on demand: most starts never need it, and a long file has thousands of values.
    places: OnceLock<BTreeMap<String, Place>>,
}

impl Source {
    /// Parses TOML.
    ///
    /// # Errors
    /// The first syntax error, with its line.
    pub(crate) fn parse(text: &str) -> Result<Self, ConfigError> {
        let table = DeTable::parse(text).map_err(|error| ConfigError {
            path: String::new(),
            place: error.span().map(|span| Lines::of(text).place(span.start)),
            problem: error.message().to_owned(),
            hint: None,
        })?;
        Ok(Self { value: Value::Object(convert_table(table.get_ref())), text: text.to_owned(), ..Self::default() })
    }

    /// A text that was already decoded to a configuration.
    pub(crate) fn decoded(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// Replaces the values by those of a newer format of the same text.
    pub(crate) fn migrated(self, value: Value, moved: BTreeMap<String, String>) -> Self {
        Self { value, moved, places: OnceLock::new(), ..self }
    }

    /// Values set by variables: path, value and name of the variable.
    pub(crate) fn variables(&self) -> Vec<(String, Value, String)> {
        let set = self.variables.iter().filter_map(|(path, place)| {
            let Place::Variable(variable) = place else { return None };
            let value = self.value.pointer(&format!("/{}", path.replace('.', "/")))?;
            Some((path.clone(), value.clone(), variable.clone()))
        });
        set.collect()
    }

    /// Text that it was parsed from.
    #[cfg(feature = "watch")]
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Place where every value was set.
    pub(crate) fn places(&self) -> &BTreeMap<String, Place> {
        self.places.get_or_init(|| {
            let mut places = BTreeMap::new();
            // It parsed before, so this cannot fail.
            if let Ok(table) = DeTable::parse(&self.text) {
                note_table(&Lines::of(&self.text), "", table.get_ref(), &mut places);
            }
            for (new, old) in &self.moved {
                let below: Vec<_> = places
                    .iter()
                    .filter_map(|(path, place)| {
                        let rest = path.strip_prefix(old.as_str())?;
                        (rest.is_empty() || rest.starts_with(['.', '[']))
                            .then(|| (format!("{new}{rest}"), place.clone()))
                    })
                    .collect();
                places.extend(below);
            }
            places.extend(self.variables.clone());
            places
        })
    }

    /// Adds known places of values.
    pub(crate) fn placed(self, places: BTreeMap<String, Place>) -> Self {
        Self { places: OnceLock::from(places), ..self }
    }

    /// Place where the value at `path` was set, or the nearest table around it. `tools` does not
    /// count for the keys of its sections: its place is that of any of them.
    pub(crate) fn place(&self, path: &str) -> Option<&Place> {
        let places = self.places();
        let is_in_section = path.strip_prefix("tools.").is_some_and(|key| key.contains(['.', '[']));
        let mut path = path;
        while path != "tools" || !is_in_section {
            if let Some(place) = places.get(path) {
                return Some(place);
            }
            path = &path[..path.rfind(['.', '['])?];
        }
        None
    }

    /// Sets a value from an environment variable and creates the tables around it.
    pub(crate) fn set(&mut self, path: &str, value: Value, variable: &str) {
        let mut here = &mut self.value;
        for name in path.split('.') {
            if !here.is_object() {
                *here = Value::Object(Map::new());
            }
            here = &mut here[name];
        }
        *here = value;
        self.variables.insert(path.to_owned(), Place::Variable(variable.to_owned()));
        self.places = OnceLock::new();
    }
}

/// Offsets of the lines of a text. Counting lines for each key would be quadratic for a long file.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1).collect())
    }

    fn place(&self, offset: usize) -> Place {
        Place::Line(self.0.partition_point(|start| *start <= offset) + 1)
    }
}

fn convert_table(table: &DeTable<'_>) -> Map<String, Value> {
    table.iter().map(|(key, value)| (key.get_ref().to_string(), convert(value.get_ref()))).collect()
}

fn convert(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(string) => Value::String(string.to_string()),
        DeValue::Boolean(boolean) => Value::Bool(*boolean),
        DeValue::Integer(integer) => whole(integer).map_or_else(Value::String, Value::from),
        DeValue::Float(float) => finite(float).map_or(Value::Null, Value::from),
        DeValue::Datetime(datetime) => Value::String(datetime.to_string()),
        DeValue::Array(items) => items.iter().map(|item| convert(item.get_ref())).collect(),
        DeValue::Table(table) => Value::Object(convert_table(table)),
    }
}

/// Value of an integer; for one out of range, its digits.
pub(super) fn whole(integer: &DeInteger<'_>) -> Result<i64, String> {
    let digits = integer.as_str().replace('_', "");
    i64::from_str_radix(&digits, integer.radix()).map_err(|_| digits)
}

/// Value of a float; `None` if JSON cannot represent it.
pub(super) fn finite(float: &DeFloat<'_>) -> Option<f64> {
    float.as_str().replace('_', "").parse().ok().filter(|value: &f64| value.is_finite())
}

/// Records the line of each value of a table, recursively.
fn note_table(lines: &Lines, path: &str, table: &DeTable<'_>, places: &mut BTreeMap<String, Place>) {
    for (key, value) in table {
        let path = if path.is_empty() { key.get_ref().to_string() } else { format!("{path}.{}", key.get_ref()) };
        note(lines, &path, value.get_ref(), places);
        places.insert(path, lines.place(key.span().start));
    }
}

fn note(lines: &Lines, path: &str, value: &DeValue<'_>, places: &mut BTreeMap<String, Place>) {
    match value {
        DeValue::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let path = format!("{path}[{index}]");
                note(lines, &path, item.get_ref(), places);
                places.insert(path, lines.place(item.span().start));
            }
        }
        DeValue::Table(table) => note_table(lines, path, table, places),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_keep_their_lines() {
        let source = Source::parse("[a]\nx = 1_000\n\n[[a.list]]\ny = true\n[[a.list]]\ny = 0x1f\n").unwrap();
        assert_eq!(source.value, json!({"a": {"x": 1000, "list": [{"y": true}, {"y": 31}]}}));
        assert_eq!(source.place("a.x"), Some(&Place::Line(2)));
        assert_eq!(source.place("a.list[1].y"), Some(&Place::Line(7)));
        assert_eq!(source.place("a.list[1].missing"), Some(&Place::Line(6)));
        assert_eq!(source.place("b.c"), None);
    }

    #[test]
    fn a_syntax_error_names_its_line() {
        let error = Source::parse("[a]\nx = \n").unwrap_err();
        assert_eq!(error.place, Some(Place::Line(2)));
    }
}
