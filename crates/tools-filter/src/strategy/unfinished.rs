//! Finds tests that were announced but never ended. After a crash, a timeout or a signal only the
//! announcement names the test at fault.

use std::collections::HashMap;

use crate::emit::Emitter;

/// Maximum number of running tests to follow; announcements of further ones are shown.
const MAX_TESTS: usize = 1000;
/// Maximum length in bytes of an announcement to hold; a longer one is shown.
const MAX_LINE: usize = 1000;

/// Running tests, each with the line that announced it.
#[derive(Default)]
pub(crate) struct UnfinishedTests {
    tests: HashMap<String, (u64, String)>,
    count: u64,
    /// Whether pytest runs several workers. Without workers the result follows in the same line or
    /// soon after.
    has_workers: bool,
}

impl UnfinishedTests {
    /// Holds a line that announces a test; it is shown only if the test does not end. `false` for
    /// any other line.
    pub(crate) fn begin(&mut self, line: &str, out: &mut Emitter<'_>) -> bool {
        self.has_workers |= line.starts_with(|c: char| c.is_ascii_digit()) && line.contains(" workers [");
        let of_worker = || self.has_workers.then(|| pytest(line)).flatten().map(|test| format!("pytest {test}"));
        let Some(test) = begun(line).or_else(of_worker) else { return false };
        if line.len() > MAX_LINE || (self.tests.len() >= MAX_TESTS && !self.tests.contains_key(&test)) {
            out.keep(line);
            return true;
        }
        self.count += 1;
        if let Some((_, before)) = self.tests.insert(test, (self.count, line.to_owned())) {
            out.fold(&before);
        }
        true
    }

    /// Processes the result in a line. Whether its test was running.
    pub(crate) fn end(&mut self, line: &str, out: &mut Emitter<'_>) -> bool {
        if self.tests.is_empty() {
            return false;
        }
        let Some((_, announced)) = ended(line).and_then(|test| self.tests.remove(&test)) else { return false };
        out.fold(&announced);
        true
    }

    /// Ends a Go package whose result is in the line. If it passed, all of its tests have ended.
    pub(crate) fn end_package(&mut self, line: &str, out: &mut Emitter<'_>) {
        let of_go = |test: &str| test.starts_with(GO);
        if line.starts_with("FAIL") {
            return self.show(of_go, out);
        }
        let passed: Vec<_> = self.tests.extract_if(|test, _| of_go(test)).collect();
        for (_, (_, announced)) in &passed {
            out.fold(announced);
        }
    }

    /// Shows all tests that did not end.
    pub(crate) fn finish(&mut self, out: &mut Emitter<'_>) {
        self.show(|_| true, out);
    }

    /// Shows the tests that did not end, in the order in which they began. If a subtest is among
    /// them, its parent is not shown.
    fn show(&mut self, wanted: impl Fn(&str) -> bool, out: &mut Emitter<'_>) {
        let mut tests: Vec<_> = self.tests.extract_if(|test, _| wanted(test)).collect();
        tests.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let has_part = |at: usize, test: &str| {
            let next = tests.get(at + 1..).unwrap_or_default();
            // Any name that sorts between `name` and `name/` begins with `name` too.
            let mut same = next.iter().map_while(|(other, _)| other.strip_prefix(test));
            same.any(|rest| rest.starts_with('/'))
        };
        let mut lines: Vec<_> =
            tests.iter().enumerate().map(|(at, (test, told))| (told.0, &told.1, has_part(at, test))).collect();
        lines.sort_unstable();
        for (_, announced, has_part) in lines {
            if has_part {
                out.fold(announced);
            } else {
                out.write(announced);
            }
        }
    }
}

/// Whether a line names a running test. Such lines are never merged, even if they differ little.
pub(crate) fn names_running(line: &str) -> bool {
    let text = line.trim_start();
    begun(line).is_some()
        || text.starts_with("RUNS ")
        || (text.starts_with("SLOW [") && text.len() < line.len())
        || (line.starts_with("test ") && line.contains(" has been running for "))
        || (line.starts_with("test") && line.trim_end().ends_with(" ..."))
        || pytest(line).is_some()
}

/// The test of a pytest line that has nothing else.
fn pytest(line: &str) -> Option<&str> {
    let test = line.trim_end();
    let (file, name) = test.split_once("::")?;
    (file.strip_suffix(".py").is_some() && !name.is_empty() && !test.contains(' ')).then_some(test)
}

const GO: &str = "go ";

/// The test that a line announces.
fn begun(line: &str) -> Option<String> {
    let text = line.trim_start();
    if let Some(name) = text.strip_prefix("=== RUN ") {
        return Some(format!("{GO}{}", name.trim()));
    }
    if let Some(class) = line.strip_prefix("[INFO] Running ") {
        return (!class.contains(' ')).then(|| format!("class {class}"));
    }
    if let Some(test) = line.strip_suffix(" STARTED") {
        return test.contains(" > ").then(|| format!("gradle {test}"));
    }
    if text.len() == line.len() {
        return None;
    }
    if let Some(test) = text.strip_prefix("Start ") {
        let number = test.trim_start().split_once(": ")?.0;
        return is_number(number).then(|| format!("# {number}"));
    }
    text.starts_with("START ").then(|| nextest(text)).flatten()
}

/// The test whose result a line tells.
fn ended(line: &str) -> Option<String> {
    // Output of the test without a line end may precede it.
    for result in ["--- PASS: ", "--- FAIL: ", "--- SKIP: "] {
        if let Some((_, name)) = line.split_once(result) {
            return Some(format!("{GO}{}", name.split(' ').next()?));
        }
    }
    let words =
        |text: &str| [" PASSED", " FAILED", " SKIPPED"].iter().find_map(|end| Some(text.strip_suffix(end)?.to_owned()));
    if line.contains(" > ")
        && let Some(test) = words(line)
    {
        return Some(format!("gradle {test}"));
    }
    if line.starts_with("[gw") {
        return line.split_whitespace().next_back().map(|test| format!("pytest {test}"));
    }
    if line.contains("Tests run: ") {
        let class = line.rsplit_once(" in ")?.1;
        return (!class.contains(' ')).then(|| format!("class {class}"));
    }
    let text = line.trim_start();
    if let Some((place, rest)) = text.split_once(" Test ") {
        let number = rest.trim_start().strip_prefix('#')?.split_once(':')?.0;
        let (at, of) = place.split_once('/')?;
        return (is_number(at) && is_number(of) && is_number(number)).then(|| format!("# {number}"));
    }
    (text.len() < line.len()).then(|| nextest(text)).flatten()
}

/// The test of `PASS [   0.010s] (1/3) demo tests::name`.
fn nextest(text: &str) -> Option<String> {
    let (_, named) = text.split_once('[')?.1.split_once("] ")?;
    let named = named.trim_start();
    let named = if named.starts_with('(') { named.split_once(") ")?.1 } else { named };
    Some(format!("nextest {}", named.trim()))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Exit, FilterPipeline};

    #[test]
    fn an_announcement_and_its_result_name_the_same_test() {
        let table = [
            ("=== RUN   TestA/sub", "    --- PASS: TestA/sub (0.00s)"),
            ("=== RUN   TestA", "printed without an end--- FAIL: TestA (0.00s)"),
            ("        Start   7: store", "  7/201 Test   #7: store ....   Passed    0.01 sec"),
            ("      Start 12: store", "12/12 Test #12: store ....***Failed    0.01 sec"),
            (
                "[INFO] Running a.b.StoreTest",
                "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in a.b.StoreTest",
            ),
            (
                "[INFO] Running a.b.StoreTest",
                "[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! -- in a.b.StoreTest",
            ),
            ("a.StoreTest > saves() STARTED", "a.StoreTest > saves() SKIPPED"),
            ("        START [         ] (1/3) demo tests::a", "        PASS [   0.010s] (1/3) demo tests::a"),
            ("        START             [         ] demo tests::a", "     TIMEOUT [  60.0s] demo tests::a"),
        ];
        for (announcement, result) in table {
            let test = begun(announcement);
            assert!(test.is_some(), "{announcement}");
            assert_eq!(test, ended(result), "{announcement} / {result}");
        }
    }

    #[test]
    fn a_test_of_a_worker_ends_with_its_result() {
        let begin = "3 workers [3 items]\na_test.py::t1 \na_test.py::t2 \n";
        let text =
            format!("{begin}[gw0] [ 33%] PASSED a_test.py::t1 \na_test.py::t3 \n[gw1] [ 66%] FAILED a_test.py::t3 \n");
        let filtered = FilterPipeline::builtin().filter("pytest -n3 -v", Exit::Code(137), text.as_bytes()).text;
        assert_eq!(filtered, "[… 2 lines]\n[gw1] [ 66%] FAILED a_test.py::t3 \na_test.py::t2 \n");
    }

    #[test]
    fn other_lines_announce_nothing() {
        for line in
            ["Start 7: store", "  Start the server: now", "[INFO] Running a program", "STARTED", "", "START [x] y"]
        {
            assert_eq!(begun(line), None, "{line}");
        }
    }
}
