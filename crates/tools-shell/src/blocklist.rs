//! The built-in list of commands that never run, even if a person agrees: gaining privileges,
//! destroying a system, a home or a disk, halting the machine, fork bombs, and network programs
//! without a network. Checked before any rule and again when the command runs.

use std::path::Path;

use tools_command::{Analysis, Command, Consequence, Effect, Surroundings, Value, plain_path, statements};
use tools_core::Access;

use crate::pattern::CommandPattern;

/// Folders that a machine or an account needs to work.
const SYSTEM: [&str; 20] = [
    "/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib32", "/lib64", "/media", "/mnt", "/opt", "/proc",
    "/root", "/run", "/sbin", "/srv", "/sys", "/usr", "/var",
];

/// Further input of the list beside the line.
#[derive(Debug)]
pub(crate) struct BlockRules<'a> {
    pub(crate) extra: &'a [CommandPattern],
    pub(crate) has_network: bool,
    pub(crate) surroundings: &'a Surroundings,
}

/// The reason why a line may not run, and an alternative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Objection {
    pub(crate) why: String,
    pub(crate) instead: &'static str,
}

impl Objection {
    fn new(why: impl Into<String>, instead: &'static str) -> Self {
        Self { why: why.into(), instead }
    }
}

const OFFLINE: &str =
    "Work with what is on this machine; if it cannot be done without the network, tell the user what is needed.";
const LEAVE_RUNNING: &str = "Leave the machine running; if it has to be restarted, tell the user so.";
const BY_NAME: &str = "Name the files or folders below the working directory that are meant, one by one.";
const TO_A_FILE: &str = "Write to a file below the working directory instead.";

/// The reason why this line may not run; `None` if the list has no objection.
pub(crate) fn objection(found: &Analysis, rules: &BlockRules<'_>) -> Option<Objection> {
    if let Some(bomb) = found.bombs.first() {
        return Some(Objection::new(
            format!("`{bomb}` starts itself without end"),
            "Start a number of processes that is known beforehand.",
        ));
    }
    found.writes.iter().find_map(device).or_else(|| {
        if let Some(host) = found.connects.first().filter(|_| !rules.has_network) {
            return Some(Objection::new(format!("`{}` is in the network, which is closed", host.text), OFFLINE));
        }
        found.commands.iter().find_map(|command| refused(command, rules))
    })
}

/// Objects to writing to a disk or to kernel settings.
fn device(target: &Value) -> Option<Objection> {
    let path = target.text.as_str();
    let is_kernel = (path.starts_with("/proc/") && !path.starts_with("/proc/self/")) || path.starts_with("/sys/");
    (is_disk(path) || is_kernel).then(|| Objection::new(format!("writing to `{path}`"), TO_A_FILE))
}

fn is_disk(path: &str) -> bool {
    let device = path.strip_prefix("/dev/");
    let kinds = [
        "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "md", "dm-", "mapper/", "disk/", "loop", "mem", "kmem", "port",
        "nbd", "sr", "ram",
    ];
    device.is_some_and(|name| kinds.iter().any(|kind| name.starts_with(kind)))
}

fn refused(command: &Command, rules: &BlockRules<'_>) -> Option<Objection> {
    let name = command.name();
    if !command.program.is_exact {
        return None;
    }
    let because = |what: &str, instead| Some(Objection::new(format!("`{name}` {what}"), instead));
    let statements = statements(command);
    if let Some(pattern) = rules.extra.iter().find(|pattern| pattern.matches(command, &statements)) {
        let why = format!("`{}` is blocked by the configuration", pattern.text);
        return Some(Objection::new(
            why,
            "Reach the goal another way, or tell the user what is needed: nobody can agree to this one.",
        ));
    }
    command.effects.iter().find_map(|effect| match effect {
        Effect::Is { kind, why } if kind.is_denied() => because(why, instead(*kind)),
        Effect::Network | Effect::Host(_) if !rules.has_network => {
            because("needs the network, which is closed", OFFLINE)
        }
        Effect::Path { path, access, is_tree: true } if *access != Access::Read => {
            device(&path.placed(command.folder.as_deref())).or_else(|| destroyed(path, *access, command, rules))
        }
        Effect::Path { path, access: Access::Write, .. } => device(&path.placed(command.folder.as_deref())),
        _ => None,
    })
}

/// The alternative to something that never runs.
fn instead(kind: Consequence) -> &'static str {
    match kind {
        Consequence::TakesRights => {
            "Do it with the rights you have, below the working directory; what needs more, the user has to do."
        }
        Consequence::StopsMachine => LEAVE_RUNNING,
        Consequence::ChangesKernel => "Tell the user which module is needed.",
        Consequence::Exhausts => "Start a number of processes that is known beforehand.",
        _ => TO_A_FILE,
    }
}

/// Objects to deleting or changing everything below a protected folder.
fn destroyed(target: &Value, access: Access, command: &Command, rules: &BlockRules<'_>) -> Option<Objection> {
    // A command that searches a folder and deletes there, or changes files, may have the working
    // folder as its target.
    let is_searched = |effect: &Effect| matches!(effect, Effect::Path { path, access: Access::Read, is_tree: true } if path == target);
    let keeps_own = access == Access::Write || command.effects.iter().any(is_searched);
    let is_meant = is_protected(target, command, rules, keeps_own);
    is_meant.then(|| Objection::new(format!("`{}` of `{}`", command.name(), target.text), BY_NAME))
}

/// Whether a target is a protected folder or its whole content. `keeps_own`: the working folder
/// itself is not protected.
fn is_protected(target: &Value, command: &Command, rules: &BlockRules<'_>, keeps_own: bool) -> bool {
    let home = rules.surroundings.home.as_str();
    let workdir = rules.surroundings.workdir.as_str();
    let text = target.text.as_str();
    if !target.is_exact {
        // `"$x"/*` with an empty `x` is the root, but so are many other paths: a person is asked,
        // and nothing is blocked.
        return false;
    }
    let (folder, is_content) = content_of(text);
    let base = command.folder.as_deref();
    let path = match (Path::new(folder).is_absolute(), base) {
        (true, _) => plain_path(Path::new(folder)),
        (false, Some(base)) => plain_path(&Path::new(base).join(folder)),
        (false, None) => return matches!(folder, "" | "." | "..") || folder.starts_with("../"),
    };
    let is_system = SYSTEM.iter().any(|system| Path::new(system) == path);
    let is_home = !home.is_empty() && (path == plain_path(Path::new(home)) || Path::new(home).starts_with(&path));
    if is_system || is_home {
        return true;
    }
    if keeps_own || workdir.is_empty() {
        return false;
    }
    let own = plain_path(Path::new(workdir));
    // The workspace as a whole and its parent folders are protected; deleting its content by a
    // pattern asks like any deletion.
    let names_all = text.ends_with(".*") && is_content;
    (own.starts_with(&path) && !is_content) || (own.starts_with(&path) && own != path) || (names_all && own == path)
}

/// The folder of a target, and whether the target is only its whole content (`x/*`, `x/.*`, `*`).
fn content_of(target: &str) -> (&str, bool) {
    for pattern in ["/{*,.*}", "/*", "/.*", "/.", "/**", "/?*", "/.[!.]*"] {
        if let Some(folder) = target.strip_suffix(pattern) {
            return (if folder.is_empty() { "/" } else { folder }, pattern != "/.");
        }
    }
    if matches!(target, "*" | ".*" | "**") { (".", true) } else { (target, false) }
}
