//! The text of a configuration as a tree, and which line each value came from.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::config::error::{ConfigError, Place};

/// A parsed text: its values, and where each was set.
#[derive(Debug, Clone, Default)]
pub(crate) struct Source {
    pub(crate) value: Value,
    pub(crate) places: BTreeMap<String, Place>,
}

impl Source {
    /// Parses TOML.
    ///
    /// # Errors
    /// The first syntax error, with its line.
    pub(crate) fn parse(text: &str) -> Result<Self, ConfigError> {
        let lines = Lines::of(text);
        let table = DeTable::parse(text).map_err(|error| ConfigError {
            path: String::new(),
            place: error.span().map(|span| lines.place(span.start)),
            problem: error.message().to_owned(),
            hint: None,
        })?;
        let mut places = BTreeMap::new();
        let value = Value::Object(convert_table(&lines, "", table.get_ref(), &mut places));
        Ok(Self { value, places })
    }

    /// Where the value at `path` was set, or else the nearest table around it.
    pub(crate) fn place(&self, path: &str) -> Option<&Place> {
        let mut path = path;
        loop {
            if let Some(place) = self.places.get(path) {
                return Some(place);
            }
            path = &path[..path.rfind(['.', '['])?];
        }
    }

    /// Sets a value from an environment variable, making the tables around it.
    pub(crate) fn set(&mut self, path: &str, value: Value, variable: &str) {
        let mut here = &mut self.value;
        for name in path.split('.') {
            if !here.is_object() {
                *here = Value::Object(Map::new());
            }
            here = &mut here[name];
        }
        *here = value;
        self.places.insert(path.to_owned(), Place::Variable(variable.to_owned()));
    }
}

/// Where the lines of a text begin: counting them anew for each key would take the square of a long
/// file.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1).collect())
    }

    fn place(&self, offset: usize) -> Place {
        Place::Line(self.0.partition_point(|start| *start <= offset) + 1)
    }
}

fn convert_table(
    lines: &Lines,
    path: &str,
    table: &DeTable<'_>,
    places: &mut BTreeMap<String, Place>,
) -> Map<String, Value> {
    let mut map = Map::new();
    for (key, value) in table {
        let path = if path.is_empty() { key.get_ref().to_string() } else { format!("{path}.{}", key.get_ref()) };
        places.insert(path.clone(), lines.place(key.span().start));
        map.insert(key.get_ref().to_string(), convert(lines, &path, value, places));
    }
    map
}

fn convert(lines: &Lines, path: &str, value: &Spanned<DeValue<'_>>, places: &mut BTreeMap<String, Place>) -> Value {
    match value.get_ref() {
        DeValue::String(string) => Value::String(string.to_string()),
        DeValue::Boolean(boolean) => Value::Bool(*boolean),
        DeValue::Integer(integer) => {
            let digits = integer.as_str().replace('_', "");
            let parsed = i64::from_str_radix(&digits, integer.radix()).ok();
            parsed.map_or_else(|| Value::String(digits), Value::from)
        }
        DeValue::Float(float) => {
            let parsed = float.as_str().replace('_', "").parse::<f64>().ok();
            parsed.map_or(Value::Null, Value::from)
        }
        DeValue::Datetime(datetime) => Value::String(datetime.to_string()),
        DeValue::Array(items) => {
            let item = |(index, item): (usize, &Spanned<DeValue<'_>>), places: &mut BTreeMap<String, Place>| {
                let path = format!("{path}[{index}]");
                places.insert(path.clone(), lines.place(item.span().start));
                convert(lines, &path, item, places)
            };
            items.iter().enumerate().map(|entry| item(entry, places)).collect()
        }
        DeValue::Table(table) => Value::Object(convert_table(lines, path, table, places)),
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
