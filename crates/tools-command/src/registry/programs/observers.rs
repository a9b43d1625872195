//! Programs that observe processes, networks and logs, and monitoring plug-ins.

use crate::registry::prelude::*;

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["pidstat"],
        flags: "-d -H -h -I -l -R -r -s -t -U -u -V -v -w --human",
        valued: "-C -G -p -T",
        optional: "--dec",
        last: "-e",
        rules: &[always(RunsWords(At::Behind("-e")))],
        is_exhaustive: true,
        examples: &[
            ("pidstat -e sudo id", Expect::Denied("takes other rights")),
            ("pidstat -du -e sudo id", Expect::Denied("takes other rights")),
            ("pidstat -e rm -rf x", Expect::Runs("rm -rf x")),
        ],
        plain_lines: &["pidstat -u 1 3"],
        ..Program::EXACT
    },
    Program {
        family: &["dstat", "dool", "pcp-dstat"],
        flags: "-c|--cpu -d|--disk -g|--page -i|--int -l|--load -m|--mem -n|--net -p|--proc -r|--io -s|--swap -t|--time -T|--epoch -y|--sys \
                    --aio --fs --ipc --lock --raw --socket --tcp --udp --unix --vm --list -a|--all -f|--full -v|--vmstat --bw|--blackonwhite \
                    --float --integer --nocolor --noheaders --noupdate --profile -V|--version -h|--help",
        valued: "-C -D -I -N -S --output",
        rules: &[always(ByOption(plug_in)), always(Writes(At::Value("--output")))],
        examples: &[("dstat --xxx", Expect::Opaque("a plug-in")), ("dstat --output .envrc", Expect::Writes(".envrc"))],
        plain_lines: &["dstat -cdn 1 3"],
        ..Program::EXACT
    },
    Program {
        family: &["wireshark", "wireshark-gtk", "termshark", "varnishncsa", "varnishlog"],
        flags: "-*",
        valued: "-X -w -r -P -i -f -c -a -b -o -n -q -F -g -y -Y -R -C -z",
        rules: &[
            when(ValueHas("-X", "lua_script read_format"), Hides("a capture with a script")),
            when(ValueHas("-o", "plugin lua extcap"), Hides("a capture with a script")),
            always(Writes(At::Value("-w -P"))),
            always(Reads(At::Value("-r"))),
        ],
        examples: &[
            ("wireshark -Xlua_script:x", Expect::Opaque("with a script")),
            ("wireshark -X lua_script:x", Expect::Opaque("with a script")),
            ("varnishncsa -w .envrc", Expect::Writes(".envrc")),
        ],
        plain_lines: &["wireshark -r a.pcap"],
        ..Program::EXACT
    },
    Program {
        family: &["gcore", "dmidecode", "biosdecode"],
        flags: "-a -h|--help -q|--quiet -u|--dump -V|--version --no-sysfs",
        valued: "-o -d|--dev-mem -s|--string -t|--type -H|--handle --dump-bin --from-dump --oem-string",
        rules: &[
            when(AtLeast(1), Says(Consequence::ShowsCredentials, "writes the memory of another process to a file")),
            always(Writes(At::Value("-o --dump-bin"))),
            always(Reads(At::Value("--dev-mem --from-dump"))),
        ],
        examples: &[
            ("gcore 1", Expect::Asks("memory of another process")),
            ("gcore -o .envrc 1", Expect::Writes(".envrc")),
            ("dmidecode --no-sysfs -d x --dump-bin .envrc", Expect::Writes(".envrc")),
        ],
        plain_lines: &["dmidecode -t memory"],
        ..Program::EXACT
    },
    Program {
        names: &["check_by_ssh"],
        flags: "-h|--help -V|--version -v|--verbose -f|--fork -q|--quiet -1|--proto1 -2|--proto2 -4 -6 -U -s|--skip",
        valued: "-H|--hostname -C|--command -l|--logname -i|--identity -p|--port -o|--ssh-option -F|--configfile -O|--output -n|--name \
                     -S|--skip-stdout -E|--skip-stderr -w|--warning -c|--critical -t|--timeout -u --extra-opts",
        rules: &[
            when(Has("-o -F --extra-opts"), Hides("a login with settings of its own")),
            always(RunsLineThere(At::Value("--command"))),
            always(Connects(At::Value("--hostname"))),
            always(NeedsNetwork),
            always(Writes(At::Value("--output"))),
        ],
        examples: &[
            ("check_by_ssh -o 'ProxyCommand id' -H h -C x", Expect::Opaque("settings of its own")),
            ("check_by_ssh -H h -C 'rm -rf x'", Expect::Asks("elsewhere")),
            ("check_by_ssh -H h -C uptime", Expect::Connects("tcp://h")),
        ],
        ..Program::EXACT
    },
    Program {
        family: &[
            "check_cups", "check_memory", "check_raid", "check_http", "check_ping", "check_disk", "check_log",
            "check_statusfile",
        ],
        flags: "-*",
        valued: "-F|--filename -O|--oldlog -q|--query -H -w -c -t -p -I",
        optional: "--extra-opts",
        rules: &[
            always(Reads(At::All)),
            always(Reads(At::Value("--filename"))),
            always(Reads(At::ValueRest("--extra-opts", "@"))),
            always(Writes(At::Value("--oldlog"))),
            always(Connects(At::Value("-H"))),
        ],
        examples: &[
            ("check_log -F private/x -O y", Expect::Reads("private/x")),
            ("check_log -F x -O .envrc", Expect::Writes(".envrc")),
            ("check_cups --extra-opts=@private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["check_disk -w 5 -c 2"],
        ..Program::EXACT
    },
    Program {
        family: &["clamscan", "clamdscan", "freshclam"],
        flags: "-h|--help -V|--version -v|--verbose -a|--archive-verbose -i|--infected -r|--recursive -z|--allmatch -o|--suppress-ok-results \
                    --quiet --stdout --no-summary --bell --debug --multiscan --fdpass --reload",
        valued: "-d|--database -f|--file-list -l|--log --tempdir --move --copy --exclude --exclude-dir --include --include-dir --config-file \
                     --max-filesize --max-scansize",
        optional: "--remove --bytecode --bytecode-unsigned --official-db-only --cross-fs --recursive",
        rules: &[
            when(Has("--bytecode-unsigned --config-file"), Hides("a scan with code or settings of its own")),
            when(Has("--remove --move"), Says(Consequence::Destroys, "removes what it takes for infected")),
            always(ReadsTrees(At::All)),
            always(Reads(At::Value("--database --file-list"))),
            always(Writes(At::Value("--log --move --copy"))),
        ],
        examples: &[
            ("clamscan --remove x", Expect::Asks("takes for infected")),
            ("clamscan --bytecode-unsigned=yes -d x y", Expect::Opaque("settings of its own")),
            ("clamscan -f private/x", Expect::Reads("private/x")),
            ("clamscan -l .envrc x", Expect::Writes(".envrc")),
        ],
        plain_lines: &["clamscan -ri src"],
        ..Program::EXACT
    },
    Program {
        names: &["bbot"],
        flags: "-h|--help --version -l|--list-modules -lf -lp -lmo -*",
        rules: &[
            when(Lacks("-h --version -l -lf -lp -lmo"), Hides("a scan that installs what its modules need")),
            when(Lacks("-h --version -l -lf -lp -lmo"), NeedsNetwork),
        ],
        examples: &[("bbot -t h -cy x", Expect::Opaque("its modules need"))],
        plain_lines: &["bbot --version"],
        ..Program::EXACT
    },
    Program {
        family: &["hashcat", "lastb"],
        flags: "-*",
        valued: "-m|--hash-type -a|--attack-mode -o|--outfile --outfile-format --potfile-path --debug-file --session --restore-file-path -r|--rules-file \
                     -p|--separator -s|--skip -l|--limit -f -n",
        rules: &[
            always(Reads(At::All)),
            always(Reads(At::Value("-f --rules-file"))),
            always(Writes(At::Value("--outfile --potfile-path --debug-file --restore-file-path"))),
        ],
        is_exhaustive: true,
        examples: &[
            ("hashcat -m 0 -o .envrc a b", Expect::Writes(".envrc")),
            ("lastb -f private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["hashcat -m 0 a b"],
        ..Program::EXACT
    },
];

/// Options that do not name built-in statistics are plug-ins, which are code.
fn plug_in(parsed: &Parsed<'_>) -> Vec<Effect> {
    let named = parsed.unknown.as_ref().filter(|unknown| unknown.option.starts_with("--"));
    named.map(|_| Effect::hidden("a plug-in that an option names")).into_iter().collect()
}
