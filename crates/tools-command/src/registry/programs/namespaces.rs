//! Programs that start another one with another root, in a namespace or a sandbox, or with fewer
//! rights.

use crate::registry::prelude::*;

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["unshare"],
        flags: "-f|--fork -r|--map-root-user -c|--map-current-user --map-auto --keep-caps -h",
        valued: "-R|--root -w|--wd -S|--setuid -G|--setgid --propagation --setgroups --map-user --map-group --map-users \
                     --map-groups --monotonic --boottime --load-interp -l",
        optional: "-m|--mount -u|--uts -i|--ipc -n|--net -p|--pid -U|--user -C|--cgroup -T|--time --mount-proc \
                       --mount-binfmt --kill-child",
        rules: &[
            always(RunsWords(At::From(0))),
            when(AtMost(0), Hides("`unshare` starts a shell that runs what it reads")),
        ],
        examples: &[
            ("unshare -r sudo id", Expect::Denied("takes other rights")),
            ("unshare -rfp --mount-proc sudo id", Expect::Denied("takes other rights")),
            ("unshare -r", Expect::Opaque("starts a shell")),
            ("unshare --odd sudo id", Expect::Opaque("`--odd` of `unshare`")),
            ("unshare -rn ls", Expect::Runs("ls")),
        ],
        ..Program::LEADING
    },
    Program {
        names: &["nsenter"],
        flags: "-a|--all -F|--no-fork -Z|--follow-context --user-parent -e|--env -c|--join-cgroup --preserve-credentials",
        valued: "-t|--target -W|--wdns",
        optional: "-m|--mount -u|--uts -i|--ipc -n|--net -p|--pid -C|--cgroup -U|--user -T|--time -S|--setuid -G|--setgid \
                       -r|--root -w|--wd",
        rules: &[
            always(RunsWords(At::From(0))),
            when(AtMost(0), Hides("`nsenter` starts a shell that runs what it reads")),
        ],
        examples: &[
            ("nsenter -t 1 -m sudo id", Expect::Denied("takes other rights")),
            ("nsenter -t 1 -a", Expect::Opaque("starts a shell")),
        ],
        ..Program::LEADING
    },
    Program {
        names: &["chroot"],
        flags: "--skip-chdir",
        valued: "--groups --userspec -u -g -G",
        rules: &[
            always(RunsWords(At::From(1))),
            when(AtMost(1), Hides("`chroot` starts a shell that runs what it reads")),
        ],
        examples: &[
            ("chroot / sudo id", Expect::Denied("takes other rights")),
            ("chroot --userspec=x . ls", Expect::Runs("ls")),
            ("chroot root", Expect::Opaque("starts a shell")),
        ],
        ..Program::LEADING
    },
    Program {
        names: &["setpriv"],
        flags: "-d|--dump --nnp|--no-new-privs --clear-groups --init-groups --keep-groups --reset-env --list-caps",
        valued: "--reuid --regid --ruid --euid --rgid --egid --groups --inh-caps --ambient-caps --bounding-set --securebits \
                     --pdeathsig --selinux-label --apparmor-profile --landlock-access --landlock-rule --seccomp-filter --ptracer",
        rules: RUNS_OPERANDS,
        examples: &[
            ("setpriv --reuid=0 sudo id", Expect::Denied("takes other rights")),
            ("setpriv --no-new-privs ls", Expect::Runs("ls")),
        ],
        ..Program::LEADING
    },
    Program {
        names: &["bwrap"],
        flags: "--unshare-all --share-net --unshare-user --unshare-user-try --unshare-ipc --unshare-pid --unshare-net \
                    --unshare-uts --unshare-cgroup --unshare-cgroup-try --die-with-parent --new-session --as-pid-1 --clearenv \
                    --disable-userns --assert-userns-disabled",
        valued: "--uid --gid --hostname --chdir --unsetenv --lock-file --sync-fd --proc --dev --tmpfs --mqueue --dir \
                     --remount-ro --seccomp --add-seccomp-fd --block-fd --userns-block-fd --info-fd --json-status-fd --userns \
                     --userns2 --pidns --cap-add --cap-drop --perms --size --exec-label --file-label --argv0 --overlay-src \
                     --tmp-overlay --ro-overlay",
        rules: &[always(ByOption(bubblewrap))],
        examples: &[
            ("bwrap --ro-bind / / --dev /dev sudo id", Expect::Denied("takes other rights")),
            ("bwrap --unshare-all --setenv PATH ./x -- sudo id", Expect::Denied("takes other rights")),
            ("bwrap --odd x sudo id", Expect::Denied("takes other rights")),
        ],
        ..Program::LEADING
    },
    Program {
        family: &[
            "proot", "firejail", "capsule", "minijail0", "nsjail", "systemd-nspawn", "lxc-attach", "toolbox",
            "distrobox",
        ],
        flags: "-0|--root-id --noprofile --quiet --private --net=none -q -v --kill-on-exit --link2symlink -S",
        valued: "-r|--rootfs -b|--bind|-m|--mount -w|--cwd|--pwd -D|--directory -M|--machine -u|--user -n|--name",
        optional: "--profile --whitelist --blacklist --read-only --net --private-bin --env --name --noroot --caps",
        rules: &[always(RunsWords(At::From(0))), when(AtMost(0), Hides("it starts a shell that runs what it reads"))],
        examples: &[
            ("firejail sudo id", Expect::Denied("takes other rights")),
            ("firejail --net=none sudo id", Expect::Denied("takes other rights")),
            ("proot -r x sudo id", Expect::Denied("takes other rights")),
            ("proot --odd sudo id", Expect::Opaque("`--odd` of `proot`")),
        ],
        ..Program::LEADING
    },
    Program {
        family: &["capsh", "start-stop-daemon", "newgrp", "systemd-socket-activate", "cgexec", "chpst"],
        rules: &[when(Lacks("--print --help --version"), Hides("it runs what it is given"))],
        examples: &[
            ("capsh -- -c uname", Expect::Opaque("runs what it is given")),
            ("start-stop-daemon -S -x /usr/bin/uname", Expect::Opaque("runs what it is given")),
        ],
        ..Program::LEADING
    },
    Program {
        names: &["systemd-run"],
        flags: "-d|--same-dir -G|--collect -P|--pipe -q|--quiet -r|--remain-after-exit -t|--pty --user --system --scope --wait \
                    --no-block --slice-inherit --send-sighup --no-ask-password --timer -T -v|--verbose --ignore-failure",
        valued: "-H|--host -M|--machine -p|--property -E|--setenv -u|--unit --uid --gid --nice --working-directory --slice \
                     --description --on-active --on-boot --on-startup --on-unit-active --on-unit-inactive --on-calendar \
                     --timer-property --path-property --socket-property --service-type --background --job-mode --json -C|--capsule",
        optional: "--expand-environment",
        rules: &[
            always(RunsWords(At::From(0))),
            always(Sets(At::Value("--setenv"))),
            when(AtMost(0), Hides("`systemd-run` that starts a shell")),
            // The service manager owns the process then, outside the sandbox and the call.
            when(Lacks("--scope"), Hides("a program that another one starts and keeps running")),
            when(Lacks("--user"), Is(Consequence::ChangesSystem)),
        ],
        examples: &[
            ("systemd-run --user sudo id", Expect::Denied("takes other rights")),
            ("systemd-run --user -p CPUQuota=10% -- sudo id", Expect::Denied("takes other rights")),
            ("systemd-run --user --on-active=5 ./x", Expect::Opaque("another one starts")),
            ("systemd-run -S", Expect::Opaque("starts a shell")),
            ("systemd-run ls", Expect::Asks("changes the system")),
        ],
        ..Program::LEADING
    },
    Program {
        names: &["sg"],
        valued: "",
        rules: &[
            always(RunsLine(At::From(1))),
            always(RunsLine(At::From(2))),
            always(Hides("`sg` runs what it is given")),
        ],
        examples: &[("sg root -c 'sudo id'", Expect::Opaque("runs what it is given"))],
        ..Program::EXACT
    },
];

/// The command of `bwrap`, which options with two values may precede.
fn bubblewrap(parsed: &Parsed<'_>) -> Vec<Effect> {
    let pairs = [
        "--bind", "--bind-try", "--dev-bind", "--dev-bind-try", "--ro-bind", "--ro-bind-try", "--setenv", "--symlink",
        "--file", "--bind-data", "--ro-bind-data", "--bind-fd", "--ro-bind-fd", "--chmod", "--overlay",
    ];
    let args = &parsed.command.args;
    let valued: Vec<&str> = parsed.program.valued.split_ascii_whitespace().collect();
    let flags: Vec<&str> = parsed.program.flags.split_ascii_whitespace().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(arg) = args.get(at).filter(|arg| arg.text.starts_with('-')) {
        let name = arg.text.as_str();
        at += match name {
            "--" => 1,
            _ if pairs.contains(&name) => 3,
            _ if valued.contains(&name) => 2,
            _ if flags.contains(&name) || name.split_once('=').is_some_and(|(name, _)| valued.contains(&name)) => 1,
            _ => {
                found.push(Effect::hidden(format!("the option `{name}` of `bwrap` is not known")));
                let guesses = (at + 1..args.len().min(at + 12)).map(|from| Effect::runs(args[from..].to_vec()));
                found.extend(guesses);
                return found;
            }
        };
        if name == "--" {
            break;
        }
    }
    let words = args.get(at..).unwrap_or_default();
    found.extend((!words.is_empty()).then(|| Effect::runs(words.to_vec())));
    found
}
