//! What is never run, whoever agrees: gaining privileges, destroying a system, a home or a disk, halting the machine,
//! fork bombs, and network programs where there is to be no network. Checked before any rule and again when it runs.

use std::path::Path;

use crate::pattern::CommandPattern;
use crate::sql;
use tools_command::plain_path;
use tools_command::{Analysis, Command, Consequence, Effect, Surroundings, Value};

const POWER: [&str; 7] = ["shutdown", "reboot", "halt", "poweroff", "telinit", "kexec", "pm-suspend"];
const DISKS: [&str; 17] = [
    "wipefs",
    "fdisk",
    "sfdisk",
    "cfdisk",
    "gdisk",
    "sgdisk",
    "parted",
    "blkdiscard",
    "hdparm",
    "cryptsetup",
    "lvremove",
    "vgremove",
    "pvremove",
    "mdadm",
    "badblocks",
    "swapoff",
    "losetup",
];
const MODULES: [&str; 4] = ["insmod", "rmmod", "modprobe", "depmod"];
const NETWORK: [&str; 44] = [
    "curl",
    "wget",
    "wget2",
    "nc",
    "ncat",
    "netcat",
    "nc.openbsd",
    "nc.traditional",
    "telnet",
    "ftp",
    "tftp",
    "sftp",
    "scp",
    "ssh",
    "socat",
    "dig",
    "nslookup",
    "host",
    "drill",
    "ping",
    "ping6",
    "traceroute",
    "tracepath",
    "mtr",
    "nmap",
    "masscan",
    "aria2c",
    "axel",
    "lynx",
    "links",
    "w3m",
    "elinks",
    "http",
    "https",
    "httpie",
    "xh",
    "curlie",
    "mosh",
    "rlogin",
    "rsh",
    "whois",
    "lftp",
    "hping3",
    "websocat",
];
const DELETERS: [&str; 4] = ["rm", "shred", "srm", "wipe"];
const CHANGERS: [&str; 4] = ["chmod", "chown", "chgrp", "chattr"];
/// Folders without which a machine or an account does not work.
const SYSTEM: [&str; 20] = [
    "/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib32", "/lib64", "/media", "/mnt", "/opt", "/proc",
    "/root", "/run", "/sbin", "/srv", "/sys", "/usr", "/var",
];

/// What the list depends on beside the line.
#[derive(Debug)]
pub(crate) struct BlockRules<'a> {
    pub(crate) extra: &'a [CommandPattern],
    pub(crate) allow_network: bool,
    pub(crate) surroundings: &'a Surroundings,
}

/// Why a line may not run, and what would do instead.
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

/// Why nothing of this line may run; `None` when the list has no objection.
pub(crate) fn objection(found: &Analysis, rules: &BlockRules<'_>) -> Option<Objection> {
    if let Some(bomb) = found.bombs.first() {
        return Some(Objection::new(
            format!("`{bomb}` starts itself without end"),
            "Start a number of processes that is known beforehand.",
        ));
    }
    found.writes.iter().find_map(device).or_else(|| {
        if let Some(host) = found.connects.first().filter(|_| !rules.allow_network) {
            return Some(Objection::new(format!("`{}` is in the network, which is closed", host.text), OFFLINE));
        }
        found.commands.iter().find_map(|command| refused(command, rules))
    })
}

/// Writing to a disk or to the kernel's switches.
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
    let statements = sql::statements(command);
    if let Some(pattern) = rules.extra.iter().find(|pattern| pattern.matches(command, &statements)) {
        let why = format!("`{}` is blocked by the configuration", pattern.text);
        return Some(Objection::new(
            why,
            "Reach the goal another way, or tell the user what is needed: nobody can agree to this one.",
        ));
    }
    let denied = command.effects.iter().find_map(|effect| match effect {
        Effect::Is { kind, why } if kind.is_denied() => Some((*kind, why.clone())),
        _ => None,
    });
    if let Some((kind, why)) = denied {
        return because(&why, instead(kind));
    }
    let needs_network = |effect: &Effect| matches!(effect, Effect::Network | Effect::Host(_));
    if !rules.allow_network && command.effects.iter().any(needs_network) {
        return because("needs the network, which is closed", OFFLINE);
    }
    if POWER.contains(&name)
        || (name == "init" && command.args.iter().any(|arg| matches!(arg.text.as_str(), "0" | "6")))
    {
        return because("stops the machine", LEAVE_RUNNING);
    }
    if name == "systemctl" || name == "loginctl" {
        let stops = ["poweroff", "reboot", "halt", "kexec", "suspend", "hibernate", "rescue", "emergency", "isolate"];
        if stops.iter().any(|stop| command.has_arg(stop)) {
            return because("stops the machine", LEAVE_RUNNING);
        }
    }
    if name.starts_with("mkfs") || name.starts_with("mke2fs") || name == "mkswap" || DISKS.contains(&name) {
        return because("rewrites a disk", TO_A_FILE);
    }
    if MODULES.contains(&name) {
        return because("changes the kernel", "Tell the user which module is needed.");
    }
    if name == "dd" && command.args.iter().any(copies_raw) {
        return because(
            "copies to or from more than a file",
            "Copy files with `cp`; `dd` may read `/dev/zero` or `/dev/urandom` and write a file below the working directory.",
        );
    }
    if matches!(name, "tee" | "cp" | "mv" | "install" | "sponge" | "truncate")
        && let Some(why) = command.operands().last().and_then(|target| device(target))
    {
        return Some(why);
    }
    let only_says = !command.args.is_empty()
        && command.args.iter().all(|arg| {
            arg.is_exact && matches!(arg.text.as_str(), "--version" | "--help" | "--manual")
                || (arg.text == "-V" && matches!(name, "ssh" | "curl" | "wget" | "nmap" | "socat"))
        });
    if !rules.allow_network && !only_says && (NETWORK.contains(&name) || is_remote_copy(command)) {
        return because("needs the network, which is closed", OFFLINE);
    }
    destroyed(command, rules)
}

/// What would do instead of something that never runs.
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

/// Whether an argument of `dd` reads or writes more than a file: plain sources of bytes and files below the working folder
/// do no harm.
fn copies_raw(arg: &Value) -> bool {
    let text = arg.text.as_str();
    if let Some(source) = text.strip_prefix("if=") {
        let plain = ["/dev/zero", "/dev/null", "/dev/urandom", "/dev/random", "/dev/stdin"];
        return !arg.is_exact || !plain.contains(&source);
    }
    text.strip_prefix("of=").is_some_and(|target| {
        let is_plain = matches!(target, "/dev/null" | "/dev/stdout");
        let leaves = target.starts_with('/') || target.split('/').any(|step| step == "..");
        is_disk(target) || !arg.is_exact || (leaves && !is_plain && plain_path(Path::new(target)).starts_with("/dev"))
    })
}

fn is_remote_copy(command: &Command) -> bool {
    let is_remote = |value: &&Value| {
        value.text.starts_with("rsync://")
            || value.text.split_once(':').is_some_and(|(host, _)| !host.contains('/') && !host.is_empty())
    };
    command.name() == "rsync" && command.operands().iter().any(is_remote)
}

/// A deletion or a change of everything below a folder that must stay.
fn destroyed(command: &Command, rules: &BlockRules<'_>) -> Option<Objection> {
    let name = command.name();
    let is_recursive = command.has_short("rR")
        || command.options().any(|option| option.len() > 3 && "--recursive".starts_with(option));
    let operands = command.operands();
    let targets: Vec<&Value> = match name {
        _ if DELETERS.contains(&name) => {
            if command.options().any(|option| option == "--no-preserve-root") {
                return Some(Objection::new(format!("`{name}` without regard for the root"), BY_NAME));
            }
            if !is_recursive {
                return None;
            }
            operands
        }
        _ if CHANGERS.contains(&name) && is_recursive => operands.into_iter().skip(1).collect(),
        "find" | "gfind" if command.has_arg("-delete") => {
            operands.into_iter().take_while(|value| !value.text.starts_with(['-', '(', '!'])).take(8).collect()
        }
        "mv" => {
            let sources = operands.len().saturating_sub(1);
            operands.into_iter().take(sources).collect()
        }
        _ => return None,
    };
    let keeps_own = name == "find" || CHANGERS.contains(&name) || name == "mv";
    let target = targets.into_iter().find(|target| is_protected(target, command, rules, keeps_own))?;
    Some(Objection::new(format!("`{name}` of `{}`", target.text), BY_NAME))
}

/// Whether a target is, or is everything in, a folder that must stay. `keeps_own`: the working folder itself may be meant.
fn is_protected(target: &Value, command: &Command, rules: &BlockRules<'_>, keeps_own: bool) -> bool {
    let home = rules.surroundings.home.as_str();
    let workdir = rules.surroundings.workdir.as_str();
    let text = target.text.as_str();
    if !target.is_exact {
        // `"$x"/*` with an empty `x` is the root, but then so is much else: that is asked about, not blocked.
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
    // The workspace as a whole and what it lies in; its content by a pattern is asked about like any deletion.
    let names_all = text.ends_with(".*") && is_content;
    (own.starts_with(&path) && !is_content) || (own.starts_with(&path) && own != path) || (names_all && own == path)
}

/// The folder of a target, and whether only its whole content is meant (`x/*`, `x/.*`, `*`).
fn content_of(target: &str) -> (&str, bool) {
    for pattern in ["/{*,.*}", "/*", "/.*", "/.", "/**", "/?*", "/.[!.]*"] {
        if let Some(folder) = target.strip_suffix(pattern) {
            return (if folder.is_empty() { "/" } else { folder }, pattern != "/.");
        }
    }
    if matches!(target, "*" | ".*" | "**") { (".", true) } else { (target, false) }
}
