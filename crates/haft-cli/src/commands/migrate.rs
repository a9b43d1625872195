//! `haft config migrate`: the configuration in today's form, with the text as it was kept beside it.

use std::{
    fs::{self, OpenOptions},
    io::{ErrorKind, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use haft::{
    Filters,
    config::{HaftConfig, Loaded, Migrated, migrate},
};
use serde_json::json;
use similar::TextDiff;

use crate::{args::Common, commands::open::config_file, exit::Exit, output};

/// The most copies of earlier texts that are looked for.
const MOST_BACKUPS: u32 = 10_000;

/// One file that changes.
struct Change {
    file: PathBuf,
    /// `None` for a file that is not there yet.
    before: Option<String>,
    after: String,
}

/// Migrates the configuration, or says what that would change.
pub(crate) fn run(common: &Common, dry_run: bool) -> Result<Exit, String> {
    let file = config_file(common).ok_or("there is no configuration to migrate")?;
    // A link stays a link: what it leads to is renewed.
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
            backups.extend(backup(change)?);
            replace(change)?;
        }
    }
    report(common, &file, &migrated, &changes, &backups, dry_run);
    Ok(Exit::Ok)
}

/// The file of filters with the rules added that it does not have yet.
fn filters(config: &Path, migrated: &Migrated, rules: &str) -> Result<Option<Change>, String> {
    let loaded = Loaded::<HaftConfig>::parse(&migrated.text, &|_| None);
    let section = loaded.map(|loaded| loaded.config.tools.filters).unwrap_or_default();
    let Some(file) = Filters::file(&section, Some(config)) else { return Ok(None) };
    let before = read(&file)?;
    let there = before.as_deref().unwrap_or_default();
    // A rule of the same name that somebody wrote counts, as it did before.
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

fn read(file: &Path) -> Result<Option<String>, String> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("`{}`: {error}", file.display())),
    }
}

/// Keeps the text as it was, under the first number that is free.
fn backup(change: &Change) -> Result<Option<PathBuf>, String> {
    let Some(before) = &change.before else { return Ok(None) };
    let name = change.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for number in 1..=MOST_BACKUPS {
        let copy = change.file.with_file_name(format!("{name}.bak-{number}"));
        let open = OpenOptions::new().write(true).create_new(true).mode(mode(&change.file)).open(&copy);
        match open {
            Ok(mut open) => {
                let written = open.write_all(before.as_bytes()).and_then(|()| open.sync_all());
                written.map_err(|error| format!("`{}`: {error}", copy.display()))?;
                return Ok(Some(copy));
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(format!("`{}`: {error}", copy.display())),
        }
    }
    Err(format!("`{}` has {MOST_BACKUPS} copies already; remove some", change.file.display()))
}

/// Puts the new text in the place of the old one in a single step.
fn replace(change: &Change) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("`{}`: {error}", change.file.display());
    let name = change.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let made = change.file.with_file_name(format!(".{name}.{}", std::process::id()));
    let rights = mode(&change.file);
    let write = || {
        let mut open = OpenOptions::new().write(true).create_new(true).mode(rights).open(&made)?;
        open.write_all(change.after.as_bytes())?;
        // What the mask took away.
        open.set_permissions(fs::Permissions::from_mode(rights))?;
        open.sync_all()?;
        fs::rename(&made, &change.file)
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&made);
        failed(error)
    })
}

/// The mode of a file; readable by its user alone when it is not there yet.
fn mode(file: &Path) -> u32 {
    fs::metadata(file).map_or(0o600, |meta| meta.permissions().mode() & 0o777)
}

fn report(common: &Common, file: &Path, migrated: &Migrated, changes: &[Change], backups: &[PathBuf], dry_run: bool) {
    let diffs: Vec<String> = changes.iter().map(diff).collect();
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
            output::note(&format!("warning: `{key}` is no key of this version and stays as it is"));
        }
        for copy in backups {
            output::note(&format!("the text as it was: `{}`", copy.display()));
        }
        match (changes.is_empty(), dry_run) {
            (true, _) => output::note(&format!("`{}` is of today's form", file.display())),
            (false, true) => output::note("nothing was written"),
            (false, false) => {}
        }
    }
}

fn diff(change: &Change) -> String {
    let before = change.before.as_deref().unwrap_or_default();
    let name = change.file.display().to_string();
    TextDiff::from_lines(before, change.after.as_str()).unified_diff().header(&name, &name).to_string()
}
