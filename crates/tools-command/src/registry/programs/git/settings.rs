//! Settings of `git`: those on the command line and in its configuration, and which of them start
//! programs.

use tools_core::Access;

use crate::reader::{PLACEHOLDER, Value};
use crate::registry::prelude::*;

/// Sections and keys of settings that run nothing.
const PLAIN: &str = "advice. branch. color. column. commit.gpgsign commit.verbose core.abbrev core.autocrlf core.bare \
     core.commentchar core.compression core.eol core.filemode core.ignorecase core.longpaths \
     core.logallrefupdates core.preloadindex core.quotepath core.safecrlf core.symlinks core.untrackedcache \
     core.whitespace diff.algorithm diff.colormoved diff.context diff.indentheuristic diff.mnemonicprefix \
     diff.noprefix diff.renamelimit diff.renames diff.submodule feature. fetch. format.pretty gc.auto \
     help.autocorrect http.lowspeedlimit http.lowspeedtime http.postbuffer http.version i18n. index. \
     init.defaultbranch log. merge.conflictstyle merge.ff merge.renamelimit pack. protocol.version pull. \
     push.autosetupremote push.default push.followtags rebase.abbreviatecommands rebase.autosquash \
     rebase.autostash rebase.updaterefs remote.origin.url rerere. safe.directory status. submodule.recurse \
     tag.gpgsign tag.sort user.";

/// Values that start no program, or only one that displays text or does nothing.
const HARMLESS: &[&str] = &[
    "", "true", "false", "cat", "less", "less -R", "less -S", "less -FX", "less -FRX", "more", "delta", "0", "1", ":",
    "/dev/null",
];

/// Effects of the options before the subcommand.
pub(super) fn globals(parsed: &Parsed<'_>) -> Vec<Effect> {
    let mut found = Vec::new();
    for given in parsed.globals("-c --config-env --git-dir --work-tree --exec-path") {
        let Some(value) = &given.value else { continue };
        match given.spellings {
            "-c" => found.extend(setting(value)),
            "--config-env" => found.extend(from_environment(value)),
            "--git-dir" if !is_own_repository(value) => {
                found.push(Effect::hidden("`git` with the settings of another folder"));
            }
            "--exec-path" => found.push(Effect::hidden("`git` with programs from elsewhere")),
            _ => {}
        }
    }
    found
}

/// The values of `--config` of `git clone`.
pub(super) fn of_clone(parsed: &Parsed<'_>) -> Vec<Effect> {
    parsed.values("--config").flat_map(setting).collect()
}

/// Whether a repository's folder is the one that `git` would find here by itself.
fn is_own_repository(folder: &Value) -> bool {
    folder.is_exact && matches!(folder.text.trim_end_matches('/'), ".git" | "./.git")
}

fn is_plain(key: &str) -> bool {
    let key = key.to_lowercase();
    PLAIN.split(' ').any(|plain| if plain.ends_with('.') { key.starts_with(plain) } else { key == plain })
}

/// `key=value` as a setting. It is opaque if it may start a program, and that program is analysed
/// all the same.
fn setting(setting: &Value) -> Vec<Effect> {
    let (key, value) = setting.text.split_once('=').unwrap_or((&setting.text, ""));
    let is_alias = key.to_lowercase().starts_with("alias.");
    let is_open = key.contains(PLACEHOLDER);
    let is_harmless = setting.is_exact && !is_open && !is_alias && HARMLESS.contains(&value);
    let is_known_key = setting.is_exact || setting.text.contains('=') && !key.contains(['$', '`']);
    if is_harmless || is_known_key && is_plain(key) && !value.contains("::") {
        return Vec::new();
    }
    let mut found = vec![Effect::hidden(format!("the `git` setting `{key}` may run a program"))];
    if setting.is_exact {
        found.push(Effect::Line(Value::exact(value.trim_start_matches('!'))));
    }
    found
}

/// `key=NAME`, whose value is that of the variable `NAME`.
fn from_environment(setting: &Value) -> Option<Effect> {
    let key = setting.text.split('=').next().unwrap_or_default();
    let is_known = setting.is_exact && is_plain(key);
    (!is_known).then(|| Effect::hidden(format!("the `git` setting `{key}` may run a program")))
}

/// Read-only options of `git config`.
const LOOKS: &str = "--get --get-all --get-regexp --get-urlmatch --list --get-color --get-colorbool";

/// The changes that `git config` makes, and their file.
pub(super) fn configures(parsed: &Parsed<'_>) -> Vec<Effect> {
    let how = parsed.subcommand();
    let is_removal = parsed.has("--unset --unset-all --remove-section --rename-section");
    let looks = matches!(how, "get" | "list") || parsed.has(LOOKS);
    let changes = is_removal
        || matches!(how, "set" | "unset" | "rename-section" | "remove-section" | "edit")
        || parsed.has("--edit --add --replace-all")
        || parsed.operands.len() > 1;
    if looks || !changes {
        return Vec::new();
    }
    let mut found = vec![Effect::path(place(parsed), Access::Write)];
    if how == "edit" || parsed.has("--edit") {
        found.push(Effect::hidden("`git config` opens an editor"));
    }
    if let (false, Some(key), Some(value)) = (is_removal || how == "unset", parsed.operand(0), parsed.operand(1)) {
        let is_exact = key.is_exact && value.is_exact;
        let has_pattern = false;
        found.extend(setting(&Value { text: format!("{}={}", key.text, value.text), is_exact, has_pattern }));
    }
    found
}

/// The file that `git config` changes.
fn place(parsed: &Parsed<'_>) -> Value {
    if let Some(file) = parsed.values("--file").next() {
        return file.clone();
    }
    let path = match parsed {
        _ if parsed.has("--global") => "~/.gitconfig",
        _ if parsed.has("--system") => "/etc/gitconfig",
        _ if parsed.has("--worktree") => ".git/config.worktree",
        _ => ".git/config",
    };
    Value { is_exact: !path.starts_with('~'), ..Value::exact(path) }
}
