//! Which lines report something that must not be lost: failures, warnings and where they are.
//!
//! Judges single lines by words and shapes that tools agree on. It would rather take a harmless line for a failure than
//! the other way round; what is known to be harmless is listed in [`HARMLESS`].

use std::sync::LazyLock;

use regex::Regex;

use crate::lines::regex;

/// What a line reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    Warning,
    Failure,
}

/// Words and shapes one of which every report has. Digits do not matter to it, so that a log's template can be asked.
static CANDIDATE: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(
        r"(?i:{FAILURE_WORDS}|warn|deprecat|vulnerab|\bnotice\b)|{MARKS}|{LOCATION}|\b[1-9]\d* (?:failing|errors?)"
    ))
});

static FAILURE: LazyLock<Regex> = LazyLock::new(|| regex(&format!(r"(?i:{FAILURE_WORDS})|{MARKS}|{LOCATION}")));

const FAILURE_WORDS: &str = concat!(
    r"error|fail|panic|fatal|exception|traceback|assert|conflict|abort|denied|refused|killed|cannot\b|can't|couldn't|",
    r"could not|unable to|not found|no such|undefined|unresolved|segmentation|segfault|core dumped|overflow|",
    r"out of memory|\boom|timed out|timeout|\bcrash|\binvalid|unexpected|exceed|reject|corrupt|mismatch|unauthorized|",
    r"forbidden|exit(?:ed)? (?:code|status|with)|not ok|unhealthy|evicted|backoff|imagepull|would be overwritten|",
    r"\bbroken|\bmissing|\bunmerged|both modified|both added|deleted by|\bleak|data race|deadlock|unreachable|",
    r"\bcritical|\bcrit\b|\bemerg|\balert\b|divergent|have diverged|\bunsatisfi|no matching|not permitted|read-only file",
);

const MARKS: &str = concat!(
    r"[✗✘✖✕×❌⨯⚠]|^E +\S|^not ok|\bSIG(?:SEGV|ABRT|KILL|BUS|ILL|FPE|TERM|TRAP)\b|signal: \d|",
    r#"(?:HTTP/[\d.]+"?|status[=: ]) ?[45]\d\d\b|\b5\d\d (?:Internal|Bad|Service|Gateway)"#
);

/// A place in a source, where compilers put it.
const LOCATION: &str = r"^\s*(?:-->\s*)?[\w./\\@+-]+\.[A-Za-z]\w{0,5}(?::\d+:\d+|:\d+:|\(\d+(?:,\d+)?\))";

/// Lines of tools at work, whatever the names of tests, packages and files in them are.
static HARMLESS: LazyLock<Regex> = LazyLock::new(|| regex(&HARMLESS_SHAPES.join("|")));

const HARMLESS_SHAPES: &[&str] = &[
    r"^\s*(?:Compiling|Checking|Downloading|Downloaded|Updating|Locking|Fresh|Building|Finished|Running|Doc-tests|Adding|Documenting|Generated|Installing|Installed|Removing|Packaging|Collecting|Obtaining|Using cached|Requirement already satisfied|Preparing|Attempting uninstall|Found existing installation|Uninstalling|Successfully|Unpacking|Setting up|Selecting previously|Processing triggers|Fetching|Pulling|Extracting|Verifying|Executable|Starting|Summary) [^:]*(?::\S[^:]*)*$",
    r"^(?:Get|Hit|Ign):\d+ ",
    r"^test .* \.\.\. (?:ok|ignored.*|bench: .*)$",
    r"^\s*(?:[✓√✔]|PASS\b|ok\s+\d|ok\s+\S+\s+[\d.]+m?s|ok\s+\S+\s+\(cached\))",
    r"^\s*(?:--- PASS:|=== (?:RUN|PAUSE|CONT|NAME)\b)",
    r"\bPASSED(?:\s+\[ *\d+%\])?\s*$",
    r"\.\.\. ok$",
    r"^\S+\.py [.s]+(?:\s+\[ *\d+%\])?\s*$",
    r"^(?:\[ *\d+%\]|\[\d+/\d+\]) +(?:Building|Built|Linking|Generating|Compiling|Scanning|Consolidate)",
    r"^\s*(?:\S*/)?(?:libtool|gcc|g\+\+|cc|c\+\+|clang|clang\+\+|[a-z0-9_]+-linux-\w+-(?:gcc|g\+\+)|javac|rustc|ar|ld|nvcc|mpicc|ccache)(?:-\d+)?:? +(?:[^:]* )?-[A-Za-z]",
    r"^\s*\d+ files? changed",
    r"^hint: (?:[^U]|U[^p])|^Could not apply [0-9a-f]{7,}\.\.\. ",
    r"\.{3,} *(?:\(.*\) *)?(?:Passed|Skipped)$",
    r"^npm (?:error|ERR!) +(?:404 +)?(?:A complete log of this run|Note that you can also install|tarball, folder, http url)",
    r"^npm (?:error|ERR!) *(?:404 *)?$",
    r"^\[ERROR\] *(?:$|To see the full stack trace|Re-run Maven|For more information about the errors|\[Help \d\] http|After correcting)",
];

/// Counts of nothing.
static NOTHING: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\b(?:0|no|zero) (?:\w+ )?(?:errors?|failures?|failed|failing|fail|warnings?|problems?|conflicts?|issues?|",
        r"vulnerabilit(?:y|ies)|exceptions?|killed)\b(?:, 0 errors)?|\b(?:errors?|failed|failures?|warnings?|fail|",
        r#"exit(?:ed)?(?: with)? (?:code|status)|exit(?:ed)? with)["']?\s*[:=]?\s*0\b(?:\.0+\b)?"#
    ))
});

/// Whether a line with these words may report something, whatever the numbers in it are.
pub(crate) fn may_report(line: &str) -> bool {
    CANDIDATE.is_match(line)
}

/// What a line reports; `None` for nothing that must be kept.
pub(crate) fn severity(line: &str) -> Option<Severity> {
    if !may_report(line) || HARMLESS.is_match(line) {
        return None;
    }
    let line = NOTHING.replace_all(line, "");
    if FAILURE.is_match(&line) {
        return Some(Severity::Failure);
    }
    may_report(&line).then_some(Severity::Warning)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_told_from_work() {
        use Severity::{Failure, Warning};
        let table = [
            ("error[E0432]: unresolved import `serde`", Some(Failure)),
            ("  --> src/store.rs:2:5", Some(Failure)),
            ("thread 'a' panicked at src/a.rs:1:2:", Some(Failure)),
            ("assertion `left == right` failed", Some(Failure)),
            ("test a::b ... FAILED", Some(Failure)),
            ("test result: FAILED. 21 passed; 8 failed; 1 ignored", Some(Failure)),
            ("E       ValueError: only 3 of bolt left", Some(Failure)),
            ("CONFLICT (content): Merge conflict in README.md", Some(Failure)),
            ("make: *** [Makefile:3: app] Error 1", Some(Failure)),
            ("gcc: error: no input files", Some(Failure)),
            ("java.io.IOException: No space left on device", Some(Failure)),
            ("Segmentation fault (core dumped)", Some(Failure)),
            ("  × Build failed in 93ms", Some(Failure)),
            ("src/a.ts(3,5): something", Some(Failure)),
            ("process exited with code 78", Some(Failure)),
            ("\"GET /x HTTP/1.1\" 503 -", Some(Failure)),
            ("Compiling foo: error: bad", Some(Failure)),
            ("x.c:3:1: warning: unused", Some(Failure)),
            ("warning: unused variable: `x`", Some(Warning)),
            ("npm warn deprecated a@1", Some(Warning)),
            ("   Compiling thiserror v1.0.3", None),
            ("test parse::error_is_reported ... ok", None),
            ("tests/test_errors.py::test_failure PASSED    [ 12%]", None),
            ("tests/test_errors.py ....s.                  [ 12%]", None),
            ("  ✓ throws an error (3 ms)", None),
            ("gcc -Wall -Werror -c error.c -o build/error.o", None),
            ("test result: ok. 3 passed; 0 failed; 0 ignored", None),
            ("0 errors, 0 warnings", None),
            ("exit code 0", None),
            ("found 0 vulnerabilities", None),
            ("Everything is fine", None),
            ("", None),
        ];
        for (line, expected) in table {
            assert_eq!(severity(line), expected, "{line}");
        }
    }
}
