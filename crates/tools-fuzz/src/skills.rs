//! Any text as a `SKILL.md`: it is read or refused, and a tool that it declares takes an argument
//! as one word.

use std::{fs, sync::LazyLock};

use serde_json::json;
use tempfile::TempDir;
use tools_core::NoRedaction;
use tools_skills::{AllowedTools, FrontMatter, Skill, check as checked};

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a temporary folder"));

pub(crate) fn check(bytes: &[u8]) {
    let folder = FOLDER.path();
    fs::write(folder.join("SKILL.md"), bytes).expect("a file in the temporary folder");
    if let Ok(skill) = Skill::read(folder) {
        assert!(!skill.description.is_empty() && !skill.name.is_empty());
        for tool in &skill.tools {
            let _ = tool.definition(&NoRedaction);
            let params = json!({"a": "x y", "b": 1});
            let _ = tool.line(params.as_object().expect("an object"));
        }
    }
    let _ = checked(folder);
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = FrontMatter::parse(text);
    let _ = AllowedTools::parse(text).tools().count();
}
