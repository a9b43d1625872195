//! `haft config`: shows effective values and their sources, and checks the configuration.

use std::path::{Path, PathBuf};

use haft::Toolbox;
use haft::config::{HaftConfig, LoadedConfig, Place, places};
use haft::core::inline_schema;
use serde_json::json;

use crate::args::{CommonArgs, ConfigVerb};
use crate::commands::migrate;
use crate::commands::open::{load, workdir};
use crate::exit::Exit;
use crate::output;

pub(crate) fn run(common: &CommonArgs, verb: &ConfigVerb) -> Result<Exit, String> {
    match verb {
        ConfigVerb::Show => show(common, &load(common)?),
        ConfigVerb::Check => return check(common),
        ConfigVerb::Migrate { dry_run } => return migrate::run(common, *dry_run),
        ConfigVerb::Schema => {
            let schema = inline_schema::<HaftConfig>();
            output::line(&serde_json::to_string_pretty(&schema).map_err(|error| error.to_string())?);
        }
    }
    Ok(Exit::Ok)
}

fn show(common: &CommonArgs, loaded: &LoadedConfig) {
    let origin = |place: Option<&Place>| match (place, &loaded.file) {
        (None, _) => "default".to_owned(),
        (Some(Place::Line(line)), Some(file)) => format!("{}:{line}", file.display()),
        (Some(place), _) => place.to_string(),
    };
    for (path, value, place) in loaded.effective() {
        if common.json {
            output::json(&json!({"key": path, "value": value, "origin": origin(place.as_ref())}));
        } else {
            output::line(&format!("{path} = {value}  # {}", origin(place.as_ref())));
        }
    }
}

/// Loads and compiles everything, as a start does, and reports what has no effect: overlay values
/// that would loosen a rule, and rules that can never match.
fn check(common: &CommonArgs) -> Result<Exit, String> {
    let loaded = load(common)?;
    let file = loaded.file.clone();
    let overlays: Vec<PathBuf> = loaded.overlays().map(Path::to_owned).collect();
    let ignored: Vec<String> = loaded.ignored.iter().map(ToString::to_string).collect();
    let mut builder = Toolbox::builder(loaded, workdir(common)?).beside(places::config_file());
    if common.config.is_none() {
        builder = builder.discovered();
    }
    let toolbox = builder.build().map_err(|error| error.to_string())?;
    let findings = [ignored, toolbox.lint()].concat();
    if common.json {
        output::json(&json!({"ok": true, "file": file, "overlays": overlays, "warnings": findings}));
        return Ok(Exit::Ok);
    }
    for finding in &findings {
        output::line(&format!("warning: {finding}"));
    }
    let from = file.map_or_else(|| "the defaults".to_owned(), |file| format!("`{}`", file.display()));
    for overlay in &overlays {
        output::line(&format!("tightened by `{}`", overlay.display()));
    }
    output::line(&format!("{from}: ok, {} warnings", findings.len()));
    Ok(Exit::Ok)
}
