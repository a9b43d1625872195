//! `haft init`: rules for the project in a folder. Prints them, or adds to the configuration those that it lacks.

use std::{fs, path::PathBuf};

use haft::{
    config::places,
    init::{ProjectKind, add, detect, hosts, propose},
};

use crate::{
    args::{Common, Kind},
    commands::{
        change::{Change, read},
        open::workdir,
    },
    exit::Exit,
    output,
};

/// Proposes rules for the project in the working directory.
pub(crate) fn run(common: &Common, kinds: &[Kind], write: bool) -> Result<Exit, String> {
    let project = workdir(common)?;
    let kinds: Vec<ProjectKind> = match kinds {
        [] => detect(&project),
        named => named.iter().map(|kind| ProjectKind::from(*kind)).collect(),
    };
    let hosts = hosts(&project);
    let proposed = propose(&kinds, &hosts);
    if !write {
        output::text(&proposed);
        return Ok(Exit::Ok);
    }
    let file = common.config.clone().or_else(places::config_file);
    let file: PathBuf = file.ok_or("there is no home to write a configuration to; name a file with `--config`")?;
    // A link stays a link: what it leads to is renewed.
    let file = file.canonicalize().unwrap_or(file);
    let before = read(&file)?;
    let (after, said) = match &before {
        None => (proposed, format!("wrote `{}`", file.display())),
        Some(there) => {
            let added = add(there, &proposed).map_err(|error| format!("`{}`: {error}", file.display()))?;
            let said = match added.count {
                0 => format!("`{}` has all these rules already", file.display()),
                count => format!("added {count} rules to `{}`, behind its own", file.display()),
            };
            (added.text, said)
        }
    };
    let change = Change { file, before, after };
    let copy = if change.before.as_ref() == Some(&change.after) { None } else { store(&change)? };
    if !common.quiet {
        output::line(&format!("{said}; `haft config check` reads it"));
        if !hosts.is_empty() {
            let named: Vec<String> = hosts.iter().map(|host| format!("`{}`", host.pattern)).collect();
            output::line(&format!("commands may connect to {}", named.join(", ")));
        }
        if let Some(copy) = copy {
            output::line(&format!("the text as it was: `{}`", copy.display()));
        }
    }
    Ok(Exit::Ok)
}

/// Writes the file; the copy of the text as it was.
fn store(change: &Change) -> Result<Option<PathBuf>, String> {
    if let Some(folder) = change.file.parent() {
        fs::create_dir_all(folder).map_err(|error| format!("`{}`: {error}", folder.display()))?;
    }
    let copy = change.backup()?;
    change.replace()?;
    Ok(copy)
}

impl From<Kind> for ProjectKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Rust => Self::Rust,
            Kind::Node => Self::Node,
            Kind::Python => Self::Python,
            Kind::Go => Self::Go,
            Kind::Java => Self::Java,
            Kind::Ruby => Self::Ruby,
        }
    }
}
