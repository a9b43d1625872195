//! Programs that change services, the firewall, network devices, accounts, and processes of others.

use crate::registry::prelude::*;

const ANY: Program = Program { flags: "-h|--help -V|--version -*", ..Program::EXACT };
const CHANGES: Does = Is(Consequence::ChangesSystem);
const SERVICES: Does = Says(Consequence::ChangesSystem, "changes services");
const ACCOUNTS: Does = Says(Consequence::ChangesIdentity, "changes accounts");

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["systemctl", "loginctl", "machinectl", "networkctl", "resolvectl", "bootctl", "coredumpctl"],
        flags: "-h|--help --version --user --system --global -a|--all -l|--full -q|--quiet --no-pager --no-legend --no-ask-password --no-block --no-reload --now -f|--force \
                    --failed --plain -r|--recursive --reverse --show-types --value --runtime --with-dependencies --after --before --wait --dry-run -i -T --no-wall --read-only",
        valued: "-H|--host -M|--machine -t|--type --state -p|--property -P --what -s|--signal --kill-whom --kill-who --job-mode -n|--lines -o|--output --root --image --preset-mode --firmware-setup \
                     --boot-loader-menu --message --check-inhibitors --timestamp --legend -E|--setenv",
        rules: &[
            always(Connects(At::Value("--host"))),
            when(
                Operand(
                    "poweroff reboot halt kexec soft-reboot suspend hibernate hybrid-sleep suspend-then-hibernate sleep rescue emergency isolate default exit switch-root",
                ),
                Is(Consequence::StopsMachine),
            ),
            when(
                First(
                    "stop start restart try-restart reload reload-or-restart try-reload-or-restart enable disable reenable preset preset-all mask unmask link add-wants add-requires \
                set-default set-property set-environment unset-environment import-environment daemon-reload daemon-reexec kill clean freeze thaw revert edit reset-failed bind mount-image \
                terminate-session terminate-user terminate-seat kill-session kill-user lock-session lock-sessions unlock-session enable-linger disable-linger attach flush-devices \
                remove delete up down forcerenew dns domain flush-caches install update log-level service-log-level terminate",
                ),
                SERVICES,
            ),
            when(First("shell login"), Is(Consequence::TakesRights)),
            when(First("debug gdb"), Hides("a debugger that runs a command")),
        ],
        examples: &[
            ("systemctl status -H me@host x", Expect::Connects("tcp://host")),
            ("systemctl reboot", Expect::Denied("stops the machine")),
            ("systemctl --no-wall isolate rescue.target", Expect::Denied("stops the machine")),
            ("systemctl stop x", Expect::Asks("changes services")),
            ("systemctl --user enable --now x", Expect::Asks("changes services")),
            ("systemctl link ./x.service", Expect::Asks("changes services")),
            ("loginctl terminate-user me", Expect::Asks("changes services")),
        ],
        plain_lines: &["systemctl status x", "systemctl list-units --type=service"],
        ..Program::GNU
    },
    Program {
        family: &[
            "service", "rc-service", "rc-update", "chkconfig", "update-rc.d", "sv", "initctl", "launchctl",
            "supervisorctl", "invoke-rc.d",
        ],
        rules: &[
            when(
                Operand(
                    "stop start restart reload force-reload enable disable add del delete remove defaults on off up down once exit load unload bootstrap bootout kickstart update shutdown kill",
                ),
                SERVICES,
            ),
            when(OperandStarts("../ ./ /"), Hides("a service that is a program of its own choice")),
        ],
        examples: &[
            ("service x stop", Expect::Asks("changes services")),
            ("service ../../bin/sh", Expect::Opaque("a program of its own choice")),
        ],
        plain_lines: &["service x status"],
        ..ANY
    },
    Program {
        family: &[
            "iptables", "ip6tables", "ebtables", "arptables", "nft", "ufw", "firewall-cmd", "ipset",
            "iptables-restore", "tc", "brctl", "ifup", "ifdown", "nmcli",
        ],
        flags: "-h|--help --version -L|--list -S|--list-rules -v|--verbose -n|--numeric --line-numbers -a --list-all --state --get-* --query-* -*",
        valued: "-t|--table -f --zone --modprobe",
        rules: &[
            always(RunsLine(At::Value("--modprobe"))),
            when_all(
                &[
                    Lacks("--list --list-rules --list-all --state --get-* --query-* --help --version"),
                    FirstIsNot(
                        "list status show version help monitor general networking connection device dev con c d g",
                    ),
                ],
                CHANGES,
            ),
            when(
                Operand("add del delete modify down up connect disconnect replace change flush off on reload edit"),
                CHANGES,
            ),
        ],
        examples: &[
            ("iptables -L --modprobe=sudo", Expect::Denied("takes other rights")),
            ("iptables -F", Expect::Asks("changes the system")),
            ("nft flush ruleset", Expect::Asks("changes the system")),
            ("ufw disable", Expect::Asks("changes the system")),
        ],
        plain_lines: &["iptables -L -n", "ufw status", "nft list ruleset"],
        ..Program::EXACT
    },
    Program {
        names: &["ip"],
        flags: "-V -h|-human|--human -s|-stats -d|-details -r|-resolve -4 -6 -B -M -0 -o|-oneline -t|-timestamp -ts -br|-brief -j|-json -p|-pretty -a|-all -c|-color -iec -N|-Numeric -echo",
        valued: "-f|-family -l|-loops -rc|-rcvbuf -n|-netns -b|-batch --color",
        rules: &[when(Has("-batch -b"), Hides("`ip` with commands from a file")), always(By(ip_changes))],
        subcommands: &[
            ruled(
                "netns|net|netn",
                &[
                    when_all(&[First("exec e ex exe"), Lacks("-all")], RunsWords(At::From(2))),
                    when_all(&[First("exec e ex exe"), Has("-all")], RunsWords(At::From(1))),
                    when(First("add a del delete d set attach"), CHANGES),
                ],
            ),
            ruled("vrf|v|vr", &[when(First("exec e ex exe"), RunsWords(At::From(2)))]),
            each(
                "address|a|ad|add|addr|addre|addres link|l|li|lin route|r|ro|rou|rout \
                 neighbour|n|ne|nei|neigh|neighbor rule|ru|rul",
            ),
        ],
        plain: "monitor m mo mon maddress maddr mroute tunnel t tun tuntap xfrm x token tcp_metrics tcpmetrics \
                macsec l2tp fou ila sr nexthop mptcp ioam stats addrlabel ntable ntbl help netconf nexthops",
        examples: &[
            ("ip netns exec x rm -rf y", Expect::Runs("rm -rf y")),
            ("ip net e x rm -rf y", Expect::Runs("rm -rf y")),
            ("ip -batch x", Expect::Opaque("commands from a file")),
            ("ip addr add 10.0.0.1/8 dev lo", Expect::Asks("changes the system")),
            ("ip link set lo down", Expect::Asks("changes the system")),
            ("ip r del default", Expect::Asks("changes the system")),
        ],
        plain_lines: &["ip -br a", "ip addr show dev lo", "ip route get 1.1.1.1"],
        ..Program::SINGLE
    },
    Program {
        family: &["ifconfig", "route", "ethtool", "iwconfig", "iw", "rfkill"],
        rules: &[when(Operand("up down add del delete netmask mtu block unblock connect disconnect set hw"), CHANGES)],
        examples: &[("ifconfig lo down", Expect::Asks("changes the system"))],
        plain_lines: &["ifconfig -a", "route -n"],
        ..ANY
    },
    Program {
        names: &["journalctl"],
        flags: "-a|--all -f|--follow -e|--pager-end -r|--reverse -q|--quiet --no-pager -x|--catalog -l|--full -k|--dmesg -m|--merge --user --system --no-hostname --utc --header --list-boots --disk-usage \
                    --rotate --flush --sync --relinquish-var --smart-relinquish-var -N|--fields --no-tail --show-cursor --no-full --list-catalog --dump-catalog --update-catalog --setup-keys --verify -h|--help --force",
        valued: "-u|--unit --user-unit -t|--identifier -p|--priority -g|--grep -S|--since -U|--until -o|--output --output-fields -c|--cursor --after-cursor --cursor-file -D|--directory --file --root --image -F|--field \
                     -M|--machine --vacuum-size --vacuum-time --vacuum-files --interval --facility --namespace --invocation -T|--exclude-identifier --verify-key",
        optional: "-n|--lines -b|--boot --case-sensitive",
        rules: &[
            when(
                Has(
                    "--vacuum-size --vacuum-time --vacuum-files --rotate --flush --relinquish-var --update-catalog --setup-keys",
                ),
                Says(Consequence::ChangesSystem, "removes what the system recorded"),
            ),
            always(Writes(At::Value("--cursor-file"))),
            always(Reads(At::Value("--file"))),
        ],
        examples: &[
            ("journalctl --vacuum-size=1M", Expect::Asks("removes what the system recorded")),
            ("journalctl --rotate", Expect::Asks("removes what the system recorded")),
        ],
        plain_lines: &["journalctl -u app -n 50 --no-pager"],
        ..Program::GNU
    },
    Program {
        names: &["dmesg"],
        flags: "-C|--clear -c|--read-clear -D|--console-off -E|--console-on -d|--show-delta -e|--reltime -H|--human -J|--json -k|--kernel -P|--nopager -p|--force-prefix -r|--raw -S|--syslog -T|--ctime -t|--notime -u|--userspace -W|--follow-new -w|--follow -x|--decode -h|--help -V|--version --noescape",
        valued: "-F|--file -f|--facility -l|--level -n|--console-level -s|--buffer-size --since --until --time-format --pager -K|--kmsg-file",
        optional: "-L|--color",
        rules: &[
            when(Has("--clear --read-clear --console-off --console-on --console-level"), CHANGES),
            always(Reads(At::Value("--file --kmsg-file"))),
            when(AtLeast(1), Hides("`dmesg` runs what the option `-P` says")),
            when(Has("--pager"), Hides("`dmesg` runs what the option `--pager` says")),
        ],
        examples: &[
            ("dmesg -P 'sudo id'", Expect::Opaque("`-P` says")),
            ("dmesg -c", Expect::Asks("changes the system")),
            ("dmesg -F private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["dmesg -T"],
        ..Program::GNU
    },
    Program {
        family: &[
            "userdel", "useradd", "usermod", "adduser", "deluser", "addgroup", "delgroup", "groupadd", "groupdel",
            "groupmod", "gpasswd", "chpasswd", "chgpasswd", "newusers", "visudo", "vipw", "vigr", "pwconv", "grpconv",
            "dpasswd",
        ],
        rules: &[when(Lacks("--help --version"), ACCOUNTS)],
        examples: &[("useradd -m x", Expect::Asks("changes accounts")), ("visudo", Expect::Asks("changes accounts"))],
        ..ANY
    },
    Program {
        family: &["chage", "passwd", "chsh", "chfn", "smbpasswd", "htpasswd"],
        flags: "-h|--help -S|--status --list-shells --stdout -l|--list -u -*",
        rules: &[when(Lacks("--help --status --list-shells --stdout"), ACCOUNTS)],
        examples: &[
            ("passwd root", Expect::Asks("changes accounts")),
            ("chsh -s /bin/sh", Expect::Asks("changes accounts")),
            ("passwd -l x", Expect::Asks("changes accounts")),
        ],
        plain_lines: &["passwd -S"],
        ..Program::EXACT
    },
    Program {
        names: &["kill"],
        flags: "-*",
        valued: "-s|--signal -n -q|--queue",
        rules: &[always(By(kill))],
        examples: &[
            ("kill -9 -1", Expect::Asks("signals every process")),
            ("kill -s KILL -- -1", Expect::Asks("signals every process")),
            ("kill -9 1", Expect::Asks("signals every process")),
        ],
        plain_lines: &["kill -9 4711", "kill -0 1", "kill %1", "kill -l"],
        ..Program::EXACT
    },
    Program {
        family: &["killall5", "killall", "pkill", "skill", "xkill", "fuser"],
        flags: "-k|--kill -*",
        valued: "-u|--user|--euid|-U --uid -g|--group -G -P|--parent -t|--terminal -s|--signal --session -o|--older-than -y|--younger-than -Z|--context -n|--ns -F|--pidfile",
        rules: &[always(By(kill))],
        examples: &[
            ("killall5 -9", Expect::Asks("signals every process")),
            ("pkill -9 .", Expect::Asks("signals every process")),
            ("pkill -u me", Expect::Asks("signals every process")),
            ("killall systemd", Expect::Asks("signals every process")),
        ],
        plain_lines: &["killall node", "pkill -f 'vite dev'"],
        ..Program::EXACT
    },
];

/// Whether `ip` changes the object it names; `show` and `get` are read-only.
fn ip_changes(parsed: &Parsed<'_>) -> Vec<Effect> {
    let verb = parsed.operand(0).map_or("", |verb| verb.text.as_str());
    let changes = [
        "add", "del", "delete", "d", "set", "change", "chg", "replace", "rep", "flush", "f", "append", "prepend",
        "restore", "attach", "detach",
    ];
    let is_change = changes.contains(&verb) && !parsed.path.is_empty();
    is_change.then(|| Effect::is(Consequence::ChangesSystem)).into_iter().collect()
}

/// Signals to more than a single named process.
fn kill(parsed: &Parsed<'_>) -> Vec<Effect> {
    let args = &parsed.command.args;
    let name = parsed.command.name();
    let last = args.last().map_or("", |arg| arg.text.as_str());
    let is_all = match name {
        "killall5" => true,
        // Signal 0 only checks whether a process exists.
        "kill" if args.first().is_some_and(|first| first.text == "-0") => false,
        "kill" => {
            (args.len() > 1 && last == "-1")
                || (parsed.operands().any(|operand| matches!(operand.text.as_str(), "1" | "-1")))
        }
        "fuser" => parsed.has("--kill") && parsed.operands().any(|operand| operand.text == "/"),
        _ => {
            let has_name = parsed.operands().next().is_some();
            let vital = [".", ".*", "", "systemd", "init", "sshd", "dbus-daemon", "dockerd", "haft"];
            !has_name
                && !args.is_empty()
                && parsed.has("--user --uid --group -G --session --older-than --younger-than --ns")
                || parsed.operands().any(|operand| vital.contains(&operand.text.as_str()))
        }
    };
    is_all.then(|| Effect::says(Consequence::ChangesSystem, "signals every process")).into_iter().collect()
}
