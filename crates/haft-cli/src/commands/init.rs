//! `haft init`: prints rules for the project in a folder, or adds the missing ones to the
//! configuration.

use haft::core::quoted;
use haft::policy::proposal::{ProjectKind, add, detect, hosts, propose};
use serde_json::{Value, json};

use crate::args::{CommonArgs, Kind};
use crate::commands::change::{Change, read};
use crate::commands::open::{config_to_write, workdir};
use crate::exit::Exit;
use crate::output;

/// Proposes rules for the project in the working directory.
pub(crate) fn run(common: &CommonArgs, kinds: &[Kind], write: bool) -> Result<Exit, String> {
    let project = workdir(common)?;
    let kinds: Vec<ProjectKind> = match kinds {
        [] => detect(&project),
        named => named.iter().map(|kind| ProjectKind::from(*kind)).collect(),
    };
    let hosts = hosts(&project);
    let proposed = propose(&kinds, &hosts);
    let facts = || {
        json!({
            "ok": true,
            "kinds": kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
            "hosts": hosts.iter().map(|host| &host.pattern).collect::<Vec<_>>(),
            "rules": proposed,
            "file": Value::Null,
        })
    };
    if !write {
        if common.json {
            output::json(&facts());
        } else {
            output::text(&proposed);
        }
        return Ok(Exit::Ok);
    }
    let mut facts = facts();
    let file = config_to_write(common)?;
    let before = read(&file)?;
    let (after, added, said) = match &before {
        None => (proposed, None, format!("wrote `{}`", file.display())),
        Some(there) => {
            let added = add(there, &proposed).map_err(|error| format!("`{}`: {error}", file.display()))?;
            let said = match added.count {
                0 => format!("`{}` already contains all of these rules", file.display()),
                count => format!("added {count} rules to `{}`, after its own", file.display()),
            };
            (added.text, Some(added.count), said)
        }
    };
    let change = Change { file, before, after };
    let copy = if change.before.as_ref() == Some(&change.after) { None } else { change.store()? };
    if common.json {
        facts["file"] = json!(change.file);
        // `null` for a new file, which contains all of them.
        facts["added"] = json!(added);
        facts["backup"] = json!(copy);
        output::json(&facts);
        return Ok(Exit::Ok);
    }
    if !common.quiet {
        output::line(&format!("{said}; `haft config check` checks it"));
        if !hosts.is_empty() {
            let named = quoted(hosts.iter().map(|host| &host.pattern));
            output::line(&format!("commands may connect to {named}"));
        }
        if let Some(copy) = copy {
            output::line(&format!("backup of the previous file: `{}`", copy.display()));
        }
    }
    Ok(Exit::Ok)
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
