//! Applies overlays, which may only tighten a configuration, by the schema of each key.

use std::{collections::BTreeMap, path::Path};

use serde_json::{Map, Value};
use tools_core::{built_in_tool, inline_schema, schema_problems};

use crate::config::HaftConfig;
use crate::config::error::{ConfigError, LoadError, Place};
use crate::config::load::{LoadedConfig, describe, of_values};
use crate::config::overlays::Overlays;
use crate::config::source::Source;

/// Schema keyword that says how an overlay may tighten a key; see [`tighten`].
pub(super) const KEYWORD: &str = "x-overlay";
/// Schema keyword for the meaning of an unset list.
const UNSET: &str = "x-unset";

/// A configuration, tightened by overlays.
///
/// # Errors
/// [`LoadError::Faulty`] with every fault of the first overlay that has one.
pub(super) fn tightened(loaded: LoadedConfig, overlays: Overlays) -> Result<LoadedConfig, LoadError> {
    if overlays.texts.is_empty() {
        return Ok(LoadedConfig { overlays, ..loaded });
    }
    let schema = inline_schema::<HaftConfig>();
    let mut value = serde_json::to_value(&loaded.config).unwrap_or_default();
    let mut places = loaded.source.places().clone();
    let mut ignored = Vec::new();
    for (file, text) in &overlays.texts {
        let error = |faults| LoadError::Faulty { file: Some(file.clone()), faults };
        let source = Source::parse(text).map_err(|fault| error(vec![fault]))?;
        let problems = schema_problems(&source.value, schema.as_value());
        let mut faults: Vec<ConfigError> = problems.iter().map(|problem| describe(problem, &source)).collect();
        if faults.is_empty() {
            let mut laying = OverlayMerge { source: &source, faults: vec![], set: vec![], ignored: vec![] };
            laying.lay(schema.as_value(), "", &mut value, &source.value);
            laying.set.iter().for_each(|set| set.note(&mut places, &source, file));
            faults = laying.faults;
            ignored.extend(laying.ignored.into_iter().map(|(path, problem)| {
                let place = source.place(&path).and_then(|place| match place {
                    Place::Line(line) => Some(Place::Overlay { file: file.clone(), line: *line }),
                    _ => None,
                });
                ConfigError { path, place, problem, hint: None }
            }));
        }
        if !faults.is_empty() {
            return Err(error(faults));
        }
    }
    let config = of_values(&value).map_err(|(path, problem)| {
        let place = places.get(&path).cloned();
        let fault = ConfigError { path, place, problem, hint: None };
        LoadError::Faulty { file: loaded.file.clone(), faults: vec![fault] }
    })?;
    Ok(LoadedConfig { config, overlays, ignored, source: loaded.source.placed(places), ..loaded })
}

/// A key that an overlay set.
struct SetKey {
    path: String,
    /// Path in the overlay.
    from: String,
    /// Position of the overlay's items in the list, and the shift of the others.
    items: usize,
    moved: usize,
}

impl SetKey {
    /// Records the places of the key and of the overlay's items, and shifts the existing items.
    fn note(&self, places: &mut BTreeMap<String, Place>, source: &Source, file: &Path) {
        if self.moved > 0 {
            let moved = places.iter().map(|(path, place)| (item(path, &self.path, self.moved), place.clone()));
            *places = moved.collect();
        }
        let below =
            |path: &str| path.strip_prefix(&self.from).is_some_and(|rest| rest.is_empty() || rest.starts_with('['));
        for (path, place) in source.places().iter().filter(|(path, _)| below(path)) {
            let Place::Line(line) = place else { continue };
            let path = item(&path.replacen(&self.from, &self.path, 1), &self.path, self.items);
            places.insert(path, Place::Overlay { file: file.to_owned(), line: *line });
        }
    }
}

/// Raises the item index of a path in `list` by `by`; other paths stay as they are.
fn item(path: &str, list: &str, by: usize) -> String {
    let split = || {
        let (number, rest) = path.strip_prefix(list)?.strip_prefix('[')?.split_once(']')?;
        Some((number.parse::<usize>().ok()?, rest))
    };
    split().map_or_else(|| path.to_owned(), |(number, rest)| format!("{list}[{}]{rest}", number + by))
}

/// State of applying one overlay to a configuration.
struct OverlayMerge<'a> {
    source: &'a Source,
    faults: Vec<ConfigError>,
    set: Vec<SetKey>,
    /// Keys whose value would loosen the configuration, and why they are ignored.
    ignored: Vec<(String, String)>,
}

impl OverlayMerge<'_> {
    /// Applies the values `over` to the configuration, as far as the schema permits.
    fn lay(&mut self, schema: &Value, path: &str, base: &mut Value, over: &Value) {
        if let Some(rule) = schema.get(KEYWORD) {
            return self.tighten(rule, schema.get(UNSET), path, path, base, over);
        }
        let (Value::Object(members), Some(properties)) = (over, schema.get("properties")) else {
            return self.fault(path, "an overlay cannot set this key: it may only tighten, and this could loosen");
        };
        for (name, over) in members {
            let Some(schema) = properties.get(name) else { continue };
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            self.lay(schema, &path, member(base, name), over);
        }
    }

    /// Tightens one key. `rule` is one of
    /// - `"extend"`: items are added to the list;
    /// - `"deny"`: rules are added at the front of the list, all of which must deny;
    /// - `"lower"`: the lower number applies, or the overlay's if there was none;
    /// - `true` or `false`: the switch can be set to this value;
    /// - a list of names, the loosest first: the later one applies.
    ///
    /// In a free-form table the rule applies to each key.
    fn tighten(&mut self, rule: &Value, unset: Option<&Value>, path: &str, from: &str, base: &mut Value, over: &Value) {
        if let Value::Object(members) = over {
            for (name, over) in members {
                let below = format!("{path}.{name}");
                self.tighten(rule, unset, &below, &below, member(base, name), over);
                // Rules under a tool's current name come before those under another name.
                if let Some(tool) = built_in_tool(name).filter(|tool| *tool != name.as_str() && *rule == "deny") {
                    self.tighten(rule, unset, &format!("{path}.{tool}"), &below, member(base, tool), over);
                }
            }
            return;
        }
        let set = |items: usize, moved: usize| SetKey { path: path.to_owned(), from: from.to_owned(), items, moved };
        match (rule, over) {
            (Value::String(rule), Value::Array(new)) if rule == "extend" => {
                for (index, _) in new.iter().enumerate().filter(|(_, item)| is_exception(item)) {
                    self.fault(&format!("{path}[{index}]"), "an exception loosens; an overlay may only tighten");
                }
                let before = items(base, unset);
                self.set.push(set(before.len(), 0));
                *base = before.into_iter().chain(new.iter().cloned()).collect();
            }
            (Value::String(rule), Value::Array(new)) if rule == "deny" => {
                for (index, _) in new.iter().enumerate().filter(|(_, rule)| !denies(rule)) {
                    self.fault(&format!("{from}[{index}]"), "an overlay may only tighten: its rules deny");
                }
                *base = new.iter().cloned().chain(items(base, unset)).collect();
                self.set.push(set(0, new.len()));
            }
            (Value::String(rule), Value::Number(new)) if rule == "lower" => {
                let is_lower = base.as_f64().zip(new.as_f64()).is_none_or(|(base, new)| new < base);
                if is_lower {
                    *base = over.clone();
                    self.set.push(set(0, 0));
                } else if base != over {
                    self.ignore(from, base, over);
                }
            }
            (Value::Bool(only), Value::Bool(new)) if only == new => {
                *base = over.clone();
                self.set.push(set(0, 0));
            }
            (Value::Bool(only), _) => {
                self.fault(path, &format!("an overlay may only tighten: `{only}` is the one value it can set here"));
            }
            (Value::Array(names), _) => self.raise(names, set(0, 0), base, over),
            _ => self.fault(path, "an overlay cannot set this key: it may only tighten, and this could loosen"),
        }
    }

    /// Sets the stricter of two names of an order.
    fn raise(&mut self, names: &[Value], set: SetKey, base: &mut Value, over: &Value) {
        let rank = |name: &Value| names.iter().position(|other| other == name);
        let Some(new) = rank(over) else {
            let quoted = |name: &Value| format!("`{}`", name.as_str().unwrap_or_default());
            let names: Vec<String> = names.iter().map(quoted).collect();
            return self.fault(&set.from, &format!("an overlay can set {} here", names.join(", ")));
        };
        // Only the strictest value replaces one outside of the order.
        let before = rank(base).unwrap_or(names.len().saturating_sub(2));
        if new > before {
            *base = over.clone();
            self.set.push(set);
        } else if base != over {
            self.ignore(&set.from, base, over);
        }
    }

    /// Ignores the overlay's value: the existing one is stricter.
    fn ignore(&mut self, from: &str, base: &Value, over: &Value) {
        let problem = format!("{over} is ignored: an overlay may only tighten, and {base} is stricter");
        self.ignored.push((from.to_owned(), problem));
    }

    fn fault(&mut self, path: &str, problem: &str) {
        let place = self.source.place(path).cloned();
        self.faults.push(ConfigError { path: path.to_owned(), place, problem: problem.to_owned(), hint: None });
    }
}

fn is_exception(item: &Value) -> bool {
    item.as_str().is_some_and(|item| item.trim_start().starts_with('!'))
}

fn denies(rule: &Value) -> bool {
    ["action", "effect"].iter().any(|key| rule.get(key).and_then(Value::as_str) == Some("deny"))
}

/// Member of a table, which is created if it is missing.
fn member<'a>(table: &'a mut Value, name: &str) -> &'a mut Value {
    if !table.is_object() {
        *table = Value::Object(Map::new());
    }
    &mut table[name]
}

/// Items of a list. If the list has only exceptions to the meaning of an unset list, that meaning
/// comes before them.
fn items(list: &Value, unset: Option<&Value>) -> Vec<Value> {
    let items = list.as_array().cloned();
    let is_of_unset = items.as_ref().is_none_or(|items| !items.is_empty() && items.iter().all(is_exception));
    let unset = unset.and_then(Value::as_array).filter(|_| is_of_unset);
    unset.into_iter().flatten().cloned().chain(items.unwrap_or_default()).collect()
}
