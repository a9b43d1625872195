//! Programs that look at processes, networks and logs, and the plug-ins of monitoring.

use crate::effect::Effect;
use crate::registry::{
    ArgumentCondition::{AtLeast, Has, Lacks, ValueHas},
    At, Consequence, Does, Expect, Parsed, Program, Syntax, always, when,
};

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["pidstat"],
        syntax: Syntax {
            flags: "-d -H -h -I -l -R -r -s -t -U -u -V -v -w --human",
            valued: "-C -G -p -T",
            optional: "--dec",
            last: "-e",
            ..Syntax::EXACT
        },
        rules: &[always(Does::RunsWords(At::Behind("-e")))],
        is_exhaustive: true,
        examples: &[
            ("pidstat -e sudo id", Expect::Denied("takes other rights")),
            ("pidstat -du -e sudo id", Expect::Denied("takes other rights")),
            ("pidstat -e rm -rf x", Expect::Runs("rm -rf x")),
            ("pidstat -u 1 3", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["dstat", "dool", "pcp-dstat"],
        is_family: true,
        syntax: Syntax {
            flags: "-c|--cpu -d|--disk -g|--page -i|--int -l|--load -m|--mem -n|--net -p|--proc -r|--io -s|--swap -t|--time -T|--epoch -y|--sys \
                    --aio --fs --ipc --lock --raw --socket --tcp --udp --unix --vm --list -a|--all -f|--full -v|--vmstat --bw|--blackonwhite \
                    --float --integer --nocolor --noheaders --noupdate --profile -V|--version -h|--help",
            valued: "-C -D -I -N -S --output",
            ..Syntax::EXACT
        },
        rules: &[always(Does::ByOption(plug_in)), always(Does::Writes(At::Value("--output")))],
        examples: &[
            ("dstat --xxx", Expect::Opaque("a plug-in")),
            ("dstat --output .envrc", Expect::Writes(".envrc")),
            ("dstat -cdn 1 3", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["wireshark", "wireshark-gtk", "termshark", "varnishncsa", "varnishlog"],
        is_family: true,
        syntax: Syntax {
            flags: "-*",
            valued: "-X -w -r -P -i -f -c -a -b -o -n -q -F -g -y -Y -R -C -z",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[ValueHas("-X", "lua_script read_format")], Does::Hides("a capture with a script")),
            when(&[ValueHas("-o", "plugin lua extcap")], Does::Hides("a capture with a script")),
            always(Does::Writes(At::Value("-w -P"))),
            always(Does::Reads(At::Value("-r"))),
        ],
        examples: &[
            ("wireshark -Xlua_script:x", Expect::Opaque("with a script")),
            ("wireshark -X lua_script:x", Expect::Opaque("with a script")),
            ("varnishncsa -w .envrc", Expect::Writes(".envrc")),
            ("wireshark -r a.pcap", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["gcore", "dmidecode", "biosdecode"],
        is_family: true,
        syntax: Syntax {
            flags: "-a -h|--help -q|--quiet -u|--dump -V|--version --no-sysfs",
            valued: "-o -d|--dev-mem -s|--string -t|--type -H|--handle --dump-bin --from-dump --oem-string",
            ..Syntax::EXACT
        },
        rules: &[
            when(
                &[AtLeast(1)],
                Does::Says(Consequence::ShowsCredentials, "writes the memory of another process to a file"),
            ),
            always(Does::Writes(At::Value("-o --dump-bin"))),
            always(Does::Reads(At::Value("--dev-mem --from-dump"))),
        ],
        examples: &[
            ("gcore 1", Expect::Asks("memory of another process")),
            ("gcore -o .envrc 1", Expect::Writes(".envrc")),
            ("dmidecode --no-sysfs -d x --dump-bin .envrc", Expect::Writes(".envrc")),
            ("dmidecode -t memory", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["check_by_ssh"],
        syntax: Syntax {
            flags: "-h|--help -V|--version -v|--verbose -f|--fork -q|--quiet -1|--proto1 -2|--proto2 -4 -6 -U -s|--skip",
            valued: "-H|--hostname -C|--command -l|--logname -i|--identity -p|--port -o|--ssh-option -F|--configfile -O|--output -n|--name \
                     -S|--skip-stdout -E|--skip-stderr -w|--warning -c|--critical -t|--timeout -u --extra-opts",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[Has("-o -F --extra-opts")], Does::Hides("a login with settings of its own")),
            always(Does::RunsLineThere(At::Value("--command"))),
            always(Does::Connects(At::Value("--hostname"))),
            always(Does::NeedsNetwork),
            always(Does::Writes(At::Value("--output"))),
        ],
        examples: &[
            ("check_by_ssh -o 'ProxyCommand id' -H h -C x", Expect::Opaque("settings of its own")),
            ("check_by_ssh -H h -C 'rm -rf x'", Expect::Asks("elsewhere")),
            ("check_by_ssh -H h -C uptime", Expect::Connects("tcp://h")),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "check_cups", "check_memory", "check_raid", "check_http", "check_ping", "check_disk", "check_log",
            "check_statusfile",
        ],
        is_family: true,
        syntax: Syntax {
            flags: "-*",
            valued: "-F|--filename -O|--oldlog -q|--query -H -w -c -t -p -I",
            optional: "--extra-opts",
            ..Syntax::EXACT
        },
        rules: &[
            always(Does::Reads(At::All)),
            always(Does::Reads(At::Value("--filename"))),
            always(Does::Reads(At::ValueRest("--extra-opts", "@"))),
            always(Does::Writes(At::Value("--oldlog"))),
            always(Does::Connects(At::Value("-H"))),
        ],
        examples: &[
            ("check_log -F private/x -O y", Expect::Reads("private/x")),
            ("check_log -F x -O .envrc", Expect::Writes(".envrc")),
            ("check_cups --extra-opts=@private/x", Expect::Reads("private/x")),
            ("check_disk -w 5 -c 2", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["clamscan", "clamdscan", "freshclam"],
        is_family: true,
        syntax: Syntax {
            flags: "-h|--help -V|--version -v|--verbose -a|--archive-verbose -i|--infected -r|--recursive -z|--allmatch -o|--suppress-ok-results \
                    --quiet --stdout --no-summary --bell --debug --multiscan --fdpass --reload",
            valued: "-d|--database -f|--file-list -l|--log --tempdir --move --copy --exclude --exclude-dir --include --include-dir --config-file \
                     --max-filesize --max-scansize",
            optional: "--remove --bytecode --bytecode-unsigned --official-db-only --cross-fs --recursive",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[Has("--bytecode-unsigned --config-file")], Does::Hides("a scan with code or settings of its own")),
            when(&[Has("--remove --move")], Does::Says(Consequence::Destroys, "removes what it takes for infected")),
            always(Does::ReadsTrees(At::All)),
            always(Does::Reads(At::Value("--database --file-list"))),
            always(Does::Writes(At::Value("--log --move --copy"))),
        ],
        examples: &[
            ("clamscan --remove x", Expect::Asks("takes for infected")),
            ("clamscan --bytecode-unsigned=yes -d x y", Expect::Opaque("settings of its own")),
            ("clamscan -f private/x", Expect::Reads("private/x")),
            ("clamscan -l .envrc x", Expect::Writes(".envrc")),
            ("clamscan -ri src", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["bbot"],
        syntax: Syntax { flags: "-h|--help --version -l|--list-modules -lf -lp -lmo -*", ..Syntax::EXACT },
        rules: &[
            when(&[Lacks("-h --version -l -lf -lp -lmo")], Does::Hides("a scan that installs what its modules need")),
            when(&[Lacks("-h --version -l -lf -lp -lmo")], Does::NeedsNetwork),
        ],
        examples: &[("bbot -t h -cy x", Expect::Opaque("its modules need")), ("bbot --version", Expect::Plain)],
        ..Program::NEW
    },
    Program {
        names: &["hashcat", "lastb"],
        is_family: true,
        syntax: Syntax {
            flags: "-*",
            valued: "-m|--hash-type -a|--attack-mode -o|--outfile --outfile-format --potfile-path --debug-file --session --restore-file-path -r|--rules-file \
                     -p|--separator -s|--skip -l|--limit -f -n",
            ..Syntax::EXACT
        },
        rules: &[
            always(Does::Reads(At::All)),
            always(Does::Reads(At::Value("-f --rules-file"))),
            always(Does::Writes(At::Value("--outfile --potfile-path --debug-file --restore-file-path"))),
        ],
        is_exhaustive: true,
        examples: &[
            ("hashcat -m 0 -o .envrc a b", Expect::Writes(".envrc")),
            ("lastb -f private/x", Expect::Reads("private/x")),
            ("hashcat -m 0 a b", Expect::Plain),
        ],
        ..Program::NEW
    },
];

/// Options that name no statistics of its own are plug-ins, which are code.
fn plug_in(parsed: &Parsed<'_>) -> Vec<Effect> {
    let named = parsed.unknown.as_ref().filter(|unknown| unknown.option.starts_with("--"));
    named.map(|_| Effect::hidden("a plug-in that an option names")).into_iter().collect()
}
