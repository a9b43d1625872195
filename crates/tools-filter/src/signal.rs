//! Which lines report something that must not be lost: failures, warnings and where they are.
//!
//! Judges single lines by words and shapes that tools agree on. It would rather take a harmless line for a failure than
//! the other way round; what is known to be harmless is listed in [`HARMLESS`].

use crate::lines::Shape;

/// Words and shapes one of which every report has. Digits do not matter to it, so that a log's template can be asked.
static CANDIDATE: Shape = Shape::new(|| {
    format!(r"(?i:{WORDS}|warn|deprecat|vulnerab|\bnotice\b)|{MARKS}|{LOCATION}|\b[1-9]\d* (?:failing|errors?)")
});

const WORDS: &str = concat!(
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
static HARMLESS: Shape = Shape::new(|| HARMLESS_SHAPES.join("|"));

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

/// Whether a line begins with a place in a source, as a compiler's message does.
pub(crate) fn names_place(line: &str) -> bool {
    static PLACE: Shape = Shape::new(|| LOCATION.to_owned());
    PLACE.is_match(line)
}

/// Whether a line with these words may report something, whatever the numbers in it are.
pub(crate) fn may_report(line: &str) -> bool {
    CANDIDATE.is_match(line)
}

/// Whether a line reports something that must be kept.
pub(crate) fn reports(line: &str) -> bool {
    if !may_report(line) || HARMLESS.is_match(line) {
        return false;
    }
    match without_counts_of_nothing(line) {
        None => true,
        Some(rest) => may_report(&rest),
    }
}

const THINGS: &[&str] = &[
    "error",
    "errors",
    "failure",
    "failures",
    "failed",
    "failing",
    "fail",
    "warning",
    "warnings",
    "problem",
    "problems",
    "conflict",
    "conflicts",
    "issue",
    "issues",
    "vulnerability",
    "vulnerabilities",
    "exception",
    "exceptions",
    "killed",
];
/// What may stand before its number: `errors: 0`.
const COUNTED: &[&str] = &["error", "errors", "failed", "failure", "failures", "warning", "warnings", "fail"];

/// The line without `0 errors`, `no warnings`, `failures: 0`, `exit code 0`; `None` when it has none of these.
fn without_counts_of_nothing(line: &str) -> Option<String> {
    let words = words(line);
    let word = |at: usize| words.get(at).map_or("", |(start, end)| &line[*start..*end]);
    let among = |at: usize, list: &[&str]| list.iter().any(|one| word(at).eq_ignore_ascii_case(one));
    let blank = |at: usize| words.get(at + 1).is_some_and(|next| line[words[at].1..next.0] == *" ");
    let mut rest = String::new();
    let (mut copied, mut at) = (0, 0);
    while at < words.len() {
        let span = if among(at, &["0", "no", "zero"]) && blank(at) && among(at + 1, THINGS) {
            Some((at, at + 1))
        } else if among(at, &["0", "no", "zero"]) && blank(at) && blank(at + 1) && among(at + 2, THINGS) {
            Some((at, at + 2))
        } else {
            let length = if among(at, COUNTED) {
                1
            } else if among(at, &["exit", "exited"]) && among(at + 1, &["code", "status"]) {
                2
            } else if among(at, &["exit", "exited"]) && among(at + 1, &["with"]) {
                if among(at + 2, &["code", "status"]) { 3 } else { 2 }
            } else {
                0
            };
            (length > 0 && is_zero(line, &words, at + length)).then_some((at, at + length))
        };
        match span {
            Some((first, last)) => {
                rest.push_str(&line[copied..words[first].0]);
                copied = words[last].1;
                at = last + 1;
            }
            None => at += 1,
        }
    }
    if copied == 0 {
        return None;
    }
    rest.push_str(&line[copied..]);
    Some(rest)
}

/// Whether the word is `0` and what stands before it only joins it to the one before.
fn is_zero(line: &str, words: &[(usize, usize)], at: usize) -> bool {
    let (Some(before), Some((start, end))) = (words.get(at.wrapping_sub(1)), words.get(at)) else { return false };
    let between = line[before.1..*start].trim_start_matches(['"', '\'']).replace(' ', "");
    &line[*start..*end] == "0" && matches!(between.as_str(), "" | ":" | "=")
}

/// Where the words of a line begin and end.
fn words(line: &str) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, byte) in line.bytes().chain([b' ']).enumerate() {
        match (byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80, start) {
            (true, None) => start = Some(at),
            (false, Some(first)) => {
                words.push((first, at));
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// Whether a line reports a failure: an error, a panic, a failed test, a conflict, a place where something is wrong.
pub fn reports_failure(line: &str) -> bool {
    static FAILURE: Shape = Shape::new(|| format!("(?i:{WORDS})|{MARKS}|{LOCATION}"));
    reports(line) && FAILURE.is_match(without_counts_of_nothing(line).as_deref().unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_told_from_work() {
        let table = [
            ("error[E0432]: unresolved import `serde`", true),
            ("  --> src/store.rs:2:5", true),
            ("thread 'a' panicked at src/a.rs:1:2:", true),
            ("assertion `left == right` failed", true),
            ("test a::b ... FAILED", true),
            ("test result: FAILED. 21 passed; 8 failed; 1 ignored", true),
            ("E       ValueError: only 3 of bolt left", true),
            ("CONFLICT (content): Merge conflict in README.md", true),
            ("make: *** [Makefile:3: app] Error 1", true),
            ("gcc: error: no input files", true),
            ("java.io.IOException: No space left on device", true),
            ("Segmentation fault (core dumped)", true),
            ("  × Build failed in 93ms", true),
            ("src/a.ts(3,5): something", true),
            ("process exited with code 78", true),
            ("\"GET /x HTTP/1.1\" 503 -", true),
            ("Compiling foo: error: bad", true),
            ("x.c:3:1: warning: unused", true),
            ("warning: unused variable: `x`", true),
            ("npm warn deprecated a@1", true),
            ("   Compiling thiserror v1.0.3", false),
            ("test parse::error_is_reported ... ok", false),
            ("tests/test_errors.py::test_failure PASSED    [ 12%]", false),
            ("tests/test_errors.py ....s.                  [ 12%]", false),
            ("  ✓ throws an error (3 ms)", false),
            ("gcc -Wall -Werror -c error.c -o build/error.o", false),
            ("test result: ok. 3 passed; 0 failed; 0 ignored", false),
            ("0 errors, 0 warnings", false),
            ("exit code 0", false),
            ("found 0 vulnerabilities", false),
            ("Failures: 0, Errors: 1", true),
            ("\"errors\": 0", false),
            ("10 errors", true),
            ("no tests failed, but an error", true),
            ("exited with code 0", false),
            ("exit status=0", false),
            ("Everything is fine", false),
            ("", false),
        ];
        for (line, expected) in table {
            assert_eq!(reports(line), expected, "{line}");
        }
    }
}
