//! Programs that set up this machine's terminals and networks, transfer data over them, and report
//! faults to others.

use tools_core::Access;

use crate::registry::prelude::*;

const CHANGES: Does = Is(Consequence::ChangesSystem);

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["agetty", "getty", "mingetty", "fgetty"],
        flags: "-8|--8bits -c|--noreset -E|--remote -h|--flow-control -i|--noissue -J|--noclear -m|--extract-baud -n|--skip-login -N|--nonewline \
                    -p|--login-pause -R|--hangup -s|--keep-baud -U|--detect-case -w|--wait-cr --nohints --nohostname --long-hostname --reload \
                    --list-speeds --show-issue",
        valued: "-a|--autologin -f|--issue-file -H|--host -I|--init-string -l|--login-program -o|--login-options -r|--chroot -t|--timeout \
                     --erase-chars --kill-chars --chdir --delay --nice",
        optional: "-L|--local-line",
        rules: &[
            always(RunsWords(At::Value("--login-program"))),
            when(Lacks("--list-speeds --show-issue --reload"), Says(Consequence::TakesRights, "takes other rights")),
        ],
        examples: &[("agetty -l ./x -a root tty1", Expect::Denied("takes other rights"))],
        plain_lines: &["agetty --list-speeds"],
        ..Program::EXACT
    },
    Program {
        family: &["dhclient", "dhcpcd", "udhcpc"],
        flags: "-4 -6 -1 -d -nw -nc -q -r -x -v -w -n -S -N -T -P -R -i -I --version --help",
        valued: "-cf -df -e -lf -pf -p -s -g -sf -timeout -D -c|--script -f -H -F -A -t -b",
        rules: &[
            always(RunsWords(At::Value("-sf -c"))),
            when(Has("-sf -cf -c -f -e"), Hides("a network that is set up by a program of its own choice")),
            always(Writes(At::Value("-lf -pf"))),
            when(Lacks("--version --help"), CHANGES),
        ],
        examples: &[
            ("dhclient -sf ./x", Expect::Opaque("of its own choice")),
            ("dhclient -sf ./x", Expect::Runs("./x")),
            ("dhclient eth0", Expect::Asks("changes the system")),
        ],
        plain_lines: &["dhclient --version"],
        ..Program::SINGLE
    },
    Program {
        family: &["arp", "bridge", "iptables-save", "ip6tables-save", "mii-tool"],
        flags: "-a -n|--numeric -v|--verbose -e -D -V|--version -h|--help -c|--counters -o|--oneline -s -j|--json -p|--pretty --color -C|--cache \
                    -6 -4 -F --compressvlans",
        valued: "-i|--device -f|--file -s|--set -d|--delete -b|--batch -t|--table -M|--modprobe -A -H -n|--netns",
        rules: &[
            when(Has("--batch --modprobe"), Hides("settings of the network from elsewhere")),
            when(Has("--set --delete"), CHANGES),
            when(Operand("add append del delete replace change set flush"), CHANGES),
            always(By(saved)),
        ],
        examples: &[
            ("bridge -b x", Expect::Opaque("from elsewhere")),
            ("arp -d h", Expect::Asks("changes the system")),
            ("iptables-save -f .envrc", Expect::Writes(".envrc")),
            ("arp -f private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["arp -an", "bridge link show"],
        ..Program::EXACT
    },
    Program {
        family: &["socket", "tcpserver", "tcpclient", "udpsvd", "tcpsvd"],
        flags: "-b -f -F -l -q -r -S -w -version -H -R -p# -h -D -v -E",
        valued: "-B -c -C -i -u -g -t -U -L -x -m",
        optional: "-s -p",
        rules: &[always(ByOption(served)), when(AtLeast(1), NeedsNetwork)],
        examples: &[
            ("socket -svp 'sudo id' 12345", Expect::Denied("takes other rights")),
            ("socket -qvp 'sudo id' h 12345", Expect::Denied("takes other rights")),
            ("tcpserver -H 0 80 sudo id", Expect::Denied("takes other rights")),
            ("socket h 80", Expect::Opaque("what it is connected to")),
        ],
        ..Program::LEADING
    },
    Program {
        family: &["lwp-download", "lwp-request", "lwp-mirror", "lwp-dump", "GET", "HEAD", "POST", "urlget"],
        flags: "-f -a -d -e -E -h -P -S -s -u -U -v -x -g",
        valued: "-m -b -t -i -c -C -H -o -p",
        rules: &[always(Connects(At::Nth(0))), always(NeedsNetwork), when(AtLeast(2), Writes(At::Nth(1)))],
        examples: &[
            ("lwp-download http://h/x .envrc", Expect::Writes(".envrc")),
            ("GET http://h/x", Expect::Connects("http://h/x")),
            ("lwp-request -m POST http://h/x", Expect::Connects("http://h/x")),
        ],
        ..Program::EXACT
    },
    Program {
        family: &["apport-cli", "apport-bug", "ubuntu-bug", "reportbug", "bashbug", "perlbug", "perlthanks"],
        flags: "-h|--help -v|--version -*",
        valued: "-e|--editor -s -r -c -b -f -F -a -M --mta --bts",
        rules: &[
            always(RunsLineWithMore(At::Value("--editor --mta"))),
            when(Lacks("-h -v --version"), Hides("a report that starts an editor and a mailer")),
            when(
                Lacks("-h -v --version"),
                Says(Consequence::Publishes, "hands something to others, which cannot be undone"),
            ),
        ],
        examples: &[
            ("perlbug -s x -e 'sudo id #'", Expect::Denied("takes other rights")),
            ("bashbug", Expect::Opaque("an editor and a mailer")),
            ("apport-cli -f", Expect::Asks("hands something to others")),
        ],
        plain_lines: &["reportbug --version"],
        ..Program::EXACT
    },
    Program {
        family: &["procmail", "maildrop", "fetchmail", "rsyslogd", "syslog-ng", "mosquitto", "lxd"],
        flags: "-h|--help -v|--version|-V -*",
        rules: &[when(Lacks("-h -v"), Hides("a service whose settings may run programs"))],
        examples: &[
            ("procmail -m x", Expect::Opaque("may run programs")),
            ("rsyslogd -f x", Expect::Opaque("may run programs")),
            ("mosquitto -c x", Expect::Opaque("may run programs")),
        ],
        plain_lines: &["procmail -v"],
        ..Program::EXACT
    },
    Program {
        family: &["efax", "fax", "efix"],
        flags: "-s -v -w -z -e -k",
        valued: "-d -t -r -o -i -l -p -q -x -c -g -h -u -a -j -f -n",
        rules: &[
            when(Has("-t"), Says(Consequence::Publishes, "hands something to others, which cannot be undone")),
            always(Reads(At::Value("-d"))),
            always(Writes(At::Value("-r"))),
        ],
        examples: &[
            ("efax -t 123 private/x", Expect::Asks("hands something to others")),
            ("efax -d private/x", Expect::Reads("private/x")),
            ("efax -r .envrc", Expect::Writes(".envrc")),
        ],
        ..Program::EXACT
    },
    Program {
        names: &["bee"],
        flags: "-*",
        valued: "--root --site --base-url",
        rules: &[
            when(First("eval ev php-eval"), Evaluates(Language::Php, At::Nth(1))),
            when(First("php-script scr"), RunsScript(At::Nth(1))),
            when(
                First("sql sqlc db-drop sql-drop db-import site-install si user-password upwd"),
                Is(Consequence::DeletesForOthers),
            ),
        ],
        examples: &[
            ("bee eval 'system(\"id\");'", Expect::Opaque("`system`")),
            ("bee php-script x.php", Expect::Scripts("x.php")),
            ("bee db-drop", Expect::Asks("others may use")),
        ],
        plain_lines: &["bee status"],
        ..Program::EXACT
    },
];

/// The file that `-f` names: `arp` reads it, the other programs write it.
fn saved(parsed: &Parsed<'_>) -> Vec<Effect> {
    let access = if parsed.command.name() == "arp" { Access::Read } else { Access::Write };
    parsed.values("--file").cloned().map(|file| Effect::path(file, access)).collect()
}

/// The program that is connected to the other side: after a cluster that ends in `p` for `socket`,
/// after host and port for the others.
fn served(parsed: &Parsed<'_>) -> Vec<Effect> {
    if parsed.command.name() != "socket" {
        let words = parsed.from(2).to_vec();
        return (!words.is_empty()).then(|| Effect::runs(words)).into_iter().collect();
    }
    let args = &parsed.command.args;
    let program = args.windows(2).find(|pair| pair[0].text.starts_with('-') && pair[0].text.ends_with('p'));
    let line = program.map(|pair| Effect::Line(pair[1].clone()));
    line.into_iter().chain([Effect::hidden("it hands on what it is connected to")]).collect()
}
