//! Compilers, linkers and their tools: the files they write, and options that load or start code.

use tools_core::Access;

use crate::reader::Value;
use crate::registry::prelude::*;

const CHOICE: Does = Hides("a compiler with programs or plug-ins of its own choice");

/// Options of the `gcc` family whose value is the next argument; others have no value or an
/// attached one.
const C: Program = Program {
    flags: "-c -S -E -g -w -v -s -static -shared -pthread -fPIC -pie -P -H -M -MM -MD -MMD -MP -pipe -ansi -nostdlib -###",
    valued: "-o -wrapper -x -I -L -D -U -l -include -imacros -isystem -iquote -idirafter -isysroot -MF -MJ -MT -MQ -B -T -u -z \
             -Xlinker -Xpreprocessor -Xassembler -Xclang -mllvm -arch -framework -target -dumpdir -serialize-diagnostics -specs -ccbin -load \
             -aux-info -ld-path -fuse-ld -fplugin -fpass-plugin -sysroot",
    optional: "-o* -MF* -MJ* -B* -specs=* --specs=* -fplugin=* -fplugin-arg-* -fpass-plugin=* -fuse-ld=* --ld-path=* -ld-path=* -wrapper* \
               -Wl,* -Wa,* -Wp,* -I* -L* -D* -U* -l* -W* -f* -m* -O* -g* -std=* --std=* -M* -x* -ccbin* --compiler-bindir* \
               -save-temps* -print-* -dump* -n* -r* -p*",
    ..Program::SINGLE
};

pub(super) static ALL: &[Program] = &[
    Program {
        family: &[
            "gcc", "cc", "g++", "c++", "c99", "c89", "clang", "clang++", "tcc", "icc", "icx", "cpp", "gfortran",
            "nvcc", "mpicc", "mpicxx", "emcc", "em++", "musl-gcc", "zig-cc", "gcc-1*", "g++-1*", "clang-1*",
            "clang++-1*", "x86_64-linux-gnu-g*", "aarch64-linux-gnu-g*", "arm-none-eabi-g*",
        ],
        rules: &[
            when(
                Has("-wrapper -wrapper* -B -B* -specs -specs=* --specs=* -fplugin -fplugin=* -fpass-plugin \
                             -fpass-plugin=* -ld-path -ld-path=* --ld-path=* -ccbin -ccbin* --compiler-bindir* -load"),
                CHOICE,
            ),
            always(ByOption(wrapper)),
            always(ByOption(linker)),
            always(By(written)),
            always(Writes(At::Value("-o -o* -MF -MF* -MJ -MJ* -aux-info -dumpdir -serialize-diagnostics"))),
        ],
        builds: true,
        examples: &[
            ("gcc -wrapper sudo,id x.c", Expect::Runs("sudo id")),
            ("c99 -wrapper sudo x.c", Expect::Runs("sudo")),
            ("cc -fplugin=./x.so a.c", Expect::Opaque("of its own choice")),
            ("gcc -B . a.c", Expect::Opaque("of its own choice")),
            ("gcc -B./x a.c", Expect::Opaque("of its own choice")),
            ("clang -fuse-ld=/tmp/x a.c", Expect::Opaque("a linker")),
            ("clang -Xclang -load -Xclang ./x.so a.c", Expect::Opaque("a plug-in")),
            ("gcc -Wl,-plugin,./x.so a.c", Expect::Opaque("a linker")),
            ("gcc -specs=x a.c", Expect::Opaque("of its own choice")),
            ("gcc @x a.c", Expect::Opaque("options from a file")),
            ("clang -MJ .envrc a.c", Expect::Writes(".envrc")),
            ("gcc -MMD -MF.envrc a.c", Expect::Writes(".envrc")),
            ("gcc -Wp,-MD,.envrc a.c", Expect::Writes(".envrc")),
            ("gcc -fdiagnostics-add-output=sarif:file=.envrc a.c", Expect::Writes(".envrc")),
            ("gcc -Wl,-Map=.envrc a.c", Expect::Writes(".envrc")),
            ("clang -ftime-trace=.envrc a.c", Expect::Writes(".envrc")),
            ("gcc -o x a.c", Expect::Writes("x")),
            ("cc -ox a.c", Expect::Writes("x")),
        ],
        plain_lines: &[
            "gcc -O2 -Wall -o prog prog.c", "g++ -std=c++20 -Iinclude -c a.cc -o a.o",
            "clang -fuse-ld=lld -Wl,-rpath,x a.c -lm",
        ],
        ..C
    },
    Program {
        family: &["ld", "ld.lld", "ld.gold", "ld.bfd", "mold", "lld", "as", "gold"],
        flags: "-r -s -S -x -g -v --strip-all --strip-debug -static -shared -pie -d -q -c -t",
        valued: "-o|--output --dependency-file --error-handling-script --out-implib --base-file --output-def -plugin|--plugin --plugin-opt -T|--script -L -l -e|--entry -m -Map -soname|-h -rpath \
                     -dynamic-linker -I -O|--output-target -F --target -j -R --add-section --only-section --run",
        optional: "-L* -l* -o* -plugin=* --plugin=*",
        rules: &[
            when(Has("-plugin -plugin=* --plugin=* --run --error-handling-script"), CHOICE),
            always(Writes(At::Value("--output -o* -Map --dependency-file --out-implib --base-file --output-def"))),
        ],
        builds: true,
        examples: &[
            ("ld -plugin ./x.so a.o", Expect::Opaque("of its own choice")),
            ("ld --error-handling-script=./x a.o", Expect::Opaque("of its own choice")),
            ("ld --dependency-file=.envrc a.o", Expect::Writes(".envrc")),
            ("ld -o x a.o", Expect::Writes("x")),
        ],
        plain_lines: &["ld -r a.o b.o -o c.o"],
        ..Program::SINGLE
    },
    Program {
        family: &["javac", "javadoc", "kotlinc", "scalac", "groovyc"],
        flags: "-g -nowarn -verbose -deprecation -parameters -version|--version -help|--help -Werror --enable-preview",
        valued: "-d -s -h -Xstdout -cp|-classpath|--class-path -sourcepath|--source-path -bootclasspath -processor -processorpath|--processor-path \
                     --processor-module-path -source|--source -target|--target -encoding --release -p|--module-path -m|--module \
                     --add-modules --add-exports -doclet -docletpath -taglet -tagletpath -implicit -proc -P \
                     -e|-expression -script",
        optional: "-J* -X* -A* -Xplugin* -g:* -proc:* -W*",
        rules: &[
            when(
                Has("-processor -processorpath --processor-module-path -doclet -docletpath -taglet -tagletpath -J*"),
                CHOICE,
            ),
            always(ByOption(java_plugins)),
            always(Evaluates(Language::Other, At::Value("-e -expression"))),
            always(RunsScript(At::Value("-script"))),
            always(Writes(At::Value("-d -s -h -Xstdout"))),
        ],
        builds: true,
        examples: &[
            ("javac -processorpath x A.java", Expect::Opaque("of its own choice")),
            ("javac -J-javaagent:x.jar A.java", Expect::Opaque("of its own choice")),
            ("javac -Xplugin:X A.java", Expect::Opaque("of its own choice")),
            ("kotlinc -e 'Runtime.getRuntime().exec(\"id\")'", Expect::Opaque("code with")),
            ("kotlinc -script x.kts", Expect::Scripts("x.kts")),
            ("javac @x", Expect::Opaque("options from a file")),
            ("javac -Xstdout .envrc A.java", Expect::Writes(".envrc")),
            ("javac -d out A.java", Expect::Writes("out")),
        ],
        plain_lines: &["javac -cp lib/x.jar -Xlint:all A.java"],
        ..Program::SINGLE
    },
    Program {
        family: &["tsc", "swc", "esbuild", "rollup", "webpack", "parcel", "tsup"],
        flags: "-w|--watch --noEmit -b|--build --strict --bundle --minify --sourcemap --init -v|--version -h|--help",
        valued: "-p|--project --outDir --outFile --declarationDir --tsBuildInfoFile --generateTrace --generateCpuProfile -o|--out-file \
                     -d|--out-dir --outdir --outfile --metafile -c|--config --config-file --target -t|--port --host --output-path --dist-dir --dir --file \
                     --watch.onStart --watch.onBundleStart --watch.onBundleEnd --watch.onEnd --watch.onError",
        rules: &[
            always(ObeysAround("webpack.config.* rollup.config.* .parcelrc tsup.config.* package.json")),
            always(Writes(At::Value(
                "--outDir --outFile --declarationDir --tsBuildInfoFile --generateTrace --generateCpuProfile --out-file --out-dir \
                 --outdir --outfile --metafile --output-path --dist-dir --dir --file",
            ))),
            always(RunsLine(At::Value(
                "--watch.onStart --watch.onBundleStart --watch.onBundleEnd --watch.onEnd --watch.onError",
            ))),
        ],
        builds: true,
        examples: &[
            ("tsc --outFile x a.ts", Expect::Writes("x")),
            ("esbuild a.ts --bundle --outfile=x", Expect::Writes("x")),
            ("rollup --file .envrc x.js", Expect::Writes(".envrc")),
            ("rollup -w --watch.onEnd 'rm -rf x'", Expect::Runs("rm -rf x")),
        ],
        plain_lines: &["tsc --noEmit -p tsconfig.json", "webpack --config webpack.prod.js"],
        ..Program::SINGLE
    },
    Program {
        names: &["vite"],
        flags: "-w|--watch --emptyOutDir --ssr --sourcemap --minify --manifest --ssrManifest --force --open --cors --strictPort \
                    --clearScreen -v|--version -h|--help -*",
        valued: "-c|--config -m|--mode -l|--logLevel -f|--filter --outDir --assetsDir --assetsInlineLimit --target --base --port \
                     --configLoader",
        rules: &[
            always(ObeysAround("vite.config.* package.json")),
            always(ByOption(bundled)),
            always(Writes(At::Value("--outDir"))),
        ],
        builds: true,
        examples: &[
            ("vite build --outDir src --emptyOutDir", Expect::Asks("empties a folder")),
            ("vite build --outDir=src", Expect::Asks("empties a folder")),
        ],
        plain_lines: &["vite build --outDir dist --emptyOutDir", "vite build", "vite --port 3000"],
        ..Program::EXACT
    },
];

/// `-wrapper PROGRAM,ARGUMENT,…`.
fn wrapper(parsed: &Parsed<'_>) -> Vec<Effect> {
    let words = |value: &Value| {
        value
            .text
            .trim_start_matches('=')
            .split(',')
            .map(|word| Value { text: word.to_owned(), ..value.clone() })
            .collect()
    };
    parsed.values("-wrapper -wrapper*").map(|value| Effect::runs(words(value))).collect()
}

/// Linkers given by path, linker plug-ins, and options from a file.
fn linker(parsed: &Parsed<'_>) -> Vec<Effect> {
    let by_path = parsed.values("-fuse-ld -fuse-ld=*").any(|value| value.text.contains('/') || !value.is_exact);
    let plugin = parsed.values("-Wl,* -Xlinker -Xclang").any(|value| {
        value.text.contains("plugin")
            || value.text == "-load"
            || !value.is_exact && value.text.starts_with(['"', '$', '`'])
    });
    let mut found = from_file(parsed);
    if by_path || plugin {
        found.push(Effect::hidden("a linker or a plug-in of one's own choice"));
    }
    found
}

/// Parts of arguments that precede the name of an output file: `-Wl,-Map=FILE`,
/// `-ftime-trace=FILE`.
const WRITING: &str = "MD MMD Map o output dependency-file out-implib time-trace profile-dir profile-generate \
     profile-instr-generate crash-diagnostics-dir module-output optimization-record-file file";

fn written(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_writing = |part: &str| {
        let lists = part.strip_prefix('a').is_some_and(|rest| rest.chars().all(|c| "cdghilmns".contains(c)));
        lists || part.starts_with("dump-") || part.starts_with("opt-info") || WRITING.split(' ').any(|one| one == part)
    };
    let written = |value: &Value| {
        let parts: Vec<&str> = value.text.split([',', '=', ':']).map(|part| part.trim_start_matches('-')).collect();
        let files = parts.windows(2).filter(|pair| is_writing(pair[0])).map(|pair| pair[1]);
        files
            .map(|file| Effect::path(Value { text: file.to_owned(), ..value.clone() }, Access::Write))
            .collect::<Vec<_>>()
    };
    parsed.values("-f* -Wl,* -Wa,* -Wp,*").flat_map(written).collect()
}

fn java_plugins(parsed: &Parsed<'_>) -> Vec<Effect> {
    let mut found = from_file(parsed);
    if parsed.values("-X*").any(|value| value.text.starts_with("plugin")) {
        found.push(Effect::hidden("a compiler with programs or plug-ins of its own choice"));
    }
    found
}

/// `@FILE` among the operands.
fn from_file(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_file = parsed.operands().any(|operand| operand.text.starts_with('@'));
    is_file.then(|| Effect::hidden("a compiler with options from a file")).into_iter().collect()
}

/// The folder that `vite` empties before it fills it: always one in the workspace, another one only
/// on request.
fn bundled(parsed: &Parsed<'_>) -> Vec<Effect> {
    parsed.values("--outDir").flat_map(super::emptied::emptied).collect()
}
