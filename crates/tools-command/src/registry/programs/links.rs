//! Programs that set up this machine's terminals and networks, carry bytes over them, and report
//! faults to others.

use tools_core::Access;

use crate::code::Language;
use crate::effect::Effect;
use crate::registry::{
    ArgumentCondition::{AtLeast, First, Has, Lacks, Operand},
    At, Consequence, Does, Expect, Parsed, Program, Syntax, always, when,
};

const CHANGES: Does = Does::Is(Consequence::ChangesSystem);

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["agetty", "getty", "mingetty", "fgetty"],
        is_family: true,
        syntax: Syntax {
            flags: "-8|--8bits -c|--noreset -E|--remote -h|--flow-control -i|--noissue -J|--noclear -m|--extract-baud -n|--skip-login -N|--nonewline \
                    -p|--login-pause -R|--hangup -s|--keep-baud -U|--detect-case -w|--wait-cr --nohints --nohostname --long-hostname --reload \
                    --list-speeds --show-issue",
            valued: "-a|--autologin -f|--issue-file -H|--host -I|--init-string -l|--login-program -o|--login-options -r|--chroot -t|--timeout \
                     --erase-chars --kill-chars --chdir --delay --nice",
            optional: "-L|--local-line",
            ..Syntax::EXACT
        },
        rules: &[
            always(Does::RunsWords(At::Value("--login-program"))),
            when(
                &[Lacks("--list-speeds --show-issue --reload")],
                Does::Says(Consequence::TakesRights, "takes other rights"),
            ),
        ],
        examples: &[
            ("agetty -l ./x -a root tty1", Expect::Denied("takes other rights")),
            ("agetty --list-speeds", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["dhclient", "dhcpcd", "udhcpc"],
        is_family: true,
        syntax: Syntax {
            flags: "-4 -6 -1 -d -nw -nc -q -r -x -v -w -n -S -N -T -P -R -i -I --version --help",
            valued: "-cf -df -e -lf -pf -p -s -g -sf -timeout -D -c|--script -f -H -F -A -t -b",
            ..Syntax::SINGLE
        },
        rules: &[
            always(Does::RunsWords(At::Value("-sf -c"))),
            when(&[Has("-sf -cf -c -f -e")], Does::Hides("a network that is set up by a program of its own choice")),
            always(Does::Writes(At::Value("-lf -pf"))),
            when(&[Lacks("--version --help")], CHANGES),
        ],
        examples: &[
            ("dhclient -sf ./x", Expect::Opaque("of its own choice")),
            ("dhclient -sf ./x", Expect::Runs("./x")),
            ("dhclient eth0", Expect::Asks("changes the system")),
            ("dhclient --version", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["arp", "bridge", "iptables-save", "ip6tables-save", "mii-tool"],
        is_family: true,
        syntax: Syntax {
            flags: "-a -n|--numeric -v|--verbose -e -D -V|--version -h|--help -c|--counters -o|--oneline -s -j|--json -p|--pretty --color -C|--cache \
                    -6 -4 -F --compressvlans",
            valued: "-i|--device -f|--file -s|--set -d|--delete -b|--batch -t|--table -M|--modprobe -A -H -n|--netns",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[Has("--batch --modprobe")], Does::Hides("settings of the network from elsewhere")),
            when(&[Has("--set --delete")], CHANGES),
            when(&[Operand("add append del delete replace change set flush")], CHANGES),
            always(Does::By(saved)),
        ],
        examples: &[
            ("bridge -b x", Expect::Opaque("from elsewhere")),
            ("arp -d h", Expect::Asks("changes the system")),
            ("iptables-save -f .envrc", Expect::Writes(".envrc")),
            ("arp -f private/x", Expect::Reads("private/x")),
            ("arp -an", Expect::Plain),
            ("bridge link show", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["socket", "tcpserver", "tcpclient", "udpsvd", "tcpsvd"],
        is_family: true,
        syntax: Syntax {
            flags: "-b -f -F -l -q -r -S -w -version -H -R -p# -h -D -v -E",
            valued: "-B -c -C -i -u -g -t -U -L -x -m",
            optional: "-s -p",
            ..Syntax::LEADING
        },
        rules: &[always(Does::ByOption(served)), when(&[AtLeast(1)], Does::NeedsNetwork)],
        examples: &[
            ("socket -svp 'sudo id' 12345", Expect::Denied("takes other rights")),
            ("socket -qvp 'sudo id' h 12345", Expect::Denied("takes other rights")),
            ("tcpserver -H 0 80 sudo id", Expect::Denied("takes other rights")),
            ("socket h 80", Expect::Opaque("what it is connected to")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["lwp-download", "lwp-request", "lwp-mirror", "lwp-dump", "GET", "HEAD", "POST", "urlget"],
        is_family: true,
        syntax: Syntax {
            flags: "-f -a -d -e -E -h -P -S -s -u -U -v -x -g",
            valued: "-m -b -t -i -c -C -H -o -p",
            ..Syntax::EXACT
        },
        rules: &[
            always(Does::Connects(At::Nth(0))),
            always(Does::NeedsNetwork),
            when(&[AtLeast(2)], Does::Writes(At::Nth(1))),
        ],
        examples: &[
            ("lwp-download http://h/x .envrc", Expect::Writes(".envrc")),
            ("GET http://h/x", Expect::Connects("http://h/x")),
            ("lwp-request -m POST http://h/x", Expect::Connects("http://h/x")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["apport-cli", "apport-bug", "ubuntu-bug", "reportbug", "bashbug", "perlbug", "perlthanks"],
        is_family: true,
        syntax: Syntax {
            flags: "-h|--help -v|--version -*",
            valued: "-e|--editor -s -r -c -b -f -F -a -M --mta --bts",
            ..Syntax::EXACT
        },
        rules: &[
            always(Does::RunsLineWithMore(At::Value("--editor --mta"))),
            when(&[Lacks("-h -v --version")], Does::Hides("a report that starts an editor and a mailer")),
            when(
                &[Lacks("-h -v --version")],
                Does::Says(Consequence::Publishes, "hands something to others, which cannot be undone"),
            ),
        ],
        examples: &[
            ("perlbug -s x -e 'sudo id #'", Expect::Denied("takes other rights")),
            ("bashbug", Expect::Opaque("an editor and a mailer")),
            ("apport-cli -f", Expect::Asks("hands something to others")),
            ("reportbug --version", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["procmail", "maildrop", "fetchmail", "rsyslogd", "syslog-ng", "mosquitto", "lxd"],
        is_family: true,
        syntax: Syntax { flags: "-h|--help -v|--version|-V -*", ..Syntax::EXACT },
        rules: &[when(&[Lacks("-h -v")], Does::Hides("a service whose settings may run programs"))],
        examples: &[
            ("procmail -m x", Expect::Opaque("may run programs")),
            ("rsyslogd -f x", Expect::Opaque("may run programs")),
            ("mosquitto -c x", Expect::Opaque("may run programs")),
            ("procmail -v", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["efax", "fax", "efix"],
        is_family: true,
        syntax: Syntax {
            flags: "-s -v -w -z -e -k",
            valued: "-d -t -r -o -i -l -p -q -x -c -g -h -u -a -j -f -n",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[Has("-t")], Does::Says(Consequence::Publishes, "hands something to others, which cannot be undone")),
            always(Does::Reads(At::Value("-d"))),
            always(Does::Writes(At::Value("-r"))),
        ],
        examples: &[
            ("efax -t 123 private/x", Expect::Asks("hands something to others")),
            ("efax -d private/x", Expect::Reads("private/x")),
            ("efax -r .envrc", Expect::Writes(".envrc")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["bee"],
        syntax: Syntax { flags: "-*", valued: "--root --site --base-url", ..Syntax::EXACT },
        rules: &[
            when(&[First("eval ev php-eval")], Does::Evaluates(Language::Php, At::Nth(1))),
            when(&[First("php-script scr")], Does::RunsScript(At::Nth(1))),
            when(
                &[First("sql sqlc db-drop sql-drop db-import site-install si user-password upwd")],
                Does::Is(Consequence::DeletesForOthers),
            ),
        ],
        examples: &[
            ("bee eval 'system(\"id\");'", Expect::Opaque("`system`")),
            ("bee php-script x.php", Expect::Scripts("x.php")),
            ("bee db-drop", Expect::Asks("others may use")),
            ("bee status", Expect::Plain),
        ],
        ..Program::NEW
    },
];

/// The file that `-f` names: `arp` reads it, the others write it.
fn saved(parsed: &Parsed<'_>) -> Vec<Effect> {
    let access = if parsed.command.name() == "arp" { Access::Read } else { Access::Write };
    parsed.values("--file").cloned().map(|file| Effect::path(file, access)).collect()
}

/// The program that a connection talks to: behind a cluster that ends in `p` for `socket`, behind
/// host and port for the others.
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
