//! Programs that only look and tell: no argument of theirs is run, written or sent, whatever its
//! options.

use tools_core::Access;

use crate::code::Language;
use crate::effect::Effect;
use crate::reader::Value;
use crate::registry::{
    ArgumentCondition::{AtLeast, FirstIsNot, Has, Lacks},
    At, Consequence, Does, Expect, Parsed, Prints, Program, Syntax, always, when,
};

/// Every option is taken, and none has a meaning here.
const ANY: Syntax = Syntax { flags: "-*", ..Syntax::EXACT };

const SETS_CLOCK: Does = Does::Says(Consequence::ChangesSystem, SAYS_CLOCK);
const SAYS_CLOCK: &str = "sets the clock";

/// `MMDDhhmm`, with more digits for the year and the second: the time to set.
fn digits(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_time = |value: &Value| !value.is_exact || value.text.starts_with(|first: char| first.is_ascii_digit());
    let sets = parsed.operands().any(is_time);
    sets.then(|| Effect::says(Consequence::ChangesSystem, SAYS_CLOCK)).into_iter().collect()
}

/// What `mktemp` makes in a folder.
fn made(parsed: &Parsed<'_>) -> Vec<Effect> {
    let name = parsed.operand(0).map_or("tmp.XXXXXXXXXX", |name| name.text.as_str());
    let path =
        |folder: &Value| Value { text: format!("{}/{name}", folder.text.trim_end_matches('/')), ..folder.clone() };
    parsed.values("-p --tmpdir").map(|folder| Effect::path(path(folder), Access::Write)).collect()
}

/// Code in the text that a tag is set to or printed by: `${Tag;code}`.
fn tag_expressions(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_code = |arg: &&Value| arg.text.contains("${") && arg.text.contains(';');
    parsed.command.args.iter().filter(is_code).map(|arg| Effect::Code(Language::Perl, arg.clone())).collect()
}

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["ss"],
        syntax: Syntax {
            flags: "-K|--kill -*",
            valued: "-D|--diag -F|--filter -f|--family -A|--query|--socket -N|--net",
            ..Syntax::GNU
        },
        rules: &[
            when(&[Has("--kill")], Does::Says(Consequence::ChangesSystem, "closes connections of other programs")),
            always(Does::Writes(At::Value("--diag"))),
        ],
        examples: &[
            ("ss -tK dst 10.0.0.1", Expect::Asks("closes connections")),
            ("ss -D x", Expect::Writes("x")),
            ("ss -tulpn", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "apropos", "arch", "basename", "cal", "clear", "dirname", "echo", "expr", "factor", "false", "findmnt",
            "free", "getconf", "getent", "groups", "hostid", "htop", "id", "iostat", "last", "lastlog", "locale",
            "logname", "lsblk", "lscpu", "lsmod", "lsns", "lsof", "lspci", "lsusb", "mpstat", "ncal", "nproc",
            "numfmt", "pathchk", "pgrep", "pidof", "printenv", "ps", "pstree", "pwd", "readlink", "realpath", "seq",
            "sleep", "netstat", "stty", "tldr", "top", "tput", "tr", "true", "tty", "uname", "uptime", "users",
            "vmstat", "w", "whatis", "whereis", "which", "who", "whoami", "yes", "usleep", "uuidgen", "pinky",
            "modinfo",
        ],
        is_family: true,
        syntax: ANY,
        is_exhaustive: true,
        prints: &[
            ("pwd which realpath readlink nproc id whoami uname pgrep pidof seq", Prints::Names),
            ("basename dirname", Prints::PartsOfNames),
            ("tr", Prints::Lines("")),
        ],
        examples: &[
            ("echo sh -c id", Expect::Plain),
            ("which bash", Expect::Plain),
            ("ps -C sh -o pid=", Expect::Plain),
            ("echo --exec x", Expect::Plain),
            ("readlink -f /bin/sh", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "readelf", "strings", "addr2line", "c++filt", "shellcheck", "file", "stat", "hexyl", "jp", "lsattr",
            "getfacl", "getcap", "mediainfo", "ffprobe", "pdfinfo", "pdffonts",
        ],
        is_family: true,
        syntax: ANY,
        rules: &[always(Does::Reads(At::All))],
        is_exhaustive: true,
        examples: &[
            ("strings -n 8 private/x", Expect::Reads("private/x")),
            ("file /bin/sh", Expect::Plain),
            ("stat -c %s x", Expect::Reads("x")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["pkg-config", "pkgconf", "llvm-config"],
        is_family: true,
        syntax: ANY,
        is_exhaustive: true,
        prints: &[("pkg-config pkgconf llvm-config", Prints::Names)],
        examples: &[
            ("pkg-config --cflags --libs openssl", Expect::Plain),
            ("cc $(pkg-config --libs x) a.c", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["mktemp"],
        syntax: Syntax {
            flags: "-d|--directory -u|--dry-run -q|--quiet -t",
            valued: "-p --suffix",
            optional: "--tmpdir",
            ..Syntax::GNU
        },
        rules: &[
            when(&[Lacks("-p --tmpdir -t --dry-run")], Does::Writes(At::All)),
            when(&[Lacks("--dry-run")], Does::By(made)),
        ],
        prints: &[("mktemp", Prints::Names)],
        examples: &[
            ("mktemp ../x.XXXX", Expect::Writes("../x.XXXX")),
            ("mktemp -p .git/hooks", Expect::Writes(".git/hooks/tmp.XXXXXXXXXX")),
            ("mktemp -d", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["exiftool"],
        syntax: Syntax {
            flags: "-*",
            valued: "-if|-if0|-if1|-if2|-if3|-if4|-if5 -p|-printFormat -config -@ -o|-out -w|-textOut -W|-tagOut -fileOrder -geotag -tagsFromFile|-tagsfromfile \
                     -x|-exclude -d|-dateFormat -c|-coordFormat -ext|-extension -charset -lang -sep|-separator -userParam -api -i|-ignore",
            ..Syntax::SINGLE
        },
        rules: &[
            always(Does::Evaluates(Language::Perl, At::Value("-if"))),
            always(Does::RunsScript(At::Value("-config"))),
            when(&[Has("-@")], Does::Hides("arguments of `exiftool` from a file")),
            always(Does::Writes(At::Value("-out"))),
            always(Does::By(tag_expressions)),
        ],
        examples: &[
            ("exiftool -if 'system(1)' x.jpg", Expect::Opaque("code with `system`")),
            ("exiftool -if2 'system(1)' x.jpg", Expect::Opaque("code with `system`")),
            ("exiftool -p '${Model;system(1)}' x.jpg", Expect::Opaque("code with `system`")),
            ("exiftool '-Comment<${Model;system(1)}' x.jpg", Expect::Opaque("code with `system`")),
            ("exiftool -config x.cfg a.jpg", Expect::Scripts("x.cfg")),
            ("exiftool -@ args.txt", Expect::Opaque("from a file")),
            ("exiftool -out .envrc x.jpg", Expect::Writes(".envrc")),
            ("exiftool -if '$Model' -p '${Model} $FileName' x.jpg", Expect::Plain),
            ("exiftool x.jpg", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["date"],
        syntax: Syntax {
            flags: "-u|--utc|--universal -R|--rfc-email --debug --resolution -j -n",
            valued: "-d|--date -f|--file -r|--reference -s|--set -v",
            optional: "-I|--iso-8601 --rfc-3339",
            ..Syntax::GNU
        },
        rules: &[always(Does::Reads(At::Value("--file"))), when(&[Has("--set")], SETS_CLOCK), always(Does::By(digits))],
        is_exhaustive: true,
        prints: &[("date", Prints::Names)],
        examples: &[
            ("date +%s", Expect::Plain),
            ("date -d '1 day ago' -I", Expect::Plain),
            ("date -f private/x", Expect::Reads("private/x")),
            ("date -us 12:00", Expect::Asks("sets the clock")),
            ("date 010112002030.59", Expect::Asks("sets the clock")),
            ("date -u 01011200", Expect::Asks("sets the clock")),
            ("date -d 20300101", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["hostname", "domainname", "hostnamectl", "timedatectl", "localectl"],
        is_family: true,
        syntax: Syntax { flags: "-*", valued: "-F|--file -H|--host -M|--machine", ..Syntax::EXACT },
        rules: &[
            when(&[Has("--file")], Does::Is(Consequence::ChangesSystem)),
            when(
                &[
                    AtLeast(1),
                    FirstIsNot("status show list-timezones list-locales list-keymaps timesync-status show-timesync"),
                ],
                Does::Is(Consequence::ChangesSystem),
            ),
        ],
        prints: &[("hostname", Prints::Names)],
        examples: &[
            ("hostname -I", Expect::Plain),
            ("hostnamectl status", Expect::Plain),
            ("hostname evil", Expect::Asks("changes the system")),
            ("timedatectl set-time 12:00", Expect::Asks("changes the system")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["printf"],
        syntax: Syntax { valued: "-v", ..Syntax::LEADING },
        is_exhaustive: true,
        examples: &[
            ("printf '%s\\n' -a sh", Expect::Plain),
            ("printf -v PS4 '$(id)'", Expect::Opaque("PS4")),
            ("printf -v 'a[$(id)]' x", Expect::Opaque("expression")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["test", "["],
        is_family: true,
        syntax: ANY,
        is_exhaustive: true,
        examples: &[("[ -x /bin/sh ]", Expect::Plain), ("test -v 'a[$(id)]'", Expect::Opaque("expression"))],
        ..Program::NEW
    },
];
