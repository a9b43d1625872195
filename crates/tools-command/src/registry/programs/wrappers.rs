//! Programs that start another one under other conditions: priority, time limit, buffering, a new
//! session.

use crate::reader::Value;
use crate::registry::prelude::*;

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["timeout", "gtimeout"],
        flags: "-v|--verbose -f|--foreground -p|--preserve-status",
        valued: "-k|--kill-after -s|--signal",
        rules: &[always(RunsWords(At::From(1)))],
        is_exhaustive: true,
        examples: &[
            ("timeout 5 rm -rf x", Expect::Runs("rm -rf x")),
            ("timeout -k 1 5 ls", Expect::Runs("ls")),
            ("timeout --signal=KILL -k 1 5 sudo id", Expect::Denied("takes other rights")),
            ("timeout --odd 5 ls", Expect::Opaque("`--odd` of `timeout`")),
        ],
        plain_lines: &["timeout 30 cargo test"],
        ..Program::LEADING
    },
    Program {
        names: &["nice", "gnice"],
        flags: "-#",
        valued: "-n|--adjustment",
        rules: RUNS_OPERANDS,
        is_exhaustive: true,
        examples: &[
            ("nice -5 ls -l", Expect::Runs("ls -l")),
            ("nice -n5 ls", Expect::Runs("ls")),
            ("nice --adjustment=5 sudo id", Expect::Denied("takes other rights")),
            ("nice --odd ls", Expect::Opaque("`--odd` of `nice`")),
        ],
        ..Program::LEADING
    },
    Program {
        names: &["ionice"],
        flags: "-t|--ignore",
        valued: "-c|--class -n|--classdata -p|--pid -P|--pgid -u|--uid",
        rules: &[when(Lacks("-p -P -u"), RunsWords(At::From(0)))],
        is_exhaustive: true,
        examples: &[
            ("ionice -c2 -n 7 cargo build", Expect::Runs("cargo build")),
            ("ionice -c 3 sudo id", Expect::Denied("takes other rights")),
        ],
        plain_lines: &["ionice -p 12"],
        ..Program::LEADING
    },
    Program {
        names: &["chrt"],
        flags: "-a|--all-tasks -b|--batch -d|--deadline -e|--ext -f|--fifo -i|--idle -m|--max -o|--other -r|--rr \
                    -R|--reset-on-fork -v|--verbose",
        valued: "-T|--sched-runtime -P|--sched-period -D|--sched-deadline -p|--pid",
        rules: &[when(Lacks("-p"), RunsWords(At::From(1)))],
        is_exhaustive: true,
        examples: &[("chrt -o 0 ls", Expect::Runs("ls")), ("chrt -f 10 sudo id", Expect::Denied("takes other rights"))],
        plain_lines: &["chrt -m"],
        ..Program::LEADING
    },
    Program {
        names: &["taskset"],
        flags: "-a|--all-tasks -c|--cpu-list -p|--pid",
        rules: &[when(Lacks("-p"), RunsWords(At::From(1)))],
        is_exhaustive: true,
        examples: &[
            ("taskset 1 ls", Expect::Runs("ls")),
            ("taskset -c 0 sudo id", Expect::Denied("takes other rights")),
        ],
        plain_lines: &["taskset -p 700"],
        ..Program::LEADING
    },
    Program {
        names: &["choom"],
        valued: "-n|--adjust -p|--pid",
        rules: RUNS_OPERANDS,
        is_exhaustive: true,
        examples: &[("choom -n 5 -- sudo id", Expect::Denied("takes other rights"))],
        plain_lines: &["choom -p 12"],
        ..Program::LEADING
    },
    Program {
        names: &["time", "gtime"],
        flags: "-a|--append -p|--portability -q|--quiet -v|--verbose -V -l",
        valued: "-f|--format -o|--output",
        rules: &[always(RunsWithVariables(At::From(0))), always(Writes(At::Value("--output")))],
        is_exhaustive: true,
        examples: &[
            ("env time -p -- ls", Expect::Runs("ls")),
            ("nice time -o out.txt -v sudo id", Expect::Denied("takes other rights")),
            ("/usr/bin/time -o .envrc ls", Expect::Writes(".envrc")),
        ],
        plain_lines: &["time cargo build"],
        ..Program::LEADING
    },
    Program {
        names: &["nohup", "gnohup"],
        rules: RUNS_OPERANDS,
        is_exhaustive: true,
        examples: &[("nohup sudo id", Expect::Denied("takes other rights"))],
        plain_lines: &["nohup npm start"],
        ..Program::LEADING
    },
    Program {
        names: &["setsid"],
        flags: "-c|--ctty -f|--fork -w|--wait",
        rules: RUNS_OPERANDS,
        is_exhaustive: true,
        examples: &[
            ("setsid -w sudo id", Expect::Denied("takes other rights")),
            ("setsid --wait -- ls", Expect::Runs("ls")),
        ],
        ..Program::LEADING
    },
    Program {
        names: &["stdbuf", "gstdbuf"],
        valued: "-i|--input -o|--output -e|--error",
        rules: RUNS_OPERANDS,
        is_exhaustive: true,
        examples: &[
            ("stdbuf -oL sudo id", Expect::Denied("takes other rights")),
            ("stdbuf -o L -e0 ls", Expect::Runs("ls")),
            ("stdbuf --odd ls", Expect::Opaque("`--odd` of `stdbuf`")),
        ],
        ..Program::LEADING
    },
    Program {
        family: &["setarch", "linux32", "linux64", "i386", "i686", "x86_64", "aarch64"],
        flags: "-B|--32bit -F|--fdpic-funcptrs -I|--short-inode -L|--addr-compat-layout -R|--addr-no-randomize \
                    -S|--whole-seconds -T|--sticky-timeouts -v|--verbose -X|--read-implies-exec -Z|--mmap-page-zero \
                    -3|--3gb --4gb --uname-2.6 --list -arm64 -x86_64 -arm64e",
        valued: "-p|--pid --show", // The architecture in front of the command may be left out.
        rules: &[always(RunsWords(At::From(0))), always(RunsWords(At::From(1)))],
        is_exhaustive: true,
        examples: &[
            ("setarch x86_64 -R sudo id", Expect::Denied("takes other rights")),
            ("linux32 sudo id", Expect::Denied("takes other rights")),
        ],
        ..Program::LEADING
    },
    Program {
        names: &["prlimit"],
        flags: "--noheadings --raw --verbose",
        valued: "-p|--pid -o|--output",
        optional: "-c|--core -d|--data -e|--nice -f|--fsize -i|--sigpending -l|--memlock -m|--rss -n|--nofile \
                       -q|--msgqueue -r|--rtprio -s|--stack -t|--cpu -u|--nproc -v|--as -x|--locks -y|--rttime",
        rules: RUNS_OPERANDS,
        is_exhaustive: true,
        examples: &[("prlimit --nofile=64 sudo id", Expect::Denied("takes other rights"))],
        plain_lines: &["prlimit --pid 12"],
        ..Program::LEADING
    },
    Program {
        names: &["numactl"],
        flags: "-s|--show -H|--hardware -l|--localalloc -a|--all -b|--balancing -t|--strict -d|--dump --huge --touch",
        valued: "-i|--interleave -w|--weighted-interleave -m|--membind -N|--cpunodebind -C|--physcpubind \
                     -p|--preferred -P|--preferred-many -S|--shm -f|--file -o|--offset -M|--shmmode -L|--length",
        rules: RUNS_OPERANDS,
        examples: &[("numactl -N 0 -m 0 sudo id", Expect::Denied("takes other rights"))],
        plain_lines: &["numactl --hardware"],
        ..Program::LEADING
    },
    Program {
        names: &["faketime"],
        flags: "-m --exclude-monotonic",
        valued: "-f -p --date-prog",
        rules: &[
            when(Lacks("-f"), RunsWords(At::From(1))),
            when(Has("-f"), RunsWords(At::From(0))),
            when(Has("--date-prog"), Hides("`faketime` with a program of its own choice")),
        ],
        examples: &[
            ("faketime '2020-01-01' sudo id", Expect::Denied("takes other rights")),
            ("faketime -f '+1d' ls -l", Expect::Runs("ls -l")),
        ],
        ..Program::LEADING
    },
    Program {
        family: &[
            "unbuffer", "ccache", "sccache", "distcc", "icecc", "eatmydata", "winpty", "tini", "dumb-init",
            "catchsegv", "torsocks", "torify", "fakeroot", "softlimit", "rlwrap", "proxychains", "proxychains4",
            "caffeinate", "chronic", "ifne", "stdoutisatty", "gnome-session-inhibit", "systemd-inhibit", "systemd-cat",
            "nvidia-smi-run", "mpirun", "mpiexec", "srun", "cpulimit", "heaptrack", "samply-run", "retry", "pueue-run",
            "daemonize", "daemon", "openvt", "run-one", "run-one-constantly", "run-this-one", "keep-one-running",
            "cronic", "tsocks", "qemu-*",
        ],
        flags: "-s -g -v -vv -q -p -d -i -u -m -w -k --verbose --quiet --show-stats -p --zero-stats --version",
        valued: "-f -c -l -n -np -N -t -o -e -P -E --preset --what --who --why --mode --identifier --limit",
        rules: RUNS_OPERANDS,
        examples: &[
            ("unbuffer sudo id", Expect::Denied("takes other rights")),
            ("fakeroot -- sudo id", Expect::Denied("takes other rights")),
            ("ccache gcc -c x.c", Expect::Runs("gcc -c x.c")),
            ("caffeinate -i sudo id", Expect::Denied("takes other rights")),
            ("torsocks --odd sudo id", Expect::Opaque("`--odd` of `torsocks`")),
            ("run-one sudo id", Expect::Denied("takes other rights")),
            ("openvt -s -w sudo id", Expect::Denied("takes other rights")),
            ("qemu-x86_64 ./x a", Expect::Runs("./x a")),
        ],
        plain_lines: &["ccache -s"],
        ..Program::LEADING
    },
    Program {
        family: &["setuidgid", "envuidgid"],
        rules: &[always(RunsWords(At::From(1)))],
        examples: &[
            ("setuidgid nobody sudo id", Expect::Denied("takes other rights")),
            ("envuidgid nobody ls -l", Expect::Runs("ls -l")),
        ],
        ..Program::LEADING
    },
    Program {
        names: &["hyperfine"],
        flags: "-i|--ignore-failure -N --show-output",
        valued: "-w|--warmup -m|--min-runs -M|--max-runs -r|--runs -s|--setup --reference -p|--prepare -C|--conclude \
                     -c|--cleanup -P|--parameter-scan -D|--parameter-step-size -L|--parameter-list -S|--shell --style \
                     --sort -u|--time-unit --export-asciidoc --export-csv --export-json --export-markdown \
                     --export-orgmode --output --input -n|--command-name",
        rules: &[
            always(ByOption(each_line)),
            always(RunsLine(At::Value("--prepare --setup --cleanup --conclude --reference"))),
            when(Has("--shell"), Hides("`hyperfine` with a shell of its own choice")),
            always(Writes(At::Value(
                "--export-json --export-csv --export-markdown --export-asciidoc --export-orgmode --output",
            ))),
        ],
        examples: &[
            ("hyperfine 'sudo id' ls", Expect::Denied("takes other rights")),
            ("hyperfine -p 'sudo id' ls", Expect::Denied("takes other rights")),
        ],
        plain_lines: &["hyperfine --warmup 3 'cargo run' 'node x.js'"],
        ..Program::EXACT
    },
    Program {
        names: &["concurrently", "conc"],
        flags: "-k|--kill-others --kill-others-on-fail -r|--raw -g|--group -i|--handle-input --no-color --timings -P",
        valued: "-n|--names -c|--prefix-colors -p|--prefix -m|--max-processes -s|--success --restart-tries \
                     --restart-after -l|--prefix-length --default-input-target --hide --kill-signal --cwd \
                     --name-separator --timestamp-format --shell",
        rules: &[
            always(ByOption(each_script)),
            when(Has("--shell"), Hides("`concurrently` with a shell of its own choice")),
        ],
        examples: &[
            ("concurrently -k 'ls' 'sudo id'", Expect::Denied("takes other rights")),
            ("concurrently npm:dev 'pnpm:x --y'", Expect::Runs("npm run dev")),
            ("concurrently npm:dev 'pnpm:x --y'", Expect::Runs("pnpm run x --y")),
        ],
        plain_lines: &["concurrently 'npm run a' 'npm run b'"],
        ..Program::EXACT
    },
];

/// Each operand is a separate line, or a script of the project after a manager's name: `npm:dev`.
fn each_script(parsed: &Parsed<'_>) -> Vec<Effect> {
    let runs = [
        ("npm:", "npm run"),
        ("pnpm:", "pnpm run"),
        ("yarn:", "yarn run"),
        ("bun:", "bun run"),
        ("node:", "node --run"),
        ("deno:", "deno task"),
    ];
    let line = |operand: &Value| {
        let named = runs.iter().find_map(|(start, runs)| Some((runs, operand.text.strip_prefix(start)?)));
        let text = named.map_or_else(|| operand.text.clone(), |(runs, script)| format!("{runs} {script}"));
        Effect::Line(Value { text, ..operand.clone() })
    };
    parsed.operands().map(line).collect()
}

/// Each operand is a separate line.
fn each_line(parsed: &Parsed<'_>) -> Vec<Effect> {
    parsed.operands().cloned().map(Effect::Line).collect()
}
