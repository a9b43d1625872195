//! Programs that start another one in other circumstances: priority, time, buffers, a new session.

use crate::registry::{
    ArgumentCondition::{Has, Lacks},
    At, Does, Expect, Program, Rule, Syntax, always, when,
};

/// Every argument from the first operand on is a command.
const ALL_WORDS: &[Rule] = &[always(Does::RunsWords(At::From(0)))];

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["timeout", "gtimeout"],
        syntax: Syntax {
            flags: "-v|--verbose -f|--foreground -p|--preserve-status",
            valued: "-k|--kill-after -s|--signal",
            ..Syntax::LEADING
        },
        rules: &[always(Does::RunsWords(At::From(1)))],
        is_exhaustive: true,
        examples: &[
            ("timeout 5 rm -rf x", Expect::Runs("rm -rf x")),
            ("timeout -k 1 5 ls", Expect::Runs("ls")),
            ("timeout --signal=KILL -k 1 5 sudo id", Expect::Denied("takes other rights")),
            ("timeout --odd 5 ls", Expect::Opaque("`--odd` of `timeout`")),
            ("timeout 30 cargo test", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["nice", "gnice"],
        syntax: Syntax { flags: "-#", valued: "-n|--adjustment", ..Syntax::LEADING },
        rules: ALL_WORDS,
        is_exhaustive: true,
        examples: &[
            ("nice -5 ls -l", Expect::Runs("ls -l")),
            ("nice -n5 ls", Expect::Runs("ls")),
            ("nice --adjustment=5 sudo id", Expect::Denied("takes other rights")),
            ("nice --odd ls", Expect::Opaque("`--odd` of `nice`")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["ionice"],
        syntax: Syntax {
            flags: "-t|--ignore",
            valued: "-c|--class -n|--classdata -p|--pid -P|--pgid -u|--uid",
            ..Syntax::LEADING
        },
        rules: &[when(&[Lacks("-p -P -u")], Does::RunsWords(At::From(0)))],
        is_exhaustive: true,
        examples: &[
            ("ionice -c2 -n 7 cargo build", Expect::Runs("cargo build")),
            ("ionice -c 3 sudo id", Expect::Denied("takes other rights")),
            ("ionice -p 12", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["chrt"],
        syntax: Syntax {
            flags: "-a|--all-tasks -b|--batch -d|--deadline -e|--ext -f|--fifo -i|--idle -m|--max -o|--other -r|--rr \
                    -R|--reset-on-fork -v|--verbose",
            valued: "-T|--sched-runtime -P|--sched-period -D|--sched-deadline -p|--pid",
            ..Syntax::LEADING
        },
        rules: &[when(&[Lacks("-p")], Does::RunsWords(At::From(1)))],
        is_exhaustive: true,
        examples: &[
            ("chrt -o 0 ls", Expect::Runs("ls")),
            ("chrt -f 10 sudo id", Expect::Denied("takes other rights")),
            ("chrt -m", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["taskset"],
        syntax: Syntax { flags: "-a|--all-tasks -c|--cpu-list -p|--pid", ..Syntax::LEADING },
        rules: &[when(&[Lacks("-p")], Does::RunsWords(At::From(1)))],
        is_exhaustive: true,
        examples: &[
            ("taskset 1 ls", Expect::Runs("ls")),
            ("taskset -c 0 sudo id", Expect::Denied("takes other rights")),
            ("taskset -p 700", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["choom"],
        syntax: Syntax { valued: "-n|--adjust -p|--pid", ..Syntax::LEADING },
        rules: ALL_WORDS,
        is_exhaustive: true,
        examples: &[("choom -n 5 -- sudo id", Expect::Denied("takes other rights")), ("choom -p 12", Expect::Plain)],
        ..Program::NEW
    },
    Program {
        names: &["time", "gtime"],
        syntax: Syntax {
            flags: "-a|--append -p|--portability -q|--quiet -v|--verbose -V -l",
            valued: "-f|--format -o|--output",
            ..Syntax::LEADING
        },
        rules: &[always(Does::RunsWithVariables(At::From(0))), always(Does::Writes(At::Value("--output")))],
        is_exhaustive: true,
        examples: &[
            ("env time -p -- ls", Expect::Runs("ls")),
            ("nice time -o out.txt -v sudo id", Expect::Denied("takes other rights")),
            ("/usr/bin/time -o .envrc ls", Expect::Writes(".envrc")),
            ("time cargo build", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["nohup", "gnohup"],
        syntax: Syntax::LEADING,
        rules: ALL_WORDS,
        is_exhaustive: true,
        examples: &[("nohup sudo id", Expect::Denied("takes other rights")), ("nohup npm start", Expect::Plain)],
        ..Program::NEW
    },
    Program {
        names: &["setsid"],
        syntax: Syntax { flags: "-c|--ctty -f|--fork -w|--wait", ..Syntax::LEADING },
        rules: ALL_WORDS,
        is_exhaustive: true,
        examples: &[
            ("setsid -w sudo id", Expect::Denied("takes other rights")),
            ("setsid --wait -- ls", Expect::Runs("ls")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["stdbuf", "gstdbuf"],
        syntax: Syntax { valued: "-i|--input -o|--output -e|--error", ..Syntax::LEADING },
        rules: ALL_WORDS,
        is_exhaustive: true,
        examples: &[
            ("stdbuf -oL sudo id", Expect::Denied("takes other rights")),
            ("stdbuf -o L -e0 ls", Expect::Runs("ls")),
            ("stdbuf --odd ls", Expect::Opaque("`--odd` of `stdbuf`")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["setarch", "linux32", "linux64", "i386", "i686", "x86_64", "aarch64"],
        is_family: true,
        syntax: Syntax {
            flags: "-B|--32bit -F|--fdpic-funcptrs -I|--short-inode -L|--addr-compat-layout -R|--addr-no-randomize \
                    -S|--whole-seconds -T|--sticky-timeouts -v|--verbose -X|--read-implies-exec -Z|--mmap-page-zero \
                    -3|--3gb --4gb --uname-2.6 --list -arm64 -x86_64 -arm64e",
            valued: "-p|--pid --show",
            ..Syntax::LEADING
        },
        // The architecture in front of the command may be left out.
        rules: &[always(Does::RunsWords(At::From(0))), always(Does::RunsWords(At::From(1)))],
        is_exhaustive: true,
        examples: &[
            ("setarch x86_64 -R sudo id", Expect::Denied("takes other rights")),
            ("linux32 sudo id", Expect::Denied("takes other rights")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["prlimit"],
        syntax: Syntax {
            flags: "--noheadings --raw --verbose",
            valued: "-p|--pid -o|--output",
            optional: "-c|--core -d|--data -e|--nice -f|--fsize -i|--sigpending -l|--memlock -m|--rss -n|--nofile \
                       -q|--msgqueue -r|--rtprio -s|--stack -t|--cpu -u|--nproc -v|--as -x|--locks -y|--rttime",
            ..Syntax::LEADING
        },
        rules: ALL_WORDS,
        is_exhaustive: true,
        examples: &[
            ("prlimit --nofile=64 sudo id", Expect::Denied("takes other rights")),
            ("prlimit --pid 12", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["numactl"],
        syntax: Syntax {
            flags: "-s|--show -H|--hardware -l|--localalloc -a|--all -b|--balancing -t|--strict -d|--dump --huge --touch",
            valued: "-i|--interleave -w|--weighted-interleave -m|--membind -N|--cpunodebind -C|--physcpubind \
                     -p|--preferred -P|--preferred-many -S|--shm -f|--file -o|--offset -M|--shmmode -L|--length",
            ..Syntax::LEADING
        },
        rules: ALL_WORDS,
        examples: &[
            ("numactl -N 0 -m 0 sudo id", Expect::Denied("takes other rights")),
            ("numactl --hardware", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["faketime"],
        syntax: Syntax { flags: "-m --exclude-monotonic", valued: "-f -p --date-prog", ..Syntax::LEADING },
        rules: &[
            when(&[Lacks("-f")], Does::RunsWords(At::From(1))),
            when(&[Has("-f")], Does::RunsWords(At::From(0))),
            when(&[Has("--date-prog")], Does::Hides("`faketime` with a program of its own choice")),
        ],
        examples: &[
            ("faketime '2020-01-01' sudo id", Expect::Denied("takes other rights")),
            ("faketime -f '+1d' ls -l", Expect::Runs("ls -l")),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "unbuffer", "ccache", "sccache", "distcc", "icecc", "eatmydata", "winpty", "tini", "dumb-init",
            "catchsegv", "torsocks", "torify", "fakeroot", "softlimit", "rlwrap", "proxychains", "proxychains4",
            "caffeinate", "chronic", "ifne", "stdoutisatty", "gnome-session-inhibit", "systemd-inhibit", "systemd-cat",
            "nvidia-smi-run", "mpirun", "mpiexec", "srun", "cpulimit", "heaptrack", "samply-run", "retry", "pueue-run",
            "daemonize", "daemon", "openvt", "run-one", "run-one-constantly", "run-this-one", "keep-one-running",
            "cronic", "tsocks", "qemu-*",
        ],
        is_family: true,
        syntax: Syntax {
            flags: "-s -g -v -vv -q -p -d -i -u -m -w -k --verbose --quiet --show-stats -p --zero-stats --version",
            valued: "-f -c -l -n -np -N -t -o -e -P -E --preset --what --who --why --mode --identifier --limit",
            ..Syntax::LEADING
        },
        rules: ALL_WORDS,
        examples: &[
            ("unbuffer sudo id", Expect::Denied("takes other rights")),
            ("fakeroot -- sudo id", Expect::Denied("takes other rights")),
            ("ccache gcc -c x.c", Expect::Runs("gcc -c x.c")),
            ("ccache -s", Expect::Plain),
            ("caffeinate -i sudo id", Expect::Denied("takes other rights")),
            ("torsocks --odd sudo id", Expect::Opaque("`--odd` of `torsocks`")),
            ("run-one sudo id", Expect::Denied("takes other rights")),
            ("openvt -s -w sudo id", Expect::Denied("takes other rights")),
            ("qemu-x86_64 ./x a", Expect::Runs("./x a")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["setuidgid", "envuidgid"],
        is_family: true,
        syntax: Syntax::LEADING,
        rules: &[always(Does::RunsWords(At::From(1)))],
        examples: &[
            ("setuidgid nobody sudo id", Expect::Denied("takes other rights")),
            ("envuidgid nobody ls -l", Expect::Runs("ls -l")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["hyperfine"],
        syntax: Syntax {
            flags: "-i|--ignore-failure -N --show-output",
            valued: "-w|--warmup -m|--min-runs -M|--max-runs -r|--runs -s|--setup --reference -p|--prepare -C|--conclude \
                     -c|--cleanup -P|--parameter-scan -D|--parameter-step-size -L|--parameter-list -S|--shell --style \
                     --sort -u|--time-unit --export-asciidoc --export-csv --export-json --export-markdown \
                     --export-orgmode --output --input -n|--command-name",
            ..Syntax::EXACT
        },
        rules: &[
            always(Does::ByOption(each_line)),
            always(Does::RunsLine(At::Value("--prepare --setup --cleanup --conclude --reference"))),
            when(&[Has("--shell")], Does::Hides("`hyperfine` with a shell of its own choice")),
            always(Does::Writes(At::Value(
                "--export-json --export-csv --export-markdown --export-asciidoc --export-orgmode --output",
            ))),
        ],
        examples: &[
            ("hyperfine 'sudo id' ls", Expect::Denied("takes other rights")),
            ("hyperfine -p 'sudo id' ls", Expect::Denied("takes other rights")),
            ("hyperfine --warmup 3 'cargo run' 'node x.js'", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["concurrently", "conc"],
        syntax: Syntax {
            flags: "-k|--kill-others --kill-others-on-fail -r|--raw -g|--group -i|--handle-input --no-color --timings -P",
            valued: "-n|--names -c|--prefix-colors -p|--prefix -m|--max-processes -s|--success --restart-tries \
                     --restart-after -l|--prefix-length --default-input-target --hide --kill-signal --cwd \
                     --name-separator --timestamp-format --shell",
            ..Syntax::EXACT
        },
        rules: &[
            always(Does::ByOption(each_line)),
            when(&[Has("--shell")], Does::Hides("`concurrently` with a shell of its own choice")),
        ],
        examples: &[
            ("concurrently -k 'ls' 'sudo id'", Expect::Denied("takes other rights")),
            ("concurrently 'npm run a' 'npm run b'", Expect::Plain),
        ],
        ..Program::NEW
    },
];

/// Each operand is a line of its own.
fn each_line(parsed: &crate::registry::Parsed<'_>) -> Vec<crate::Effect> {
    parsed.operands().cloned().map(crate::Effect::Line).collect()
}
