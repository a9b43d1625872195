//! Builds a toolbox from the common options: the one place where configuration becomes running
//! code.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::Once;

use haft::config::{HaftConfig, LoadedConfig, places, unknown_variables};
use haft::core::{CallerId, ServerName, SessionId, ToolName, did_you_mean};
use haft::{Toolbox, ToolboxBuilder, near_folder};

use crate::args::{CommonArgs, Offer};
use crate::output;

/// Builds the toolbox that every verb works on.
pub(crate) fn open(common: &CommonArgs) -> Result<Toolbox, String> {
    open_with(common, |config| config)
}

/// Builds the toolbox for a call of one tool. If no other tool has that name, MCP servers whose
/// tools are still unknown are asked for them.
pub(crate) async fn open_for(common: &CommonArgs, tool: &str) -> Result<Toolbox, String> {
    let toolbox = open(common)?;
    let is_known = ToolName::parse(tool).is_ok_and(|name| toolbox.stack().definition(&name).is_some());
    if is_known { Ok(toolbox) } else { introduced(toolbox).await }
}

/// Builds the toolbox, including the tools of MCP servers that were never asked before.
pub(crate) async fn open_introduced(common: &CommonArgs) -> Result<Toolbox, String> {
    introduced(open(common)?).await
}

/// Waits until the tools of all MCP servers are known.
pub(crate) async fn introduced(toolbox: Toolbox) -> Result<Toolbox, String> {
    for (_, error) in toolbox.introduce_servers().await.failed {
        output::note(&format!("warning: {error}"));
    }
    Ok(toolbox)
}

/// Whether tools confined to `folder` could write a whole home or the whole machine, because the
/// configuration has no narrower confinement.
pub(crate) fn takes_everything(common: &CommonArgs, folder: &Path) -> Result<bool, String> {
    if !places::is_home(folder) && folder != Path::new("/") {
        return Ok(false);
    }
    let config = load(common)?.config;
    Ok(config.tools.file.allowed_paths.is_empty() || config.tools.shell.allowed_paths.is_empty())
}

/// Builds the toolbox of a server. It refuses the whole machine or a home as workspace, which could
/// only be where a client happened to start it. `guest` is the only guest it serves, if it is one
/// of several; `server` is its name among servers.
pub(crate) fn open_to_serve(
    common: &CommonArgs,
    offer: &Offer,
    guest: Option<CallerId>,
    server: Option<&ServerName>,
) -> Result<Toolbox, String> {
    let folder = workdir(common)?;
    if common.workdir.is_none() && takes_everything(common, &folder)? {
        return Err(format!(
            "the tools could write everything in `{0}`, where this was started: name a folder with `--workdir DIR` (`--workdir {0}` if that is meant), or set `tools.file.allowed_paths` and `tools.shell.allowed_paths`",
            folder.display(),
        ));
    }
    building(
        common,
        |config| offering(config, offer),
        |builder| {
            let builder = match guest {
                Some(guest) => builder.guest(guest),
                None => builder,
            };
            match server {
                Some(server) => builder.server(server.clone()),
                None => builder,
            }
        },
    )
}

/// Builds the toolbox with only the tools of `offer`.
pub(crate) fn open_offering(common: &CommonArgs, offer: &Offer) -> Result<Toolbox, String> {
    open_with(common, |config| offering(config, offer))
}

fn offering(mut config: HaftConfig, offer: &Offer) -> HaftConfig {
    if let Some(profile) = &offer.profile {
        config.mcp.profile.clone_from(profile);
    }
    config.tools.read_only |= offer.read_only;
    config
}

/// Builds the toolbox with the configuration changed by further arguments.
pub(crate) fn open_with(common: &CommonArgs, change: impl FnOnce(HaftConfig) -> HaftConfig) -> Result<Toolbox, String> {
    building(common, change, |builder| builder)
}

/// Builds the toolbox with additions by the program itself.
pub(crate) fn building(
    common: &CommonArgs,
    change: impl FnOnce(HaftConfig) -> HaftConfig,
    add: impl FnOnce(ToolboxBuilder) -> ToolboxBuilder,
) -> Result<Toolbox, String> {
    built(common, load(common)?, change, add)
}

/// Builds the toolbox of this configuration, changed by further arguments.
pub(crate) fn built(
    common: &CommonArgs,
    mut loaded: LoadedConfig,
    change: impl FnOnce(HaftConfig) -> HaftConfig,
    add: impl FnOnce(ToolboxBuilder) -> ToolboxBuilder,
) -> Result<Toolbox, String> {
    let folder = workdir(common)?;
    loaded.config = change(loaded.config);
    // Tools refuse `/` unless it is named. Starting the binary there names it.
    if folder.parent().is_none() {
        loaded.config = loaded.config.kept_in(&folder);
    }
    let mut builder = Toolbox::builder(loaded, folder).beside(places::config_file());
    if let Some(spelled) = spelled(common) {
        builder = builder.spelled(spelled);
    }
    if common.config.is_none() {
        builder = builder.discovered();
    }
    if let Some(session) = &common.session {
        builder = builder.session(SessionId::parse(session).map_err(|error| error.to_string())?);
    }
    add(builder).build().map_err(|error| error.to_string())
}

/// Reads the configuration: the named file, else the user's if there is one, else defaults.
pub(crate) fn load(common: &CommonArgs) -> Result<LoadedConfig, String> {
    load_with(common, |_| ())
}

/// Reads the configuration with the arguments of this run applied; they cannot loosen an overlay.
pub(crate) fn load_with(common: &CommonArgs, asked: impl FnOnce(&mut HaftConfig)) -> Result<LoadedConfig, String> {
    let file = config_file(common);
    let loaded = LoadedConfig::of_process(file.as_deref(), asked).map_err(|error| error.to_string())?;
    if !common.quiet {
        say_once_if_older(&loaded);
        say_once_of_variables();
    }
    Ok(loaded)
}

/// Warns about unknown variables: they are typing errors, as unknown keys are.
fn say_once_of_variables() {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        for problem in unknown_variables(names) {
            output::note(&format!("warning: {problem}"));
        }
    });
}

/// Configuration file to read: the named one, else the user's if it exists.
pub(crate) fn config_file(common: &CommonArgs) -> Option<PathBuf> {
    common.config.clone().or_else(places::present_config_file)
}

/// Configuration file to write: the named one, else the user's, which may not exist yet. A link
/// stays a link: its target is changed.
pub(crate) fn config_to_write(common: &CommonArgs) -> Result<PathBuf, String> {
    let file = common.config.clone().or_else(places::config_file);
    let file = file.ok_or("no home directory for a configuration file; name one with `--config`")?;
    Ok(file.canonicalize().unwrap_or(file))
}

/// Reports once that the configuration has an older format, which still works.
fn say_once_if_older(loaded: &LoadedConfig) {
    static SAID: Once = Once::new();
    if let Some(first) = loaded.older.first() {
        let more = match loaded.older.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        SAID.call_once(|| {
            output::note(&format!(
                "warning: the configuration has an older format: {first}{more}; `haft config migrate` updates it"
            ));
        });
    }
}

/// The folder as the user spells it, with links unresolved: the argument, relative to the shell's
/// current folder.
fn spelled(common: &CommonArgs) -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let shell = std::env::var_os("PWD").map(PathBuf::from).filter(|path| path.is_absolute());
    let base = shell.filter(|path| path.canonicalize().is_ok_and(|path| path == here)).unwrap_or(here);
    let spelled = common.workdir.as_ref().map_or(base.clone(), |typed| base.join(typed));
    // `..` after a link does not lead where the text suggests.
    spelled.components().all(|part| part != Component::ParentDir).then(|| spelled.components().collect())
}

/// The folder that relative paths start from.
pub(crate) fn workdir(common: &CommonArgs) -> Result<PathBuf, String> {
    folder("working directory", common.workdir.as_deref().unwrap_or(Path::new(".")))
}

/// Canonical path of a folder that the user named.
///
/// # Errors
/// If it is not a folder; the message suggests the folder that was probably meant.
pub(crate) fn folder(what: &str, named: &Path) -> Result<PathBuf, String> {
    match named.canonicalize() {
        Ok(folder) if folder.is_dir() => Ok(folder),
        Ok(_) => Err(format!("{what} `{}` is not a directory", named.display())),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let near = did_you_mean(near_folder(named).as_slice()).map(|question| format!("; {question}"));
            Err(format!("{what} `{}` does not exist{}", named.display(), near.unwrap_or_default()))
        }
        Err(error) => Err(format!("{what} `{}`: {error}", named.display())),
    }
}
