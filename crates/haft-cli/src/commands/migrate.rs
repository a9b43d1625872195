//! `haft config migrate`: updates the configuration to the current format and keeps the old text
//! beside it.

use std::path::{Path, PathBuf};

use haft::config::{LoadedConfig, Migration, migrate};
use haft::filter::Filters;
use serde_json::json;

use crate::args::CommonArgs;
use crate::commands::change::{Change, read};
use crate::commands::open::config_file;
use crate::exit::Exit;
use crate::output;

/// Migrates the configuration, or says what that would change.
pub(crate) fn run(common: &CommonArgs, dry_run: bool) -> Result<Exit, String> {
    let file = config_file(common).ok_or("there is no configuration to migrate")?;
    // A link stays a link: its target is updated.
    let file = file.canonicalize().map_err(|error| format!("`{}`: {error}", file.display()))?;
    let text = read(&file)?.unwrap_or_default();
    let migrated = migrate(&text).map_err(|error| format!("`{}`: {error}", file.display()))?;
    let mut changes = Vec::new();
    if let Some(rules) = &migrated.filter_rules {
        changes.extend(filters(&file, &migrated, rules)?);
    }
    if migrated.text != text {
        changes.push(Change { file: file.clone(), before: Some(text), after: migrated.text.clone() });
    }
    let mut backups = Vec::new();
    if !dry_run {
        for change in &changes {
            backups.extend(change.backup()?);
            change.replace()?;
        }
    }
    report(common, &file, &migrated, &changes, &backups, dry_run);
    Ok(Exit::Ok)
}

/// Adds the rules that the filter file does not have yet.
fn filters(config: &Path, migrated: &Migration, rules: &str) -> Result<Option<Change>, String> {
    let loaded = LoadedConfig::parse(&migrated.text, &|_| None);
    let section = loaded.map(|loaded| loaded.config.tools.filters).unwrap_or_default();
    let Some(file) = Filters::file(&section, Some(config), haft::home().as_deref()) else { return Ok(None) };
    let before = read(&file)?;
    let there = before.as_deref().unwrap_or_default();
    // A rule of the same name that the user wrote takes precedence, as before.
    let is_new = |rule: &&str| {
        let name = rule.lines().find(|line| line.starts_with("name = "));
        name.is_none_or(|name| !there.lines().any(|line| line.trim() == name))
    };
    let added: Vec<&str> = rules.split("\n[[rules]]\n").skip(1).filter(is_new).collect();
    if added.is_empty() {
        return Ok(None);
    }
    let after = [&[there], added.as_slice()].concat().join("\n[[rules]]\n");
    Ok(Some(Change { file, after: after.trim_start_matches('\n').to_owned(), before }))
}

fn report(
    common: &CommonArgs,
    file: &Path,
    migrated: &Migration,
    changes: &[Change],
    backups: &[PathBuf],
    dry_run: bool,
) {
    let diffs: Vec<String> = changes.iter().map(Change::diff).collect();
    if common.json {
        return output::json(&json!({
            "ok": true,
            "file": file,
            "changed": !changes.is_empty(),
            "written": !dry_run && !changes.is_empty(),
            "changes": migrated.changes,
            "warnings": migrated.warnings,
            "unknown": migrated.unknown,
            "backups": backups,
            "diff": diffs.concat(),
        }));
    }
    for diff in &diffs {
        output::text(diff);
    }
    if !common.quiet {
        for change in &migrated.changes {
            output::note(change);
        }
        for warning in &migrated.warnings {
            output::note(&format!("warning: {warning}"));
        }
        for key in &migrated.unknown {
            output::note(&format!("warning: `{key}` is not a key of this version; left unchanged"));
        }
        for copy in backups {
            output::note(&format!("backup of the previous file: `{}`", copy.display()));
        }
        match (changes.is_empty(), dry_run) {
            (true, _) => output::note(&format!("`{}` is up to date", file.display())),
            (false, true) => output::note("nothing was written"),
            (false, false) => {}
        }
    }
}
