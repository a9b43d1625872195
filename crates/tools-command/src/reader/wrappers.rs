//! Programs that run the rest of their arguments as a command, and how their own arguments are written.

use super::options::Options;

/// How a wrapper is followed by its command.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wrapper {
    pub(super) options: Options,
    /// Arguments of its own before the command.
    pub(super) operands: usize,
    /// Whether `NAME=value` may stand before the command.
    pub(super) takes_assignments: bool,
    /// Whether the command is a line for a shell.
    pub(super) runs_line: bool,
}

const NONE: Options = Options { flags: "", valued: "", optional: "", long_flags: &[], long_valued: &[] };

const fn wrapper(flags: &'static str, valued: &'static str, operands: usize) -> Wrapper {
    let options = Options { flags, valued, ..NONE };
    Wrapper { options, operands, takes_assignments: false, runs_line: false }
}

const fn long(wrapper: Wrapper, flags: &'static [&'static str], valued: &'static [&'static str]) -> Wrapper {
    let options = Options { long_flags: flags, long_valued: valued, ..wrapper.options };
    Wrapper { options, ..wrapper }
}

const fn optional(wrapper: Wrapper, letters: &'static str) -> Wrapper {
    let options = Options { optional: letters, ..wrapper.options };
    Wrapper { options, ..wrapper }
}

/// The wrapper of this name.
pub(super) fn find(name: &str) -> Option<Wrapper> {
    let digits = "0123456789";
    Some(match name {
        "env" => Wrapper {
            takes_assignments: true,
            ..long(
                wrapper("iv0-", "uCa", 0),
                &[
                    "ignore-environment",
                    "null",
                    "debug",
                    "block-signal",
                    "default-signal",
                    "ignore-signal",
                    "list-signal-handling",
                ],
                &["unset", "chdir", "argv0"],
            )
        },
        "command" => wrapper("p", "", 0),
        "builtin" | "nohup" | "unbuffer" | "ccache" | "distcc" | "eatmydata" | "winpty" | "setarch" | "linux32"
        | "linux64" | "tini" | "dumb-init" | "catchsegv" | "torsocks" | "fakeroot" => wrapper("pgsvq", "", 0),
        "exec" => wrapper("cl", "a", 0),
        "nice" => long(wrapper(digits, "n", 0), &[], &["adjustment"]),
        "ionice" => long(wrapper("t", "cn", 0), &["ignore"], &["class", "classdata"]),
        "timeout" => {
            long(wrapper("vfp", "ks", 1), &["preserve-status", "foreground", "verbose"], &["kill-after", "signal"])
        }
        "time" => {
            long(wrapper("apvqV", "fo", 0), &["portability", "verbose", "append", "quiet"], &["format", "output"])
        }
        "choom" => long(wrapper("", "np", 0), &[], &["adjust", "pid"]),
        "setsid" => long(wrapper("cfw", "", 0), &["ctty", "fork", "wait"], &[]),
        "stdbuf" => long(wrapper("", "ioe", 0), &[], &["input", "output", "error"]),
        "chrt" => long(
            wrapper("abfiormv", "TPD", 1),
            &["all-tasks", "batch", "deadline", "fifo", "idle", "other", "rr", "max", "verbose", "reset-on-fork"],
            &["sched-runtime", "sched-period", "sched-deadline"],
        ),
        "taskset" => long(wrapper("ac", "", 1), &["all-tasks", "cpu-list"], &[]),
        "faketime" => wrapper("m", "f", 1),
        "chroot" => long(wrapper("", "", 1), &["skip-chdir"], &["groups", "userspec"]),
        "xargs" => long(
            optional(wrapper("0prtxo", "ndIPLsaE", 0), "ile"),
            &[
                "null",
                "no-run-if-empty",
                "verbose",
                "interactive",
                "exit",
                "open-tty",
                "replace",
                "max-lines",
                "show-limits",
            ],
            &["arg-file", "delimiter", "eof", "max-args", "max-procs", "max-chars", "process-slot-var"],
        ),
        "strace" | "ltrace" => long(
            wrapper("cCdfFhiqrtTvVwxyzZnkbD", "aeEIoOpPsSuUXl", 0),
            &["follow-forks", "summary", "no-abbrev", "quiet", "decode-fds", "string-limit"],
            &["output", "attach", "trace", "env"],
        ),
        "systemd-run" => long(
            wrapper("dGMPqrStG", "HpMEu", 0),
            &["user", "system", "scope", "pty", "pipe", "quiet", "wait", "collect", "no-block", "shell", "same-dir"],
            &[
                "unit",
                "property",
                "setenv",
                "uid",
                "gid",
                "nice",
                "working-directory",
                "slice",
                "description",
                "on-active",
            ],
        ),
        "setpriv" => long(
            wrapper("d", "", 0),
            &["no-new-privs", "clear-groups", "init-groups", "keep-groups"],
            &["reuid", "regid", "groups", "inh-caps", "ambient-caps", "bounding-set", "securebits", "pdeathsig"],
        ),
        "unshare" => long(
            wrapper("imnpuUCTfrc", "RwSG", 0),
            &[
                "user",
                "net",
                "mount",
                "pid",
                "ipc",
                "uts",
                "fork",
                "map-root-user",
                "map-current-user",
                "mount-proc",
                "cgroup",
            ],
            &["root", "wd", "setuid", "setgid"],
        ),
        "nsenter" => {
            long(wrapper("amuinpCUTFreZ", "tSG", 0), &["all", "mount", "net", "pid", "ipc", "uts", "user"], &["target"])
        }
        "dbus-run-session" | "xvfb-run" | "rlwrap" | "ssh-agent" | "proxychains" | "proxychains4" | "firejail"
        | "prlimit" | "numactl" | "cpulimit" | "valgrind" | "hyperfine" | "entr" | "parallel" | "sem" | "expect"
        | "proot" | "bwrap" | "heaptrack" | "caffeinate" | "i386" | "x86_64" | "setuidgid" | "chpst"
        | "s6-setuidgid" | "softlimit" => wrapper("", "", 0),
        "perf" => long(
            wrapper("agsvqRdBAinbNWST", "eorptCIcFjmDwx", 0),
            &["all-cpus", "verbose", "quiet", "detailed", "big-num", "no-inherit", "append", "per-core", "per-thread"],
            &["event", "output", "repeat", "pid", "tid", "cpu", "call-graph", "freq", "count", "delay"],
        ),
        "cross-env" => Wrapper { takes_assignments: true, ..wrapper("", "", 0) },
        "cross-env-shell" => Wrapper { takes_assignments: true, runs_line: true, ..wrapper("", "", 0) },
        "envdir" => wrapper("", "", 1),
        "watchexec" => Wrapper {
            runs_line: true,
            ..long(
                wrapper("rcnpq", "ewifsodN", 0),
                &["restart", "clear", "no-shell", "postpone", "quiet", "no-vcs-ignore"],
                &["exts", "watch", "ignore", "filter", "signal", "on-busy-update", "debounce", "shell"],
            )
        },
        "watch" => Wrapper {
            runs_line: true,
            ..long(
                wrapper("bcdegptwxtC", "nq", 0),
                &["beep", "color", "differences", "errexit", "chgexit", "no-title", "exec", "precise", "no-wrap"],
                &["interval", "equexit"],
            )
        },
        name if name.starts_with("ld-linux") || name.starts_with("ld-musl") || name == "ld.so" => long(
            wrapper("", "", 0),
            &["verify", "list", "inhibit-cache"],
            &["library-path", "preload", "argv0", "audit"],
        ),
        _ => return None,
    })
}
