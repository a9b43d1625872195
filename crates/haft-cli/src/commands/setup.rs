//! `haft setup`: adds the server and the hooks to a host's files, shows the changes first, and can
//! revert them.

use std::fs;
use std::path::{Path, PathBuf};

use haft::config::places;
use haft::hosts::Host;
use haft::hosts::files::{Edits, Entry, HostPlaces, Launch, OsFamily, Syntax, add, edits, remove};

use serde_json::{Value, json};

use crate::args::{CommonArgs, Setup};
use crate::commands::change::{Change, read};
use crate::commands::program_path::our_path;
use crate::commands::setup_state::{FileRecord, HostChange, OriginalContent};
use crate::exit::Exit;
use crate::output;

/// Lists hosts, sets one up, or reverts a setup.
pub(crate) fn run(common: &CommonArgs, verb: &Setup) -> Result<Exit, String> {
    let setting = Setting::new(common, verb)?;
    match (verb.host, verb.undo) {
        (None, _) => setting.list(),
        (Some(host), false) => setting.set_up(host),
        (Some(host), true) => setting.undo(host),
    }
}

/// Detected state of one host.
pub(crate) struct HostState {
    pub(crate) host: Host,
    /// Whether its program or folder exists.
    pub(crate) is_there: bool,
    /// Whether all, some or none of our entries are in its files.
    pub(crate) state: State,
    pub(crate) files: Vec<PathBuf>,
}

impl HostState {
    fn json(&self) -> Value {
        let (state, problem) = match &self.state {
            State::Done => ("set_up", None),
            State::NotDone => ("not_set_up", None),
            State::Blocked(problem) => ("by_hand", Some(problem)),
        };
        json!({"host": self.host.name(), "found": self.is_there, "state": state, "problem": problem, "files": self.files})
    }
}

/// How far a host is set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    Done,
    NotDone,
    Blocked(String),
}

pub(crate) fn found(common: &CommonArgs) -> Result<Vec<HostState>, String> {
    let verb = Setup::default();
    let setting = Setting::new(common, &verb)?;
    Host::ALL.into_iter().map(|host| setting.look(host)).collect()
}

struct Setting<'a> {
    verb: &'a Setup,
    quiet: bool,
    json: bool,
    launch: Launch,
    home: PathBuf,
}

impl<'a> Setting<'a> {
    fn new(common: &CommonArgs, verb: &'a Setup) -> Result<Self, String> {
        let home = haft::home().ok_or("there is no home whose hosts could be set up")?;
        let program = our_path().to_str().ok_or("the path of this program is not a string")?.to_owned();
        let named = common.config.as_ref().filter(|file| Some(*file) != places::config_file().as_ref());
        let config = named.map(std::path::absolute).transpose().map_err(|error| error.to_string())?;
        let config = config.map(|file| file.to_string_lossy().into_owned());
        let profile = verb.profile.clone().unwrap_or_else(|| "core".to_owned());
        let launch = Launch { program, config, profile, hooks: !verb.no_hooks, confine: !verb.no_exec };
        Ok(Self { verb, quiet: common.quiet, json: common.json, launch, home })
    }

    fn edits(&self, host: Host) -> Result<Vec<Edits>, String> {
        edits(host, &self.launch, &self.places(), &|file| file.exists())
            .ok_or_else(|| "the path of this program cannot stand in a command line".to_owned())
    }

    fn places(&self) -> HostPlaces<'_> {
        let os = if cfg!(target_os = "macos") { OsFamily::MacOs } else { OsFamily::Xdg };
        HostPlaces { home: &self.home, os, variable: &variable }
    }

    fn look(&self, host: Host) -> Result<HostState, String> {
        let (programs, folder) = host.traces(&self.places());
        let path = std::env::var_os("PATH").unwrap_or_default();
        let is_program = |name: &&str| std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
        let is_there = folder.is_dir() || programs.iter().any(is_program);
        let edits = self.edits(host)?;
        let mut state = State::Done;
        for edits in &edits {
            match planned(edits) {
                Ok(change) if change.before.as_deref() == Some(change.after.as_str()) => {}
                Ok(_) if state == State::Done => state = State::NotDone,
                Ok(_) => {}
                Err(problem) => state = State::Blocked(problem),
            }
        }
        Ok(HostState { host, is_there, state, files: edits.into_iter().map(|edits| edits.file).collect() })
    }

    fn list(&self) -> Result<Exit, String> {
        let mut all = Vec::new();
        for host in Host::ALL {
            let found = self.look(host)?;
            if self.json {
                all.push(found.json());
                continue;
            }
            let what = match (&found.state, found.is_there) {
                (State::Done, _) => "set up".to_owned(),
                (State::Blocked(problem), true) => format!("by hand: {problem}"),
                (_, false) => "not found".to_owned(),
                (State::NotDone, true) => {
                    let files: Vec<String> = found.files.iter().map(|file| file.display().to_string()).collect();
                    format!("found; `haft setup {host}` would write {}", files.join(" and "))
                }
            };
            output::line(&format!("{:<12} {what}", host.name()));
        }
        if self.json {
            output::json(&all);
        }
        Ok(Exit::Ok)
    }

    fn set_up(&self, host: Host) -> Result<Exit, String> {
        let edits = self.edits(host)?;
        // If one file cannot be written, none is: half a setup does not work.
        let mut changes = Vec::new();
        for edits in &edits {
            let change = planned(edits).and_then(|change| writable(&change).map(|()| change));
            changes.push(change.map_err(|problem| by_hand(edits, &problem))?);
        }
        let changes: Vec<Change> =
            changes.into_iter().filter(|change| change.before.as_ref() != Some(&change.after)).collect();
        if changes.is_empty() {
            self.say(&format!("{} is set up already", host.title()));
            self.report(host, &changes);
            return Ok(Exit::Ok);
        }
        for change in &changes {
            self.show(change);
        }
        if self.verb.dry_run {
            self.report(host, &changes);
            return Ok(Exit::Ok);
        }
        let mut kept = HostChange::read(host)?;
        for change in &changes {
            // Store the memory of the change first, so that an interrupted setup can be reverted.
            kept.add(FileRecord::of(change));
            kept.store(host)?;
            change.make_folder()?;
            change.replace()?;
            self.say(&format!("wrote `{}`", change.file.display()));
        }
        self.say(&next(host, self.launch.hooks));
        self.report(host, &changes);
        Ok(Exit::Ok)
    }

    fn undo(&self, host: Host) -> Result<Exit, String> {
        let kept = HostChange::read(host)?;
        let all = Launch { hooks: true, ..self.launch.clone() };
        let edits = edits(host, &all, &self.places(), &|file| file.exists()).unwrap_or_default();
        let mut changes = Vec::new();
        for edits in &edits {
            let file = resolved(&edits.file)?;
            let Some(now) = read(&file)? else { continue };
            let before = match kept.undone(&file, &now) {
                OriginalContent::Text(before) => Some(before),
                OriginalContent::NoFile => None,
                OriginalContent::Unknown => {
                    // The version of a file that we did not create stays.
                    let entries = edits.entries.iter().filter(|entry| entry.name() != "version");
                    let entries: Vec<Entry> = entries.cloned().collect();
                    let after = remove(edits.syntax, &now, &entries);
                    let failed = |problem| format!("`{}`: {problem}; take our entries out by hand", file.display());
                    Some(after.map_err(failed)?)
                }
            };
            if before.as_ref() == Some(&now) {
                continue;
            }
            let change = Change { file: file.clone(), before: Some(now), after: before.clone().unwrap_or_default() };
            self.show(&change);
            if !self.verb.dry_run {
                match before {
                    Some(_) => change.replace()?,
                    None => fs::remove_file(&file).map_err(|error| format!("`{}`: {error}", file.display()))?,
                }
                self.say(&format!("took our entries out of `{}`", file.display()));
            }
            changes.push(change);
        }
        if changes.is_empty() {
            self.say(&format!("{} has nothing of ours", host.title()));
        }
        if !self.verb.dry_run {
            HostChange::forget(host)?;
        }
        self.report(host, &changes);
        Ok(Exit::Ok)
    }

    fn say(&self, text: &str) {
        if !self.quiet && !self.json {
            output::line(text);
        }
    }

    fn show(&self, change: &Change) {
        if !self.json {
            output::text(&change.diff());
        }
    }

    /// Prints the changed files (or those that would change) as JSON if requested.
    fn report(&self, host: Host, changes: &[Change]) {
        if self.json {
            let changes: Vec<_> =
                changes.iter().map(|change| json!({"file": change.file, "diff": change.diff()})).collect();
            output::json(&json!({"host": host.name(), "written": !self.verb.dry_run, "changes": changes}));
        }
    }
}

/// Value of an environment variable; `None` also if it is empty.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Change of a file that inserts our entries.
fn planned(edits: &Edits) -> Result<Change, String> {
    let file = resolved(&edits.file)?;
    let before = read(&file)?;
    let after = add(edits.syntax, before.as_deref().unwrap_or_default(), &edits.entries);
    let after = after.map_err(|problem| format!("`{}`: {problem}", file.display()))?;
    Ok(Change { file, before, after })
}

/// Resolves links: a link stays a link, and its target is changed.
fn resolved(file: &Path) -> Result<PathBuf, String> {
    match fs::symlink_metadata(file) {
        Err(_) => Ok(file.to_owned()),
        Ok(_) => file.canonicalize().map_err(|error| format!("`{}` leads nowhere: {error}", file.display())),
    }
}

/// Checks that the file may be written. A file that its owner made read-only must not be replaced
/// through its folder.
fn writable(change: &Change) -> Result<(), String> {
    match fs::metadata(&change.file) {
        Ok(meta) if !meta.is_file() => Err(format!("`{}` is not a file", change.file.display())),
        Ok(meta) if meta.permissions().readonly() => Err(format!("`{}` is read-only", change.file.display())),
        _ => Ok(()),
    }
}

/// Message if a file cannot be changed: the text to insert by hand.
fn by_hand(edits: &Edits, problem: &str) -> String {
    let text = add(edits.syntax, "", &edits.entries).unwrap_or_default();
    let language = match edits.syntax {
        Syntax::Jsonc => "JSON",
        Syntax::Toml => "TOML",
        Syntax::Yaml => "YAML",
    };
    format!(
        "{problem}. Nothing was changed. To do it by hand, add this {language} to `{}`:\n{text}",
        edits.file.display()
    )
}

/// Remaining steps for the user.
fn next(host: Host, hooks: bool) -> String {
    let more = match (host, hooks) {
        (Host::Codex, true) => " Codex runs a new hook only after you looked at it: type `/hooks` in Codex.",
        _ => "",
    };
    format!("start {} again; `haft setup {host} --undo` takes it back.{more}", host.title())
}
