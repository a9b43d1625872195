//! The default rules after every configured list: harmless companions of other commands. Data only.

pub(super) struct DefaultRule {
    /// A command pattern to allow.
    pub(super) pattern: &'static str,
    /// Whether its output cannot be chosen, so that its destination does not matter.
    pub(super) is_mute: bool,
}

const fn mute(pattern: &'static str) -> DefaultRule {
    DefaultRule { pattern, is_mute: true }
}

const fn prints(pattern: &'static str) -> DefaultRule {
    DefaultRule { pattern, is_mute: false }
}

/// Commands that change nothing by themselves, run nothing else and reach no network. Files that
/// they write by redirection are separate subjects. Deliberately excluded: `sort` (`-o`,
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

/// The default rules of a tool; empty for most.
pub(super) fn of(tool: &str) -> &'static [DefaultRule] {
    DEFAULTS.iter().find(|(name, _)| *name == tool).map_or(&[], |(_, rules)| rules)
}

/// It reaches only jobs that the same session was allowed to start.
const OWN_JOBS: &[DefaultRule] = &[prints("*")];

/// The lists by tool, shipped with the program.
const DEFAULTS: &[(&str, &[DefaultRule])] = &[("bash", BASH), ("job_kill", OWN_JOBS)];

/// The tools that have default rules.
pub(super) fn tools<'a>() -> impl Iterator<Item = &'a str> {
    DEFAULTS.iter().map(|(tool, _)| *tool)
}
