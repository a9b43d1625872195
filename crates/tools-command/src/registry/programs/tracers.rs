//! Debuggers, tracers and profilers, which start the program that they examine.

use tools_core::Access;

use crate::reader::{Input, Value};
use crate::registry::prelude::*;

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["strace", "ltrace"],
        flags: "-A|--output-append-mode -b -c|--summary-only -C|--summary -d|--debug -D -DD -DDD -f|--follow-forks \
                    -ff|--output-separately -F -h -i|--instruction-pointer -k|--stack-traces -L -n|--syscall-number \
                    -N|--arg-names -q -qq -qqq -r -S -t -tt -ttt -T -v|--no-abbrev -V -w|--summary-wall-clock -x -xx -y -yy \
                    -z|--successful-only -Z|--failed-only --seccomp-bpf --tips -Y",
        valued: "-a|--columns -E|--env -e|--trace -I|--interruptible -o|--output -O|--summary-syscall-overhead \
                     -p|--attach -P|--trace-path -s|--string-limit -U|--summary-columns -u|--user -X|--const-print-style -l \
                     --expr --abbrev --verbose --raw --inject --fault --read --write --signal --status --kvm --argv0 \
                     --detach-on --summary-sort-by --filter --library --indent --where --syscall-limit --trace-fds",
        optional: "--quiet --silence --silent --decode-fds --decode-pids --absolute-timestamps --timestamps \
                       --relative-timestamps --syscall-times --daemonize --daemonized --daemon --strings-in-hex",
        rules: &[always(RunsWords(At::From(0))), always(ByOption(piped_output)), always(Sets(At::Value("--env")))],
        examples: &[
            ("strace -f sudo id", Expect::Denied("takes other rights")),
            ("strace -o x -e trace=all sudo id", Expect::Denied("takes other rights")),
            ("strace -o '|sudo id' true", Expect::Denied("takes other rights")),
            ("strace -o'!sudo id' true", Expect::Denied("takes other rights")),
            ("strace --output='|sudo id' true", Expect::Denied("takes other rights")),
            ("strace -E LD_PRELOAD=./x.so true", Expect::Opaque("LD_PRELOAD")),
            ("strace -o .envrc true", Expect::Writes(".envrc")),
            ("strace --odd sudo id", Expect::Opaque("`--odd` of `strace`")),
        ],
        plain_lines: &["strace -c ls"],
        ..Program::LEADING
    },
    Program {
        names: &["perf"],
        flags: "-v -vv --version -p|--paginate --no-pager --buildid-dir",
        valued: "--debug",
        optional: "--debugfs-dir --exec-path --list-cmds",
        rules: &[when(Has("--exec-path"), Hides("`perf` with programs from elsewhere"))],
        subcommands: &[
            command("stat", PERF, STAT),
            command("record|rec", PERF, RECORD),
            command("trace top", PERF, RECORD),
            command(
                "mem lock kmem sched c2c kvm timechart kwork ftrace iostat script",
                PERF,
                &[always(ByOption(nested_record)), always(RunsScript(At::Value("--script")))],
            ),
        ],
        plain: "report annotate diff list bench test evlist buildid-list buildid-cache data archive probe version \
                help inject config check daemon",
        examples: &[
            ("perf stat -e cycles sudo id", Expect::Denied("takes other rights")),
            ("perf record -g -o x.data -- sudo id", Expect::Denied("takes other rights")),
            ("perf stat record sudo id", Expect::Denied("takes other rights")),
            ("perf mem -t load record sudo id", Expect::Denied("takes other rights")),
            ("perf record --odd sudo id", Expect::Opaque("`--odd` of `perf`")),
        ],
        plain_lines: &["perf stat ls", "perf report -i x.data"],
        ..Program::EXACT
    },
    Program {
        family: &["gdb", "gdb-multiarch", "cgdb", "rust-gdb"],
        flags: "-q|-quiet|--quiet|--silent|-silent -n|-nx|--nx -nh|--nh -batch|--batch --batch-silent|-batch-silent \
                    -return-child-result|--return-child-result -tui|--tui -nw|--nw -w|--write -readnow|--readnow -f \
                    -readnever|--readnever -fullname|--fullname -statistics|--statistics -annotate -r -v -version",
        valued: "-ex|--ex|-eval-command|--eval-command -iex|--iex|-init-eval-command|--init-eval-command \
                     -eiex|--eiex|-early-init-eval-command|--early-init-eval-command \
                     -x|--x|-command|--command -ix|--ix|-init-command|--init-command -eix|--eix \
                     -p|--p|-pid|--pid -c|-core|--core -e|-exec|--exec -s|-symbols|--symbols -se|--se -d|-directory|--directory \
                     -cd|--cd -D|-data-directory|--data-directory -tty|--tty -b -l -i|-interpreter|--interpreter \
                     -l --annotate",
        last: "-args|--args|-a|--a",
        style: Style::Single,
        rules: &[
            always(Obeys(".gdbinit")),
            always(ByOption(debugger)),
            always(RunsWords(At::Behind("-args"))),
            always(RunsScript(At::Value("-x -ix -eix"))),
        ],
        examples: &[
            ("gdb -batch -ex 'shell sudo id'", Expect::Opaque("a debugger that runs a command")),
            ("gdb -nx -batch -iex 'shell id'", Expect::Opaque("a debugger that runs a command")),
            ("gdb -q --eval-command='python x' y", Expect::Opaque("a debugger that runs a command")),
            ("gdb -ex '!id'", Expect::Opaque("a debugger that runs a command")),
            ("gdb -ex 'p system(\"id\")' x", Expect::Opaque("a debugger that runs a command")),
            ("gdb -batch -ex 'shell sudo id'", Expect::Denied("takes other rights")),
            ("gdb -ex run -iex '!sudo id' x", Expect::Denied("takes other rights")),
            ("gdb --args sudo id", Expect::Denied("takes other rights")),
            ("gdb --odd x", Expect::Opaque("`--odd` of `gdb`")),
            ("gdb x <<< 'shell id'", Expect::Opaque("a debugger that runs what it reads")),
        ],
        plain_lines: &["gdb -batch -ex run -ex bt ./x"],
        ..Program::GNU
    },
    Program {
        family: &["lldb", "rust-lldb"],
        flags: "-b|--batch -Q|--source-quietly -X|--no-use-colors -e|--editor -x|--no-lldbinit -d|--debug -w|--wait-for \
                    -P|--python-path -v",
        valued: "-o|--one-line -O|--one-line-before-file -k|--one-line-on-crash -s|--source -S|--source-before-file \
                     -K|--source-on-crash -p|--attach-pid -n|--attach-name -c|--core -f|--file -a|--arch -l|--script-language \
                     -r|--repl --local-lldbinit",
        rules: &[
            always(Obeys(".lldbinit")),
            always(ByOption(debugger)),
            when(Has("-o -O"), RunsWords(At::From(0))),
            always(RunsScript(At::Value("-s -S -K"))),
        ],
        examples: &[
            ("lldb -b -o 'platform shell id' x", Expect::Opaque("a debugger that runs a command")),
            ("lldb -o 'platform shell sudo id'", Expect::Denied("takes other rights")),
            ("lldb -b -o run -- sudo id", Expect::Denied("takes other rights")),
        ],
        plain_lines: &["lldb -b -o run -o bt ./x"],
        ..Program::LEADING
    },
    Program {
        names: &["valgrind"],
        flags: "-v|--verbose -q|--quiet -d",
        optional: "--tool --leak-check --show-leak-kinds --track-origins --error-exitcode --log-file --log-fd --xml \
                       --xml-file --suppressions --gen-suppressions --num-callers --trace-children --child-silent-after-fork \
                       --track-fds --time-stamp --show-reachable --undef-value-errors --keep-stacktraces --freelist-vol \
                       --callgrind-out-file --cachegrind-out-file --massif-out-file --dump-instr --collect-jumps \
                       --instr-atstart --cache-sim --branch-sim --simulate-cache --time-unit --detailed-freq --max-snapshots \
                       --stacks --pages-as-heap --threshold --depth --heap --heap-admin --history-level --read-var-info \
                       --demangle --error-limit --main-stacksize --max-stackframe --fair-sched --vex-iropt-register-updates \
                       --default-suppressions --leak-resolution --errors-for-leak-kinds --vgdb --smc-check --free-fill \
                       --malloc-fill --partial-loads-ok --dhat-out-file --mode --show-mismatched-frees --exit-on-first-error",
        rules: &[
            always(RunsWords(At::From(0))),
            always(Writes(At::Value("--log-file --xml-file --callgrind-out-file --massif-out-file"))),
        ],
        examples: &[
            ("valgrind --leak-check=full sudo id", Expect::Denied("takes other rights")),
            ("valgrind --log-file=.envrc true", Expect::Writes(".envrc")),
            ("valgrind --odd=1 sudo id", Expect::Opaque("of `valgrind` is not known")),
        ],
        plain_lines: &["valgrind -q ./x"],
        ..Program::LEADING
    },
];

/// Options of the subcommands of `perf` that start a command.
const PERF: Syntax = Syntax {
    flags: "-a|--all-cpus -v|--verbose -q|--quiet -g -d|--detailed -B|--big-num -A|--no-aggr -i|--no-inherit --append \
            --per-core --per-thread --per-socket --per-die --per-node -n|--no-samples|--null -N|--no-buildid-cache -b \
            -T|--timestamp -s|--stat|--summary -S|--with-summary -R -l -H --no-csv-summary --table --all-user --all-kernel \
            --no-big-num --sync -P|--period --sample-cpu -W|--weight --no-buildid --metric-only --no-merge --transaction \
            -f|--force --no-syscalls --pf --smi-cost --topdown --tail-synthesize -j --json-output",
    valued: "-e|--event -o|--output -r|--repeat -p|--pid -t|--tid|--type -u|--uid -c|--count -C|--cpu -I|--interval-print \
             -F|--freq -m|--mmap-pages -D|--delay -w -x|--field-separator -G|--cgroup -M|--metrics --call-graph --filter \
             --log-fd --pre --post --timeout --interval-count --control --duration --max-size --clockid --buildid-dir \
             --max-stack --for-each-cgroup --switch-output --proc-map-timeout -k --affinity -i --input",
    optional: "-z|--compression-level",
    ..Syntax::LEADING
};
const STAT: &[Rule] = &[
    always(RunsWords(At::From(0))),
    when(First("record rec report"), RunsWords(At::From(1))),
    always(RunsLine(At::Value("--pre --post"))),
    always(ByOption(piped_output)),
];
const RECORD: &[Rule] = MEASURES_WITH_OUTPUT;
const MEASURES_WITH_OUTPUT: &[Rule] = &[RUNS_OPERANDS[0], always(ByOption(piped_output))];

/// An output that is a pipe into a shell line, or else a file.
fn piped_output(parsed: &Parsed<'_>) -> Vec<Effect> {
    let output = |value: &Value| match value.text.strip_prefix(['|', '!']) {
        Some(line) => Effect::Line(Value { text: line.to_owned(), ..value.clone() }),
        None => Effect::path(value.clone(), Access::Write),
    };
    parsed.values("--output").map(output).collect()
}

/// `perf mem record`: the command follows the word `record` and its options.
fn nested_record(parsed: &Parsed<'_>) -> Vec<Effect> {
    let args = &parsed.command.args;
    let Some(at) = args.iter().position(|arg| matches!(arg.text.as_str(), "record" | "rec")) else { return Vec::new() };
    let rest = &args[at + 1..];
    let plain = rest.iter().position(|arg| !arg.text.starts_with('-')).unwrap_or(rest.len());
    let mut found: Vec<Effect> = Vec::new();
    if let Some(dashes) = rest.iter().position(|arg| arg.text == "--") {
        found.push(Effect::runs(rest[dashes + 1..].to_vec()));
    } else if plain < rest.len() {
        found.push(Effect::runs(rest[plain..].to_vec()));
        found.extend((plain > 0).then(|| Effect::hidden("options of `perf` that are not known")));
    }
    found
}

/// Debugger commands that are harmless.
const LOOKS: [&str; 26] = [
    "bt", "backtrace", "run", "r", "quit", "q", "info", "thread", "set", "continue", "c", "p", "print", "where",
    "frame", "break", "b", "next", "n", "step", "s", "finish", "start", "x", "disassemble", "list",
];

/// Debugger commands whose text is a shell line.
const SHELLS: [&str; 4] = ["shell ", "!", "platform shell ", "pipe "];

fn debugger(parsed: &Parsed<'_>) -> Vec<Effect> {
    let mut found = Vec::new();
    found.extend(parsed.doubt());
    if parsed.command.input != Input::None {
        found.push(Effect::hidden("a debugger that runs what it reads"));
    }
    let given = parsed.values("-ex -iex -eiex -o -O -k");
    let harmless = |value: &Value| {
        let first = value.text.split([' ', '/']).next().unwrap_or_default();
        value.is_exact && LOOKS.contains(&first) && !value.text.contains(['(', '!', '|', '`', '$', '='])
    };
    for value in given.filter(|value| !harmless(value)) {
        found.push(Effect::hidden("a debugger that runs a command"));
        let line = SHELLS.iter().find_map(|start| value.text.strip_prefix(start)).filter(|_| value.is_exact);
        found.extend(line.map(|line| Effect::Line(Value::exact(line))));
    }
    found
}
