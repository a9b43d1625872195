//! `haft skills`: lists skills, validates their format, and manages trust in those of the project.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use haft::config::places::state_dir;
use haft::core::redacted_lines;
use haft::secrets::SecretRedactor;
use haft::skill_folders::{Origin, Pins, Skill, SkillFolder, Trust, check, discover, tree};
use serde_json::json;

use crate::args::{CommonArgs, SkillsVerb};
use crate::commands::open::{load, open, workdir};
use crate::exit::Exit;
use crate::output;

/// State of a skill that is used without a question.
const TRUSTED: &str = "trusted";

pub(crate) fn run(common: &CommonArgs, verb: &SkillsVerb) -> Result<Exit, String> {
    let loaded = load(common)?.config;
    let config = loaded.skills;
    let found = discover(&config.places(&workdir(common)?));
    match verb {
        SkillsVerb::List => {
            let redactor = loaded.tools.filters.security.redactor().map_err(|error| error.to_string())?;
            list(common, &found, config.trust, &redactor)
        }
        SkillsVerb::Check { folders } => checked(common, folders, &found),
        SkillsVerb::Trust { names, revoke } => trust(common, names, *revoke, &found),
    }
}

fn list(common: &CommonArgs, found: &[SkillFolder], trust: Trust, redactor: &SecretRedactor) -> Result<Exit, String> {
    let told = |text: &str| redacted_lines(redactor, text);
    let pins = Pins::of_user(&state_dir());
    let (mut rows, mut names) = (vec![], None);
    for one in found {
        let folder = one.folder.to_string_lossy();
        match &one.skill {
            Ok(skill) => {
                let skill = beside_others(common, skill.clone(), &mut names)?;
                let looked = tree(&skill.folder);
                let pinned = match &looked {
                    Ok(tree) => pins.has(&skill.folder, &tree.digest).map_err(|error| error.to_string())?,
                    Err(_) => false,
                };
                let state = match (one.shadowed, &looked) {
                    (true, _) => "shadowed".to_owned(),
                    (_, Err(error)) => told(&format!("broken: {error}")),
                    _ if one.origin == Origin::User || pinned || trust == Trust::Allow => TRUSTED.to_owned(),
                    _ if trust == Trust::Deny => "left out".to_owned(),
                    _ => "asks".to_owned(),
                };
                // As the tools print it: a model may read this list too.
                let description = (state == TRUSTED).then(|| told(&skill.description));
                let tools: Vec<&str> = skill.tools.iter().map(|tool| tool.name.as_str()).collect();
                let left_out = looked.iter().flat_map(|tree| &tree.left_out);
                let warnings: Vec<String> =
                    skill.warnings.iter().chain(left_out).map(|warning| told(warning)).collect();
                rows.push(json!({"name": told(&skill.name), "tools": tools, "origin": one.origin, "state": state,
                    "folder": folder, "description": description, "warnings": warnings}));
            }
            Err(error) => {
                rows.push(
                    json!({"name": null, "origin": one.origin, "state": told(&format!("broken: {error}")), "folder": folder}),
                );
            }
        }
    }
    if common.json {
        output::json(&json!({ "skills": rows }));
        return Ok(Exit::Ok);
    }
    for row in &rows {
        let text = |key: &str| output::one_line(row[key].as_str().unwrap_or("-"));
        output::line(&format!("{}  {}  {}  {}", text("name"), text("origin"), text("state"), text("folder")));
        for warning in row["warnings"].as_array().into_iter().flatten() {
            output::line(&format!("  warning: {}", output::one_line(warning.as_str().unwrap_or_default())));
        }
    }
    if rows.is_empty() && !common.quiet {
        output::note("haft: no skills");
    }
    Ok(Exit::Ok)
}

/// Names of all tools, requested only if a skill declares a tool.
type Names = Option<BTreeSet<String>>;

/// Drops the tools of a skill whose names are already taken.
fn beside_others(common: &CommonArgs, skill: Skill, names: &mut Names) -> Result<Skill, String> {
    if !skill.tools.is_empty() && names.is_none() {
        let definitions = open(common)?.stack().definitions();
        *names = Some(definitions.iter().map(|tool| tool.name.as_str().to_owned()).collect());
    }
    let is_taken = |name: &str| names.as_ref().is_some_and(|names| names.contains(name));
    Ok(skill.beside(is_taken))
}

/// Reasons why tools that a skill declares cannot be used, including name conflicts.
fn tool_faults(common: &CommonArgs, folder: &Path, names: &mut Names) -> Result<Vec<String>, String> {
    // An unreadable skill is already reported by the format check.
    let Ok(skill) = Skill::read(folder) else { return Ok(vec![]) };
    Ok(beside_others(common, skill, names)?.tool_faults)
}

fn checked(common: &CommonArgs, folders: &[PathBuf], found: &[SkillFolder]) -> Result<Exit, String> {
    let all: Vec<PathBuf> =
        if folders.is_empty() { found.iter().map(|one| one.folder.clone()).collect() } else { folders.to_vec() };
    let (mut exit, mut names) = (Exit::Ok, None);
    let mut results = vec![];
    for folder in all {
        // The path of a `SKILL.md` means its folder.
        let is_file = folder.file_name().is_some_and(|name| name.eq_ignore_ascii_case("skill.md")) && folder.is_file();
        let folder = if is_file { folder.parent().unwrap_or(&folder).to_owned() } else { folder };
        let whole = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        let mut faults = check(&whole).unwrap_or_else(|error| vec![error.to_string()]);
        faults.extend(tool_faults(common, &whole, &mut names)?);
        faults.extend(tree(&whole).into_iter().flat_map(|tree| tree.left_out));
        if !faults.is_empty() {
            exit = Exit::ToolFailed;
        }
        if !common.json {
            let shown = output::one_line(&folder.to_string_lossy());
            if faults.is_empty() {
                output::line(&format!("{shown}: ok"));
            }
            for fault in &faults {
                output::line(&format!("{shown}: {}", output::one_line(fault)));
            }
        }
        results.push(json!({ "folder": folder, "faults": faults }));
    }
    if common.json {
        output::json(&json!({ "checked": results }));
    } else if results.is_empty() && !common.quiet {
        output::note("haft: no skills");
    }
    Ok(exit)
}

fn trust(common: &CommonArgs, names: &[String], revoke: bool, found: &[SkillFolder]) -> Result<Exit, String> {
    let pins = Pins::of_user(&state_dir());
    let mut exit = Exit::Ok;
    for name in names {
        let is_meant = |one: &&SkillFolder| !one.shadowed && one.skill.as_ref().is_ok_and(|skill| skill.name == *name);
        let Some(skill) = found.iter().find(is_meant).and_then(|one| one.skill.as_ref().ok()) else {
            exit = output::failed(common, &format!("there is no skill `{name}`"));
            continue;
        };
        let said = if revoke {
            let had = pins.remove(&skill.folder).map_err(|error| error.to_string())?;
            if had { "no longer trusted" } else { "was not trusted" }
        } else {
            let tree = tree(&skill.folder).map_err(|error| error.to_string())?;
            pins.add(&skill.folder, &tree.digest).map_err(|error| error.to_string())?;
            "trusted as it is"
        };
        if !common.quiet {
            output::line(&format!("{name}: {said}"));
        }
    }
    Ok(exit)
}
