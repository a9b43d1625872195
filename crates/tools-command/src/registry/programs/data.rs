//! Programs that only read and report: whatever their options, they run, write and send none of
//! their arguments.

use tools_core::Access;

use crate::reader::Value;
use crate::registry::prelude::*;

/// Accepts every option, without a meaning.
const ANY: Program = Program { flags: "-*", ..Program::EXACT };

const SETS_CLOCK: Does = Says(Consequence::ChangesSystem, SAYS_CLOCK);
const SAYS_CLOCK: &str = "sets the clock";

/// `MMDDhhmm`, optionally with the year and the seconds: the time to set.
fn digits(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_time = |value: &Value| !value.is_exact || value.text.starts_with(|first: char| first.is_ascii_digit());
    let sets = parsed.operands().any(is_time);
    sets.then(|| Effect::says(Consequence::ChangesSystem, SAYS_CLOCK)).into_iter().collect()
}

/// The file or folder that `mktemp` creates.
fn made(parsed: &Parsed<'_>) -> Vec<Effect> {
    let name = parsed.operand(0).map_or("tmp.XXXXXXXXXX", |name| name.text.as_str());
    let path =
        |folder: &Value| Value { text: format!("{}/{name}", folder.text.trim_end_matches('/')), ..folder.clone() };
    parsed.values("-p --tmpdir").map(|folder| Effect::path(path(folder), Access::Write)).collect()
}

/// Code in the text that a tag is set to or printed with: `${Tag;code}`.
fn tag_expressions(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_code = |arg: &&Value| arg.text.contains("${") && arg.text.contains(';');
    parsed.command.args.iter().filter(is_code).map(|arg| Effect::Code(Language::Perl, arg.clone())).collect()
}

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["ss"],
        flags: "-K|--kill -*",
        valued: "-D|--diag -F|--filter -f|--family -A|--query|--socket -N|--net",
        rules: &[
            when(Has("--kill"), Says(Consequence::ChangesSystem, "closes connections of other programs")),
            always(Writes(At::Value("--diag"))),
        ],
        examples: &[("ss -tK dst 10.0.0.1", Expect::Asks("closes connections")), ("ss -D x", Expect::Writes("x"))],
        plain_lines: &["ss -tulpn"],
        ..Program::GNU
    },
    Program {
        family: &[
            "apropos", "arch", "basename", "cal", "clear", "dirname", "echo", "expr", "factor", "false", "findmnt",
            "free", "getconf", "getent", "groups", "hostid", "htop", "id", "iostat", "last", "lastlog", "locale",
            "logname", "lsblk", "lscpu", "lsmod", "lsns", "lsof", "lspci", "lsusb", "mpstat", "ncal", "nproc",
            "numfmt", "pathchk", "pgrep", "pidof", "printenv", "ps", "pstree", "pwd", "readlink", "realpath", "seq",
            "sleep", "netstat", "stty", "tldr", "top", "tput", "tr", "true", "tty", "uname", "uptime", "users",
            "vmstat", "w", "whatis", "whereis", "which", "who", "whoami", "yes", "usleep", "uuidgen", "pinky",
            "modinfo",
        ],
        is_exhaustive: true,
        prints: &[
            ("pwd which realpath readlink nproc id whoami uname pgrep pidof seq", Prints::Names),
            ("basename dirname", Prints::PartsOfNames),
            ("tr", Prints::Lines("")),
        ],
        plain_lines: &["echo sh -c id", "which bash", "ps -C sh -o pid=", "echo --exec x", "readlink -f /bin/sh"],
        ..ANY
    },
    Program {
        family: &[
            "readelf", "strings", "addr2line", "c++filt", "shellcheck", "file", "stat", "hexyl", "jp", "lsattr",
            "getfacl", "getcap", "mediainfo", "ffprobe", "pdfinfo", "pdffonts",
        ],
        rules: &[always(Reads(At::All))],
        is_exhaustive: true,
        examples: &[("strings -n 8 private/x", Expect::Reads("private/x")), ("stat -c %s x", Expect::Reads("x"))],
        plain_lines: &["file /bin/sh"],
        ..ANY
    },
    Program {
        family: &["pkg-config", "pkgconf", "llvm-config"],
        is_exhaustive: true,
        prints: &[("pkg-config pkgconf llvm-config", Prints::Names)],
        plain_lines: &["pkg-config --cflags --libs openssl", "cc $(pkg-config --libs x) a.c"],
        ..ANY
    },
    Program {
        names: &["mktemp"],
        flags: "-d|--directory -u|--dry-run -q|--quiet -t",
        valued: "-p --suffix",
        optional: "--tmpdir",
        rules: &[when(Lacks("-p --tmpdir -t --dry-run"), Writes(At::All)), when(Lacks("--dry-run"), By(made))],
        prints: &[("mktemp", Prints::Names)],
        examples: &[
            ("mktemp ../x.XXXX", Expect::Writes("../x.XXXX")),
            ("mktemp -p .git/hooks", Expect::Writes(".git/hooks/tmp.XXXXXXXXXX")),
        ],
        plain_lines: &["mktemp -d"],
        ..Program::GNU
    },
    Program {
        names: &["exiftool"],
        flags: "-*",
        valued: "-if|-if0|-if1|-if2|-if3|-if4|-if5 -p|-printFormat -config -@ -o|-out -w|-textOut -W|-tagOut -fileOrder -geotag -tagsFromFile|-tagsfromfile \
                     -x|-exclude -d|-dateFormat -c|-coordFormat -ext|-extension -charset -lang -sep|-separator -userParam -api -i|-ignore",
        rules: &[
            always(Evaluates(Language::Perl, At::Value("-if"))),
            always(RunsScript(At::Value("-config"))),
            when(Has("-@"), Hides("arguments of `exiftool` from a file")),
            always(Writes(At::Value("-out"))),
            always(By(tag_expressions)),
        ],
        examples: &[
            ("exiftool -if 'system(1)' x.jpg", Expect::Opaque("code with `system`")),
            ("exiftool -if2 'system(1)' x.jpg", Expect::Opaque("code with `system`")),
            ("exiftool -p '${Model;system(1)}' x.jpg", Expect::Opaque("code with `system`")),
            ("exiftool '-Comment<${Model;system(1)}' x.jpg", Expect::Opaque("code with `system`")),
            ("exiftool -config x.cfg a.jpg", Expect::Scripts("x.cfg")),
            ("exiftool -@ args.txt", Expect::Opaque("from a file")),
            ("exiftool -out .envrc x.jpg", Expect::Writes(".envrc")),
        ],
        plain_lines: &["exiftool -if '$Model' -p '${Model} $FileName' x.jpg", "exiftool x.jpg"],
        ..Program::SINGLE
    },
    Program {
        names: &["date"],
        flags: "-u|--utc|--universal -R|--rfc-email --debug --resolution -j -n",
        valued: "-d|--date -f|--file -r|--reference -s|--set -v",
        optional: "-I|--iso-8601 --rfc-3339",
        rules: &[always(Reads(At::Value("--file"))), when(Has("--set"), SETS_CLOCK), always(By(digits))],
        is_exhaustive: true,
        prints: &[("date", Prints::Names)],
        examples: &[
            ("date -f private/x", Expect::Reads("private/x")),
            ("date -us 12:00", Expect::Asks("sets the clock")),
            ("date 010112002030.59", Expect::Asks("sets the clock")),
            ("date -u 01011200", Expect::Asks("sets the clock")),
        ],
        plain_lines: &["date +%s", "date -d '1 day ago' -I", "date -d 20300101"],
        ..Program::GNU
    },
    Program {
        family: &["hostname", "domainname", "hostnamectl", "timedatectl", "localectl"],
        flags: "-*",
        valued: "-F|--file -H|--host -M|--machine",
        rules: &[
            when(Has("--file"), Is(Consequence::ChangesSystem)),
            when_all(
                &[
                    AtLeast(1),
                    FirstIsNot("status show list-timezones list-locales list-keymaps timesync-status show-timesync"),
                ],
                Is(Consequence::ChangesSystem),
            ),
        ],
        prints: &[("hostname", Prints::Names)],
        examples: &[
            ("hostname evil", Expect::Asks("changes the system")),
            ("timedatectl set-time 12:00", Expect::Asks("changes the system")),
        ],
        plain_lines: &["hostname -I", "hostnamectl status"],
        ..Program::EXACT
    },
    Program {
        names: &["printf"],
        valued: "-v",
        is_exhaustive: true,
        examples: &[
            ("printf -v PS4 '$(id)'", Expect::Opaque("PS4")),
            ("printf -v 'a[$(id)]' x", Expect::Opaque("expression")),
        ],
        plain_lines: &["printf '%s\\n' -a sh"],
        ..Program::LEADING
    },
    Program {
        family: &["test", "["],
        is_exhaustive: true,
        examples: &[("test -v 'a[$(id)]'", Expect::Opaque("expression"))],
        plain_lines: &["[ -x /bin/sh ]"],
        ..ANY
    },
];
