//! The rules that stand behind every configured list: harmless companions of other commands. Data
//! only.

pub(super) struct DefaultRule {
    /// A command pattern to allow.
    pub(super) pattern: &'static str,
    /// Whether what it prints is nobody's choice, so that it does not matter where it is written
    /// to.
    pub(super) is_mute: bool,
}

const fn mute(pattern: &'static str) -> DefaultRule {
    DefaultRule { pattern, is_mute: true }
}

const fn prints(pattern: &'static str) -> DefaultRule {
    DefaultRule { pattern, is_mute: false }
}

/// Commands that change nothing by themselves, run nothing else and reach no network. What they
/// write by redirection is a subject of its own. Left out on purpose: `sort` (`-o`,
/// `--compress-program`), `uniq` (a second operand is written), `find` (`-exec`, `-delete`), `env`,
/// `xargs`, `git` (runs what a repository configures).
const BASH: &[DefaultRule] = &[
    mute("cd"),
    mute("cd *"),
    mute("true"),
    mute("false"),
    mute(":"),
    mute("pwd"),
    prints("ls"),
    prints("ls *"),
    prints("echo"),
    prints("echo *"),
    prints("cat"),
    prints("cat *"),
    prints("head"),
    prints("head *"),
    prints("tail"),
    prints("tail *"),
    prints("wc"),
    prints("wc *"),
    prints("grep *"),
];

/// The default rules of a tool; none for most.
pub(super) fn of(tool: &str) -> &'static [DefaultRule] {
    DEFAULTS.iter().find(|(name, _)| *name == tool).map_or(&[], |(_, rules)| rules)
}

/// It reaches nothing but what the same session was allowed to start.
const OWN_JOBS: &[DefaultRule] = &[prints("*")];

/// The lists by tool: an operator's configuration that ships with the program.
const DEFAULTS: &[(&str, &[DefaultRule])] = &[("bash", BASH), ("job_kill", OWN_JOBS)];

/// The tools that have default rules.
pub(super) fn tools<'a>() -> impl Iterator<Item = &'a str> {
    DEFAULTS.iter().map(|(tool, _)| *tool)
}
