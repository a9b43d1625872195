//! Validates a skill by the rules of the format, with one sentence per violation.

use std::path::Path;

use tools_core::quoted;
use unicode_normalization::UnicodeNormalization as _;

use crate::front_matter::{FrontMatter, split};
use crate::skill::{MAX_NAME, read_skill_file};
use crate::{Field, SkillError};

const FIELDS: &[&str] = &["allowed-tools", "compatibility", "description", "license", "metadata", "name"];
const MAX_DESCRIPTION: usize = 1_024;
const MAX_COMPATIBILITY: usize = 500;

/// Validates the skill in a folder; empty if it conforms to the format.
///
/// # Errors
/// If there is no skill to validate.
pub fn check(folder: &Path) -> Result<Vec<String>, SkillError> {
    let (_, text) = read_skill_file(folder)?;
    let front = match split(&text).and_then(|(front, _)| FrontMatter::parse(front)) {
        Ok(front) => front,
        Err(error) => return Ok(vec![error.to_string()]),
    };
    let mut faults = front.faults.clone();
    let unknown: Vec<&str> = front.fields.keys().map(String::as_str).filter(|name| !FIELDS.contains(name)).collect();
    if !unknown.is_empty() {
        faults.push(format!("there are no fields {}; the fields are {}", quoted(&unknown), quoted(FIELDS)));
    }
    match front.fields.get("name") {
        Some(name) => faults.extend(name_faults(name, folder)),
        None => faults.push("the field `name` is missing".to_owned()),
    }
    match front.fields.get("description") {
        Some(text) => faults.extend(length_faults("description", text, MAX_DESCRIPTION, true)),
        None => faults.push("the field `description` is missing".to_owned()),
    }
    if let Some(text) = front.fields.get("compatibility") {
        faults.extend(length_faults("compatibility", text, MAX_COMPATIBILITY, false));
    }
    Ok(faults)
}

fn name_faults(name: &Field, folder: &Path) -> Vec<String> {
    let Some(name) = name.text().map(str::trim).filter(|name| !name.is_empty()) else {
        return vec!["`name` is not a string, or empty".to_owned()];
    };
    let name: String = name.nfkc().collect();
    let mut faults = vec![];
    if name.chars().count() > MAX_NAME {
        faults.push(format!("`name` has {} characters; at most {MAX_NAME}", name.chars().count()));
    }
    if name != name.to_lowercase() {
        faults.push(format!("`name` is not in lower case: {name:?}"));
    }
    if name.starts_with('-') || name.ends_with('-') {
        faults.push("`name` begins or ends with a hyphen".to_owned());
    }
    if name.contains("--") {
        faults.push("`name` has two hyphens in a row".to_owned());
    }
    if !name.chars().all(|c| c.is_alphanumeric() || c == '-') {
        faults.push(format!("`name` has other characters than letters, digits and hyphens: {name:?}"));
    }
    let of_folder: String = folder.file_name().map(|name| name.to_string_lossy().nfkc().collect()).unwrap_or_default();
    if of_folder != name {
        faults.push(format!("the folder is called {of_folder:?}, and the skill {name:?}"));
    }
    faults
}

fn length_faults(field: &str, value: &Field, most: usize, needed: bool) -> Vec<String> {
    let Some(text) = value.text().filter(|text| !(needed && text.trim().is_empty())) else {
        return vec![format!("`{field}` is not a string, or empty")];
    };
    let length = text.chars().count();
    if length > most { vec![format!("`{field}` has {length} characters; at most {most}")] } else { vec![] }
}
