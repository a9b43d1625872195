//! The named line shapes that the code uses. Each is a list of regular expressions, of which one
//! must match. The build script makes a table of each, so none is compiled at run time.

/// Words of failure.
const WORDS: &str = concat!(
    r"(?i:error|fail|panic|fatal|exception|traceback|assert|conflict|abort|denied|refused|killed|cannot\b|can't|couldn't|",
    r"could not|unable to|not found|no such|undefined|unresolved|segmentation|segfault|core dumped|overflow|",
    r"out of memory|\boom|timed out|timeout|\bcrash|\binvalid|unexpected|exceed|reject|corrupt|mismatch|unauthorized|",
    r"forbidden|exit(?:ed)? (?:code|status|with)|not ok|unhealthy|evicted|backoff|imagepull|would be overwritten|",
    r"\bbroken|\bmissing|\bunmerged|both modified|both added|deleted by|\bleak|data race|deadlock|unreachable|",
    r"\bcritical|\bcrit\b|\bemerg|\balert\b|divergent|have diverged|\bunsatisfi|no matching|not permitted|read-only file)",
);

/// More words of failure, separate because one automaton for all of them would be too large.
const MORE_WORDS: &str = concat!(
    r"(?i:severe|reset by peer|already in use|no space left|disk quota|is locked|violat|lock-?up|blocked for more|",
    r"has expired|expires|smashing|did not pass|does not |doesn't|isn't|differs|goroutine |dubious|=nan|",
    r"expected|wrong|stuck|stalled|gave up|giving up|too many|rate limit|throttl|bad request|bad gateway|",
    r"use-after|double free|uninitiali|sanitizer|not installed|unknown|undeclared|nicht gefunden|http 4|http 5|",
    r"fehler|fehlgeschlagen|erreur|introuvable|fallo|falha|errore|fallit|mislukt|nieudan)",
);

/// Words of other alphabets, and names of system errors.
const MORE_MARKS: &str = concat!(
    r"[Éé]chec|falló|[Bb]łąd|[Оо]шибк|[Сс]бой|[Нн]е найден|[Пп]омилк|başarısız|失敗|失败|エラー|错误|錯誤|异常|例外|오류|실패|",
    r"E(?:ADDRINUSE|ADDRNOT|CONN[AR]|HOSTUN|NETUN|NOENT|NOSPC|NOMEM|NOTDIR|NOTEMPTY|PIPE\b|ACCES|PERM\b|EXIST|BUSY\b|INVAL\b|ISDIR|MFILE|ROFS|TIMEDOUT|AI_AGAIN|PROTO\b|CANCELED|DQUOT)",
);

/// Marks and codes of failure.
const MARKS: &str = concat!(
    r"[✗✘✖✕×❌⨯⚠]|^E +\S|^not ok|\bSIG(?:SEGV|ABRT|KILL|BUS|ILL|FPE|TERM|TRAP)\b|signal: \d|",
    r#"(?:HTTP/[\d.]+"?|status(?:_?[Cc]ode)?"?[=: ]) ?"?[45]\d\d\b|\b5\d\d (?:Internal|Bad|Service|Gateway)|"#,
    r"(?:GET|POST|PUT|PATCH|DELETE|HEAD) /\S* (?:-> |=> )?5\d\d\b|: NO(?: |$)",
);

/// A place in a source file, where compilers print it.
const LOCATION: &str = r"^\s*(?:-->\s*)?[\w./\\@+-]+\.[A-Za-z]\w{0,5}(?::\d+:\d+|:\d+:|\(\d+(?:,\d+)?\))";

/// The source line that raised a Python warning, printed below it.
const WARN_CALL: &str = r"^\s+(?:_?warnings\.)?warn\(|^\s+self\._?warn\(";

/// Lines that only one tool prints, by the tool.
const PYTEST: &str = concat!(
    r"^=+ (?:test session starts|FAILURES|ERRORS|short test summary info|warnings summary) =+$|",
    r"^\S+\.py::\S.* (?:PASSED|FAILED|ERROR|SKIPPED)\b|^\S+\.py [.FEsxX]{2,}|^test\w+ \([\w.]+\) \.\.\. ",
);
const NEXTEST: &str = r"^\s+Nextest run ID |^\s+(?:PASS|FAIL) \[ +[\d.]+s\] ";
const RUST_TEST: &str = r"^running \d+ tests?$";
const CARGO: &str = r"^ +(?:Compiling|Checking) \S+ v\d|^error\[E\d{4}\]: ";
const GO_TEST: &str = concat!(
    r"^=== RUN +\S|^\s*--- (?:FAIL|PASS|SKIP): \S+ \([\d.]+s\)|",
    r"^(?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\)|\[(?:build|setup) failed)",
);
const JS_TEST: &str = r"^(?:PASS|FAIL) \S+\.[cm]?[jt]sx?\b|^ RUN +v\d|^Test Suites: |^ FAIL  \S";
const CTEST: &str = r"^Test project /|^ +Start +\d+: \S";
const GIT: &str = concat!(
    r"^hint: .*\bgit |^CONFLICT \(|^(?:On branch|HEAD detached (?:at|from)|interactive rebase in progress)\b|",
    r"^Changes (?:not staged for commit|to be committed):$|^Auto-merging \S",
);
const GIT_TRANSFER: &str = r"^(?:remote: )?(?:Enumerating|Counting|Compressing) objects: |^Cloning into '";
const PIP: &str =
    r"^Collecting \S+(?:$| \(from )|^Requirement already satisfied: |^Looking in (?:indexes|links): |^Obtaining file:";
const NPM: &str = r"^npm (?:warn|WARN|error|ERR!|notice) |^added \d+ packages?\b|^Progress: resolved \d";
const MAKE: &str = concat!(
    r"^\S*make(?:\[\d+\])?: (?:Entering directory|\*\*\* )|^\[ *\d+%\] (?:Building|Linking|Built target|Generating)|",
    r"^-- (?:The C(?:XX)? compiler|Configuring done|Detecting C)|^\[\d+/\d+\] (?:CC|CXX|Building|Linking|Compiling|Generating)\b|",
    r"^checking (?:for|whether) .*\.\.\. ",
);
const COMPILER: &str = r"^[^\s:]+\.\w+:\d+:\d+: (?:fatal )?(?:error|warning|note): ";
const JVM: &str = r"^\[INFO\] (?:Scanning for projects|Building |-{20})|^> Task :\S";
const DOCKER: &str = r"^#\d+ (?:\[\S|DONE|CACHED)|^Step \d+/\d+ : [A-Z]|^Sending build context to Docker";
const TERRAFORM: &str = concat!(
    r"^Terraform (?:will perform|used the selected providers)|^Initializing provider plugins|",
    r#"^[\w.\[\]"-]+\.[\w.\[\]"-]+: (?:Refreshing state|Creating\.\.\.|Reading\.\.\.)"#,
);
const APT: &str = r"^Reading package lists\.\.\.|^(?:Get|Hit|Ign):\d+ http|^Selecting previously unselected package";
const JS_BUILD: &str = r"^webpack \d|^vite v\d|^asset \S+ [\d.]+ (?:bytes|KiB|MiB)";

/// All shapes. A comment explains each name.
pub(crate) const SHAPES: &[(&str, &[&str])] = &[
    // Lines that may report something: every report matches one of these. Digits do not affect the
    // result, so a log template can be checked instead of each line.
    (
        "CANDIDATE",
        &[WORDS, r"(?i:warn|deprecat|vulnerab|\bnotice\b)", MARKS, LOCATION, r"\b[1-9]\d* (?:failing|errors?)"],
    ),
    // Measurements: time per run, operations per second, a size before and after.
    (
        "MEASURED",
        &[r"\d (?:[a-zµ]+/(?:op|iter)\b|(?:ops|op|iters)/s(?:ec)?\b)", r"\d[KMG](?:i?B)?->\d+(?:\.\d+)?[KMG]"],
    ),
    // Progress lines of tools, with any names of tests, packages and files.
    (
        "HARMLESS",
        &[
            r"^\s*(?:Compiling|Checking|Downloading|Downloaded|Updating|Locking|Fresh|Building|Finished|Running|Doc-tests|Adding|Documenting|Generated|Installing|Installed|Removing|Packaging|Collecting|Obtaining|Using cached|Requirement already satisfied|Preparing|Attempting uninstall|Found existing installation|Uninstalling|Successfully|Unpacking|Setting up|Selecting previously|Processing triggers|Fetching|Pulling|Extracting|Verifying|Executable|Starting|Summary) [^:]*(?::\S[^:]*)*$",
            r"^(?:Get|Hit|Ign):\d+ ",
            r"^\[(?:loading|parsing|checking|wrote) \S",
            // A row of test marks with a percentage.
            r"^\s*\S+ [✓✗⨯sxXEFR.]+ +\d{1,3}% [█▉▊▋▌▍▎▏]+\s*$",
            r"^test .* \.\.\. (?:ok|ignored.*|bench: .*)$",
            r"^\s*(?:[✓√✔]|PASS\b|ok\s+\d|ok\s+\S+\s+[\d.]+m?s|ok\s+\S+\s+\(cached\))",
            r"^\s*(?:--- PASS:|=== (?:RUN|PAUSE|CONT|NAME)\b)",
            r"\bPASSED(?:\s+\[ *\d+%\])?\s*$",
            r"\.\.\. (?:ok|OK)(?: \(\d+m?s\))?$",
            r"^\d+: Test timeout computed to be: \d+$",
            r"^\S+\.py [.s]+(?:\s+\[ *\d+%\])?\s*$",
            r"^(?:\[ *\d+%\]|\[\d+/\d+\]) +(?:Building|Built|Linking|Generating|Compiling|Scanning|Consolidate)",
            // The command line of a tool. A colon after the name marks a message instead: `ld:
            // cannot find -lz`.
            r"^\s*(?:\S*/)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|[a-z0-9_]+-linux-\w+-(?:gcc|g\+\+)|javac|rustc|ar|ld|nvcc|mpicc|ccache)(?:-\d+)? +(?:[^:]* )?-[A-Za-z]",
            r"^\s*(?:\S*/)?libtool(?:: (?:compile|link|install|relink|finish):)? +(?:[^:]* )?-[A-Za-z]",
            r"^\s*\d+ files? changed",
            // Plugins that pytest has loaded.
            r"^plugins: [\w-]+-\d",
            r"^hint: (?:[^U]|U[^p])|^Could not apply [0-9a-f]{7,}\.\.\. ",
            r"\.{3,} *(?:\(.*\) *)?(?:Passed|Skipped)$",
            r"^npm (?:error|ERR!) +(?:404 +)?(?:A complete log of this run|Note that you can also install|tarball, folder, http url)",
            r"^npm (?:error|ERR!) *(?:404 *)?$",
            r"^npm http (?:cache \S+ \d+m?s \(cache hit\)|fetch GET 200 \S+ \d+m?s.*)$",
            r"^\s*note: This error originates from a subprocess, and is likely not a problem with pip\.$",
            r"^hint: See above for (?:output from the failure|details)\.$",
            r"^\d\. (?:loosen the range of|remove) package versions .* to (?:attempt to )?(?:solve|allow pip)|^DEPRECATED: The legacy builder is deprecated",
            r"^\[ERROR\] *(?:$|To see the full stack trace|Re-run Maven|For more information about the errors|\[Help \d\] http|After correcting)",
        ],
    ),
    ("SPOKEN", &[MORE_WORDS, MORE_MARKS]),
    ("PLACE", &[LOCATION]),
    ("FAILURE", &[WORDS, MARKS, LOCATION]),
    ("WARN_CALL", &[WARN_CALL]),
    // A path with a number in its last name, or such a name alone.
    (
        "NUMBERED_FILE",
        &[
            r#"(?:^|[\s"',])[^\s"',]*/[^\s"',/]*\d[^\s"',/]*\.[A-Za-z]\w{0,5}(?:$|[\s"',])"#,
            r"^\s*[^\s/]*\d[^\s/]*\.[A-Za-z]\w{0,5}\s*$",
        ],
    ),
    // Lines that identify a tool: all tools together, then each.
    (
        "FORM",
        &[
            PYTEST,
            NEXTEST,
            RUST_TEST,
            CARGO,
            GO_TEST,
            JS_TEST,
            CTEST,
            GIT,
            GIT_TRANSFER,
            PIP,
            NPM,
            MAKE,
            COMPILER,
            JVM,
            DOCKER,
            TERRAFORM,
            APT,
            JS_BUILD,
        ],
    ),
    ("FORM_PYTEST", &[PYTEST]),
    ("FORM_NEXTEST", &[NEXTEST]),
    ("FORM_RUST_TEST", &[RUST_TEST]),
    ("FORM_CARGO", &[CARGO]),
    ("FORM_GO_TEST", &[GO_TEST]),
    ("FORM_JS_TEST", &[JS_TEST]),
    ("FORM_CTEST", &[CTEST]),
    ("FORM_GIT", &[GIT]),
    ("FORM_GIT_TRANSFER", &[GIT_TRANSFER]),
    ("FORM_PIP", &[PIP]),
    ("FORM_NPM", &[NPM]),
    ("FORM_MAKE", &[MAKE]),
    ("FORM_COMPILER", &[COMPILER]),
    ("FORM_JVM", &[JVM]),
    ("FORM_DOCKER", &[DOCKER]),
    ("FORM_TERRAFORM", &[TERRAFORM]),
    ("FORM_APT", &[APT]),
    ("FORM_JS_BUILD", &[JS_BUILD]),
    // Test runs. Passed or skipped tests.
    (
        "PASSED",
        &[
            r"^test .* \.\.\. (?:ok|ignored.*)$",
            r"^\s+(?:PASS|SKIP) +\[",
            r"^\S+::.* (?:PASSED|SKIPPED|XFAIL)(?: \(.*\))?(?:\s+\[ *\d+%\])?\s*$",
            r"^\[gw\d+\]\s+\[ *\d+%\] (?:PASSED|SKIPPED|XFAIL) ",
            r"^\s*--- PASS: ",
            r"^\s*(?:[✓√✔○↓]|✅) ",
            r"^\s*PASS (?:\S+ )?\S+(?: \([\d.]+ m?s\))?$",
            r"^test\S* \(.*\) \.\.\. (?:ok|skipped.*|expected failure)$",
            // A result with a reason for skipping says more than that it passed.
            r"^ok \d+ [^#]*(?:# ?[sS][kK][iI][pP]\s*)?$",
            r"^\s+Passed \S",
            r"^\[INFO\] Tests run: \d+, Failures: 0, Errors: 0.*$",
            r"^\S+ > .+ PASSED$",
            r"^ *\d+/\d+ Test +#\d+: .* Passed ",
            r"^ *\d+/\d+ \S.* (?:OK|PASS(?:ED)?)(?: +[\d.]+ ?s)?\s*$",
            r"^\S+#\w+ = [\d.]+ s = \.$",
            r"^\[ +(?:OK|SKIPPED) +\] \S+\.\S+",
            r"^\((?:pass|skip|todo)\) \S|^PASSED \S+::\S",
            r"^(?:PASS|XFAIL|SKIP): \S",
            r"^\S.*\.\. ?(?:ok|OK|[Pp]assed|PASS(?:ED)?|good)$",
            r"^\S+(?: \S+)*: (?:OK|ok|PASS(?:ED)?|[Pp]assed)$",
            r"^\s+\S.*\.\.\. (?:ok|OK)(?: \(\d+m?s\))?$",
            r"^No syntax errors detected in \S+$|^\S.*\s\| PASS \|$",
            r"^\.{5,}(?:\s+\[ *\d+%\]|\s+\d+ / \d+ \( *\d+%\))?\s*$",
        ],
    ),
    // Progress lines of runners and builds.
    (
        "NOISE",
        &[
            r"^\s+(?:Compiling|Checking|Downloading|Downloaded|Updating|Locking|Fresh|Blocking|Adding|Finished|Running|Doc-tests|Executable) ",
            r"^running \d+ tests?$",
            r"^[.i]+(?: \d+/\d+)?$",
            r"^(?:thread '.*' )?note: run with `RUST_BACKTRACE",
            r"^note: (?:Some details are omitted|run with)",
            r"^\s+(?:Nextest run ID|Starting \d+ tests?) ",
            r"^[─━═⎯-]{10,}$",
            r"^=+ test session starts =+$",
            r"^(?:platform \w+ -- |cachedir: |rootdir: |configfile: |plugins: |testpaths: |asyncio: |hypothesis profile |benchmark: |metadata: |collect(?:ed|ing) \d+ items?$|collecting \.\.\. |created: \d+/\d+ workers|\d+ workers \[)",
            r"^(?:\S+\.py )?[.sx]+(?:\s+\[ *\d+%\])?\s*$",
            r"^(?:_ ){5,}_?\s*$|^\s+\[ *\d+%\]\s*$",
            r"^\s*(?:Time|Duration|Start at|Finished in|Elapsed|Total time)\b[: ]+[\d:.]+ ?(?:m?s|min|sec|seconds)?(?:\s*[(,].*)?$",
            r"^PASS$|^Randomized with seed \d+|^PHPUnit [\d.]+ by |^Test project /",
            r"^\?\s+\S+\s+\[no test files\]",
            r"^\s+RUN +v\d",
            r"^\s+at .*(?:node_modules[/\\]|node:internal|\(internal/)",
            r"^(?:transforming|transforming \(\d+\).*)$|^✓ \d+ modules transformed",
            r"^Snapshots: +0 total$",
            r"^> Task :\S+(?: UP-TO-DATE| NO-SOURCE| FROM-CACHE)?$",
            r"^\s*=== (?:PAUSE|CONT|NAME) ",
            r"^\d+: (?:Test command:|Working Directory:|Test timeout computed|Environment variables:)|^test \d+$",
            r"^(?:Checking test dependency graph|UpdateCTestConfiguration|Constructing a list of tests|Done constructing|Updating test list|Added \d+ tests|Internal ctest changing)",
            r"^\s+\d+: +(?:0x[0-9a-f]+ - )?(?:<.* as )?<?(?:(?:std|core|alloc|test)::|rust_begin_unwind$|__rust\w*)",
            r"^\s+\d+: <fn\(\) -> ",
            r"^\s+at /rustc/",
        ],
    ),
    ("WARNINGS", &[r"^=+ warnings summary"]),
    // Headings that add nothing to the text below them.
    ("HEADING", &[r"^=+ (?:FAILURES|ERRORS|short test summary info) =+$|^-- Docs: https://docs\.pytest\.org"]),
    // A row of test marks with failures.
    ("MARKED", &[r"^(?:\S+\.py )?[.sxXFERP]*[FE][.sxXFERP]*(?:\s+\[ *\d+%\])\s*$"]),
    // A failed test, reported while others run; its output comes later.
    (
        "TOLD_LATER",
        &[
            r"^\S+::.* (?:FAILED|ERROR)(?:\s+\[ *\d+%\])\s*$|^\[gw\d+\]\s+\[ *\d+%\] (?:FAILED|ERROR) \S+::|^test\S* \(.*\) \.\.\. (?:FAIL|ERROR)$",
        ],
    ),
    (
        "SUMMARY",
        &[
            r"^test result: ",
            r"^\s+Summary \[",
            r"^=+ .*(?:passed|failed|error|skipped|no tests ran).* =+$",
            r"^\d+ (?:passed|failed|examples?)\b",
            r"^(?:ok|FAIL)\s+\S+\s",
            r"^\s*(?:Tests|Test Files|Test Suites):?\s",
            r"^(?:OK|FAILED)(?: \(.*\))?$",
            r"^\s+\d+ passing",
            r"^\[INFO\] Tests run:|^Passed!|^Total tests:|^# pass ",
            r"^\d+% tests passed",
        ],
    ),
    ("NESTED", &[r"^ +(?:stdout|stderr|output) ─{3,}"]),
    // Lines of the test runner inside nextest about its single test.
    (
        "INNER",
        &[
            r"^ +(?:running 1 test|failures:|test \S+ \.\.\. FAILED|test result: FAILED\. 0 passed; 1 failed; .*|note: .*`RUST_BACKTRACE.*)$",
        ],
    ),
    ("PANIC", &[r"^thread '.*' (?:\(\d+\) )?(?:panicked at|has overflowed)|^Error: "]),
    ("PYTHON", &[r"^_{3,} .+ _{3,}$"]),
    ("SAYS", &[r"^>|^E +\S|^\S+\.py:\d+:|^\[XPASS|^[A-Z]+ +\S+:\S+:\d+"]),
    // A library frame, as pytest prints it.
    (
        "LIBRARY_PLACE",
        &[r"^(?:<frozen [\w.]+>|\S*(?:site-packages|dist-packages|lib/python[\d.]+)/\S+\.py):\d+: in \S+$"],
    ),
    // Advice that pytest prints under a difference.
    (
        "HINT",
        &[
            r"^(?:E +| {2,})(?:Omitting \d+ identical items, use -vv to show|Use -v+ to get (?:more|the full) diff|For further information visit https?://\S+)$|^Hint: make sure your test modules/packages have valid Python names\.$",
        ],
    ),
    (
        "SOURCE",
        &[concat!(
            r"^ {4,}(?:(?:raise|assert|def|class|return|import|from|with|for|while|try|if|elif|else|async|await|yield|del|pass)\b|",
            r"except[ :]|@|#|[\w.]+\(|[\w.]+(?:\[.*\])? (?:[-+*/|]?=|==) |[\])}]+$)"
        )],
    ),
    // Stack traces. A frame on one line.
    (
        "FRAME",
        &[concat!(
            r#"^\s+at (?:async |new |Object\.|eval )?\S.*$|^\s+at <?[\w.$<>/\\]+\(|^  File ".*", line \d+(?:,? in .*)?$|"#,
            r"^(?:\s+from )?\S+:\d+:in [`']|^\t/\S+\.go:\d+|^\s+\d+: +(?:0x[0-9a-f]+ - )?<?\w[\w:<> ]*::\w|",
            r"^\s+\d+: +(?:0x[0-9a-f]+ - )?(?:<.* as .*>::\w|(?:main|_start|start_thread|clone3?|rust_begin_unwind|__rust\w*|__libc_start\w*)$)|",
            r"^\s+(?:async )?[\w.<>#$]+(?: \[as \w+\])? \((?:node:|file:)\S+:\d+:\d+\)$|^\s+(?:node:|file:)\S+:\d+:\d+$|",
            r"^\s+#\d+ (?:0x[0-9a-f]+ |\S.* \(\S+\+0x[0-9a-f]+\)$)|^==\d+== +(?:at|by) 0x|^(?:runtime|testing|sync|reflect|net/http|database/sql|encoding/json|os|syscall|internal/\w+)\.[\w.()*]+\(.*\)$|",
            r"^created by (?:testing|runtime)\.|^\s+\.\.\. \d+ more$|^#\d+ (?:/|\[internal function\])\S*\(\d+\): |^#\d+ \{main\}$|",
            r"^\t\S+:\d+: in |^\t\[C\]: (?:in|\?)|^\s+❯ (?:\S+ )?\S+:\d+:\d+$",
        )],
    ),
    // A frame of a library or of the runtime.
    (
        "LIBRARY",
        &[concat!(
            r#"^  File "(?:<frozen |.*[/\\](?:site-packages|dist-packages|lib[/\\]python[\d.]+|importlib)[/\\])|"#,
            r"^\s+at .*(?:node_modules[/\\]|node:|<Jasmine>$|\(?ext:\w+/|\(internal[/\\]|<anonymous>\)?$|-wrapper:\d|\(native\)|webpack[/\\]bootstrap)|",
            r"^\s+at (?:[\w.]+@[\w.]+/|[\w.]+/)?(?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|org\.(?:junit|gradle|apache|codehaus|springframework|hibernate|eclipse|mockito|testng|jboss|jetbrains|scalatest|assertj|hamcrest)|io\.(?:netty|grpc|micrometer)|reactor|com\.(?:google\.common|fasterxml|zaxxer|mysql|intellij))[./]|",
            r"^\s+at (?:System|Microsoft|Xunit|NUnit|MSTest)\.|^(?:\s+from )?(?:<internal:|\S*/(?:gems|lib/ruby|ruby/\d|rubygems)[^:]*:\d+:in )|",
            r"^(?:\t| {6})(?:/usr/local/go/src|\S*/go/pkg/mod|\S*/sdk/go[\d.]*/src|/usr/lib/go[^/]*/src|/usr/share/go[^/]*/src)/|",
            r"^\s+\d+: +(?:0x[0-9a-f]+ - )?(?:<.* as )?<?(?:std|core|alloc|test|tokio|futures_util)::|",
            r"^\s+\d+: +(?:0x[0-9a-f]+ - )?(?:rust_begin_unwind|__rust\w*(?:::\w+)*|main|_start|start_thread|__libc_start\w*|clone3?)$|",
            r"^\s+at (?:/rustc/|\S*/\.cargo/registry/src/)|^\s+(?:async )?[\w.<>#$]+(?: \[as \w+\])? \(node:|^\s+node:\S+:\d+:\d+$|",
            r"^\s+#\d+ 0x[0-9a-f]+ .*(?:libsanitizer|libasan|libubsan|/sysdeps/|/csu/|_start\b|libc\.so|ld-linux)|",
            r"^\s+#\d+ .*(?:libsanitizer/|/include/c\+\+/|<null> \(lib)|",
            r"^(?:runtime|testing|sync|reflect|net/http|database/sql|encoding/json|os|syscall|internal/\w+)\.[\w.()*]+\(.*\)$|",
            r"^(?:\t| {6})\S*/go/src/\S+\.go:\d|^==\d+== +(?:at|by) 0x[0-9A-F]+: .*\((?:in /(?:usr|lib|opt)|vg_replace_)|",
            r"^\s+❯ .*(?:node:internal|node_modules)[/\\]|",
            r"^created by (?:testing|runtime)\.|^\s+\.\.\. \d+ more$|^#\d+ (?:/\S*/vendor/|\[internal function\]|\{main\})|^\t\[C\]: ",
        )],
    ),
    // Progress displays (a percentage with a bar, a speed or a remaining time), and links.
    (
        "PROGRESS",
        &[
            r"\d% *[|\[(]? *(?:[#=>█▉▊▋▌▍▎▏■▓▒░━─╸╺]){4}|(?:[#=>█▉▊▋▌▍▎▏■▓▒░━─╸╺]){4}[|\] ]* *\d{1,3}(?:\.\d+)?%",
            r"^ *\|[■#=█ ]*\| *\d{1,3}% of ",
            r"^\s+[\d,.]+[kKMG]? +\d{1,3}% +[\d.]+[kMG]?B/s +\d+:\d\d:\d\d",
            r"^\s*[⠁-⣿]+(?: |$)",
            r"^\s*\d+/\d+ [\w ]*\b\d{1,3}% (?:done|complete)\.?$",
            r"^[A-Z]\w+ [\d.]+ ?\w* of [\d.]+ ?\w* \(\d{1,3}(?:\.\d+)?%\), [\d.]+ ?\w+/s(?:ec)?$|\s\d{1,3}% [█▉▊▋▌▍▎▏]+\s*$",
            r#"^[A-Za-z][a-z]+ing [^:=(){}\[\]'"]*(?:\[[\w ]+\])?(?:\.\.\.|…)(?: ?(?:\[ *\d+%\] \S+|(?:[\w-]+ )?[Dd]one|ok|OK|yes|finished))?\.? *$"#,
            r"^ +(?:Building|Built) \S+ @ \S+$|^Resolving dependencies$|^Resolved, downloaded and extracted \[\d+\]$",
            r"^(?: +|\* )[A-Z][a-z]+ing [\w ]+ ?\.\.\.$|^ +(?:✓ )?Generating static pages \(\d+/\d+\) *$",
            r"^(?:Using (?:CPython|Python|PyPy) \d[\d.]+ |Creating virtual ?env(?:ironment)? |Activate with: )|^(?:Resolved|Prepared|Audited) \d+ packages? in [\d.]+m?s$",
            // Links to documentation.
            r"^For more information:$|^\s+https?://\S+ -- \S",
            r"^\s*(?:= )?(?:(?:help|note|hint): )?(?:More [Ii]nfo|[Ss]ee |[Dd]ocs?|Documentation|For (?:more|further) |(?:Learn|Read) more)[^:]*:? ?\(?https?://\S+\s*$",
        ],
    ),
    // A log line: it begins with a time or a level, or is JSON that does.
    (
        "LOG_LINE",
        &[
            r"^\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|^\[?\d\d:\d\d:\d\d\b|^\[ *\d+\.\d+\] ",
            r"^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |^[IWEF]\d{4} \d\d:\d\d:|^\S+ \S+ \S+ \[\d\d/[A-Z][a-z]{2}/\d{4}:",
            r"^(?:time|ts|level|lvl)=\S",
            r"^(?:\d+ )?\[?(?:TRACE|DEBUG|INFO|VERBOSE|trace|debug|info|verbose)\d?\b[\]:| ]",
            r#"^\{ ?"(?:ts|time|timestamp|@timestamp|level|lvl|severity|date|datetime)": ?["\d]"#,
        ],
    ),
    // A step of work: a share of the whole, or work on a numbered thing.
    (
        "STEP",
        &[
            r"^\s*[\[(] ?\d+ ?/ ?\d+ ?[\])]:? \S|^\s*(?:\[ ?)?\d{1,3}(?:\.\d+)?% ?\]? \S",
            r"^\s*(?:Epoch|Step|Iteration|Iter|Batch|Round|Chunk|Part|Page|epoch|step|iteration|iter|batch)\b\W{0,3}\d+",
            concat!(
                r"^\s*(?:[=-]+> |[*>] )?(?:[Cc]opying|[Cc]ompiling|[Bb]uilding|[Ii]nstalling|[Dd]ownloading|[Dd]eploying|[Ff]etching|",
                r"[Ll]oading|[Pp]rocessing|[Cc]hecking|[Ss]canning|[Aa]naly[sz]ing|[Ee]xtracting|[Uu]npacking|[Ll]inking|",
                r"[Gg]enerating|[Vv]erifying|[Uu]ploading|[Tt]ransferring|[Rr]eading|[Ii]ndexing|[Pp]arsing|[Tt]ransforming|",
                r"[Bb]undling|[Oo]ptimi[sz]ing|[Rr]endering|[Ss]ending|[Rr]eceiving|[Pp]ulling|[Pp]ushing|[Ss]yncing|[Vv]alidating|",
                r"[Rr]unning|[Ss]tarting|[Ww]aiting|[Rr]estarting|[Mm]igrating|[Ii]mporting|[Dd]umping|[Cc]onverting|[Pp]reparing) \S",
            ),
        ],
    ),
    // Where to get help: `Try `x --help` for more information.`
    (
        "HELP",
        &[
            r#"^\s*(?:[\w./-]+: )?(?:(?:For|To get) [a-z ]+, )?(?:[Tt]ry|[Rr]un|[Uu]se|[Ss]ee|[Tt]ype) [^:;=]*(?:--help|['`\" ]-h\b|\bhelp )[^:;=]*$"#,
        ],
    ),
    // Advice, which counts as such only if it names nothing specific.
    (
        "ADVICE",
        &[
            r"^[\s=|│•*iℹ-]*(?:[Hh]elp|HINT|[Hh]int|[Tt]ip|[Ss]uggestion|(?:[Ss]afe|[Uu]nsafe|[Ss]uggested) fix): \S",
            r"^\s*(?:You (?:can|may|might) |If (?:you|this|that) |This (?:might|may) |Consider |Make sure )[^:]*\.$",
        ],
    ),
    // Fixed text that a tool prints in every run.
    (
        "BOILERPLATE",
        &[
            r"^Shadow byte(?:s around the buggy address| legend)|^(?:  |=>)0x[0-9a-f]{6,}: (?:[\[ ]?[0-9a-f]{2}[\] ]?){8,}$",
            r"^  (?:Addressable|Partially addressable|Heap left redzone|Freed heap region|Stack (?:left|mid|right) redzone|Stack after return|Stack use after scope|Global redzone|Global init order|Poisoned by user|Container overflow|Array cookie|Intra object redzone|ASan internal|(?:Left|Right) alloca redzone|Shadow gap): +[0-9a-f ]+$",
            r"^==\d+== (?:Copyright \(C\)|Using Valgrind|Memcheck, a memory|For lists of detected|Rerun with|For counts of detected|Use --track)",
            r"^==\d+== *$",
            r"^For more information about this error, try `rustc|^note: (?:run with `RUST_BACKTRACE|Some details are omitted, run with)",
            r"^\* Try:$|^(?:> )?Run with --(?:stacktrace|info|debug|scan)\b|^(?:\*|>) Get more help at ",
            r"^npm (?:error|ERR!) A complete log of this run|^Node\.js v\d+\.\d+\.\d+$",
            r"^npm (?:error|ERR!) *(?:404 *)?$|^npm (?:error|ERR!) \S*/_logs/\S+$|^\[(?:INFO|ERROR)\] *$",
            // Fields that node prints for every assertion.
            r"^\s+(?:generatedMessage: (?:true|false)|code: 'ERR_ASSERTION'|operator: '\w+'|diff: 'simple'),?$",
            r"^(?:# |ℹ )(?:(?:suites|cancelled|skipped|todo) 0|duration_ms [\d.]+)$|^\s+code: 'ERR_TEST_FAILURE'$|^\s+failureType: '(?:subtestsFailed|testCodeFailure)'$",
            // The call that raised a warning, which is shown above.
            r"^\s+warnings\.warn\(",
            r"^\(Use `node --trace-[a-z-]+ \.\.\.` to show where ",
            r"^TAP version 1\d$|^Run options: .*--seed \d+$|^# Running:$",
            r"^ninja: Entering directory|^INFO: (?:autodetecting backend|calculating backend command)",
            r"^Use 'stats\.errorDetails|^help: view all installed commands with `",
            r"^\s*(?:compilation terminated\.|\[end of output\]|[Ss]tack (?:backtrace|trace|traceback):)$",
            // npm's lines about a script that the user ran. A script that npm runs by itself, such
            // as `postinstall`, is news.
            r"^> [\w@/.-]+@\d[\w.+-]* (?:build|check|dev|format|lint|start|test|type-?check)(?:[:-][\w:.-]+)?$",
            r"^==\d+== +[a-z ]+: 0 bytes in 0 blocks$",
            // rustc's notes on a lint or a macro, not on the finding.
            r"^\s*= note: `#\[\w+\([\w:]+\)\]` (?:\(part of `#\[\w+\([\w:]+\)\]`\) )?(?:on by default|implied by `.*)$",
            r"^\s*= note: (?:in this macro invocation$|this \w+ originates in the (?:\w+ )?macro )",
            // Copyright lines, and ends of a part of a run.
            r"^Copyright \([Cc]\) \d{4}|^License (?:GPL|LGPL|AGPL|MIT|BSD)|^This is free software[:;]|^There is NO WARRANTY\b|^This program comes with ABSOLUTELY NO WARRANTY",
            r"^(?:##\[endgroup\]|::endgroup::)$",
            // The frame of an HTML page, and of an explanation.
            r#"^\s*(?:<!DOCTYPE [hH][tT][mM][lL][^>]*>|</?(?:html|head|body|center)(?: lang="[\w-]+")?>|<meta (?:charset=[^>]*|http-equiv="Content-Type"[^>]*)/?>)\s*$"#,
            r"^\s+where [\w,]+ (?:is a type-variable|are type-variables):$|^\s+\w+ extends [\w.<>,? ]+ declared in (?:class|interface|method|record) |^\s+\(compared using (?:==|eql\?|equal\?)\)$",
            // How to see more or less detail.
            r"^(?:E +| +)(?:Use -v+ to get more diff|Omitting \d+ identical items, use -vv to show|Skipping \d+ identical (?:leading|trailing) characters in diff, use -v to show)$",
            r"^This warning is for project developers\.  Use -Wno-|^info Visit https://\S+ for documentation about this command\.$",
            r"^\s*(?:If this is a long-running test, pass a timeout value|Add a timeout value to this test to increase the timeout|Use jest\.setTimeout\(newTimeout\) to increase)",
            r#"^This error originated in "[^"]+" test file\. It doesn't mean |^This might cause false positive tests\. "#,
            // What a client asks or advises after any failure.
            r"^\s+Is the server running (?:on that host|locally) and accepting |^As a reminder, you're using offline mode \(--offline\) which can",
            r"^\s*hint: If you want to add the package regardless of the failed resolution, ",
            r"^METRICS: Using configs from the Registry|^To disable Registry rule metrics, use |^Using configs only from local files \(like ",
            r"^  requireStack: \[.*\]$|^  code: 'MODULE_NOT_FOUND',$|^   0: <unknown>$|^(?:Oh no! 💥 💔 💥|All done! ✨ 🍰 ✨)$",
            r"^bun (?:add|build|install|remove|run|test) v\d\S* \(\w+\)$|^[○●ƒλ] +\((?:Static|SSG|ISR|Dynamic)\) +\w",
            // Lines that setuptools prints for every package.
            r"^\s*running (?:bdist_wheel|build(?:_\w+)?|egg_info|install(?:_\w+)?|sdist|check|develop|dist_info|editable_wheel)$",
            r"^\s*(?:reading|writing) (?:manifest (?:file|template) |top-level names to |requirements to |dependency_links to |entry points to |\S+\.egg-info/)",
            r"^\s*(?:copying \S+ -> |creating )(?:\S*/)?(?:build/|\S+\.egg-info)\S*$|^\s*installing to build/|^\s*removing (?:'?build/)|^\s*Copying \S+\.egg-info to ",
            // Places in which a bundler did not find a file.
            r"^ {2,}(?:using description file: \S+ \(relative path: \S+\)|Field '\w+' doesn't contain a valid alias configuration|no extension|as directory|\.\w+)$",
            r"^ {2,}(?:(?:resolve as module|existing directory .*|looking for modules in \S+|aliased from .* with mapping .*|Failed to alias from .*)|/\S+ (?:doesn't exist(?: or is not a directory)?|is not a (?:file|directory)))$",
            r#"^\s*You can mark the path "[^"]+" as external to exclude it from the bundle"#,
        ],
    ),
    // A failure of jest or vitest, under which its source is shown.
    ("JS_FAILURE", &[r"^\s*● ", r"^ FAIL  \S", r"^ ❯ \S"]),
    // A line of that source, and the marks under it.
    ("JS_SOURCE", &[r"^ {2,}\d+ ?\|(?: |$)", r"^ +\| +[\^~]+\s*$"]),
    // Findings of compilers and linters.
    ("HEADER", &[r"^(?:warning|error|note|fatal error|unformatted)(?:\[\w+\])?: |^[A-Z]{1,5}\d{2,4}(?: \[\*\])? \S"]),
    // Lines that may follow the header of a finding; a blank line is part of it only inside ruff's.
    ("BLOCK", &[r"^ *(?:-->|:::|\||=|\.\.\.|\d+ +(?:[|+~-]|/)|\d+ *\|)|^(?:help|note): |^\s+[|^~]|^ {6,}\S|^ +[-+] "]),
    ("GUTTER", &[r"^ *(?:\.\.\.|\d+)? *\|"]),
    // Lines that are the same under every error: links, and empty frame lines.
    (
        "FILLER",
        &[
            r"^\s*\|\s*$",
            r"^[\s|=]*(?:help: |note: )?(?:for further information visit|For more information about|(?:\w+ )?errors have detailed explanations)",
        ],
    ),
    // Compilers' messages. Text that every message has.
    (
        "HEAD",
        &[
            r"^(?:\[\w+\] )?\S[^:]*:(?:\[?\d+[,:]?\d*\]?:)? ?(?:\d+: )?(?:fatal )?(?:error|warning|note|remark)(?:\[[\w.-]+\])?: ",
        ],
    ),
    ("ERROR_HEAD", &[r"^(?:\[\w+\] )?\S[^:]*:(?:\[?\d+[,:]?\d*\]?:)? ?(?:\d+: )?(?:fatal )?error(?:\[[\w.-]+\])?: "]),
    ("MESSAGE", &[r"(?i:error|warning|note|remark)"]),
    ("WARNING", &[r"^\S.*[:)] (?:warning|note|remark)(?:\[\w+\])?: |^(?:warning|note): "]),
    ("OTHER", &[r"(?i)\berror\b"]),
    ("SNIPPET", &[r"^ *\d* \| ?|^\s*[~^]+[\s~^]*$"]),
    // Marks under source without words.
    ("MARKS", &[r"^ *\| *[~^ |+-]*(?:[;,(){}\[\]<>*&.]{1,3})?$|^\s*[~^][\s~^]*$"]),
    // A place as a heading, and lines that are the same under every error.
    (
        "CONTEXT",
        &[concat!(
            r"^\S+: (?:In (?:member |static member |lambda )?(?:function|constructor|destructor|instantiation)\b.*|At global scope|At top level):$|",
            r"^\S*ld(?:\.\w+)?: \S+: in function `.*':$|",
            r"note: each undeclared identifier is reported only once|^compilation terminated\.$"
        )],
    ),
];
