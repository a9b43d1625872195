//! Profilers, which start the program that they measure.

use crate::registry::prelude::*;

/// A profiler whose measured command follows the options.
const RECORDING: Program = Program {
    flags: "-a -q -v -d -F -C -S -n --no-open --native --live --follow-fork --trace-python-allocators --force -f \
            --aggregate --subprocesses --idle --gil --nonblocking -t --no-libcall --nest-libcall -k --kernel -l --disable-aslr",
    valued: "-o|--output -r|--rate --duration -p|--pid -e -D --depth --live-port --compress-trace-file -T --trigger -P -A -R \
             --format -s --trace --sample -w --stats --capture-range --set --section --metrics --target-processes",
    ..Program::LEADING
};

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["uftrace", "trace-cmd", "rr", "nsys", "apitrace", "py-spy", "vtune"],
        flags: "-v -q --version --help",
        valued: "-o --output",
        subcommands: &[
            command("record live profile launch trace start stream top profile-run", RECORDING.syntax(), RUNS_OPERANDS),
            ruled("replay script plugin", &[always(Hides("a recording that is run again"))]),
        ],
        plain: "report dump graph info list ls ps pack stats export stat show hist status tui version analyze \
                dump-images diff stop recv sessions help extract split",
        otherwise: Otherwise::Opaque("a program that is measured, or a command of its own"),
        examples: &[
            ("uftrace record sudo id", Expect::Denied("takes other rights")),
            ("rr record -n sudo id", Expect::Denied("takes other rights")),
            ("py-spy record -o x.svg -- sudo id", Expect::Denied("takes other rights")),
            ("nsys profile -o x sudo id", Expect::Denied("takes other rights")),
            ("uftrace ./x", Expect::Opaque("a program that is measured")),
        ],
        plain_lines: &["py-spy dump", "rr ps"],
        ..Program::LEADING
    },
    Program {
        family: &["flamegraph", "ncu", "nvprof", "austin", "ocount", "operf", "coz", "samply-record"],
        rules: &[always(RunsWords(At::From(0))), always(RunsWords(At::AfterDashes))],
        examples: &[
            ("flamegraph -o x.svg -- sudo id", Expect::Denied("takes other rights")),
            ("ncu --odd x rm y", Expect::Opaque("`--odd` of `ncu`")),
            ("nvprof ./x", Expect::Runs("./x")),
        ],
        ..RECORDING
    },
    Program {
        family: &["mprof", "memray", "fil-profile"],
        flags: "-v|--verbose -h|--help -V|--version",
        subcommands: &[command(
            "run",
            Syntax {
                flags: "--python -C --include-children -M --multiprocess --native --live --follow-fork -f|--force -q|--quiet --no-compress \
                            --aggregate --trace-python-allocators --nopython --live-remote",
                valued: "-o|--output -T|--interval --live-port -p -m -c --backend --timeout",
                ..Syntax::LEADING
            },
            &[
                always(Writes(At::Value("--output"))),
                always(Evaluates(Language::Python, At::Value("-c"))),
                always(RunsWords(At::From(0))),
                when(Lacks("-m -c"), RunsScript(At::Nth(0))),
            ],
        )],
        plain: "plot list clean rm peak flamegraph table tree summary stats parse transform attach",
        examples: &[
            ("mprof run sudo id", Expect::Denied("takes other rights")),
            ("memray run -o .envrc x.py", Expect::Scripts("x.py")),
        ],
        plain_lines: &["mprof plot"],
        ..Program::LEADING
    },
    Program {
        family: &["scalene", "kernprof", "viztracer", "pyinstrument"],
        flags: "-l|--line-by-line -v|--view -b|--builtin -z --cpu --gpu --memory --html --json --cli --web -r --show-all --reduced-profile",
        valued: "-o|--outfile|--output_file -s|--setup -p --profile-interval --profile-only -e -m -c",
        rules: &[
            always(Writes(At::Value("-o"))),
            always(RunsScript(At::Value("--setup"))),
            always(Evaluates(Language::Python, At::Value("-c"))),
            when(Lacks("-m -c"), RunsScript(At::Nth(0))),
        ],
        examples: &[
            ("kernprof -lv x.py", Expect::Scripts("x.py")),
            ("scalene --html x.py", Expect::Scripts("x.py")),
            ("viztracer -c 'import os; os.system(\"id\")'", Expect::Opaque("code with")),
        ],
        ..Program::LEADING
    },
];
