//! The short summary of pytest, a line for each failed test. A line is counted if the test's
//! failure was shown above with the same message.

use std::collections::{HashMap, HashSet};

use crate::emit::Emitter;

/// Maximum bytes of remembered messages.
const MAX_BYTES: usize = 512 << 10;

/// The failure messages of each test.
#[derive(Default)]
pub(super) struct FailureMessages {
    /// The test whose failure is being read.
    test: String,
    by_test: HashMap<String, Vec<String>>,
    /// Tests that a ruler or a summary line names.
    named: HashSet<String>,
    bytes: usize,
    /// The test whose message continues below its summary line.
    open: Option<String>,
}

/// The test in the title of a ruler: `____ ERROR at setup of test_db ____`.
fn titled(ruler: &str) -> &str {
    let title = ruler.trim_matches(['_', ' ']);
    title.strip_prefix("ERROR at ").and_then(|rest| rest.split_once(" of ")).map_or(title, |(_, test)| test)
}

/// A test's name in rulers: `tests/test_a.py::TestB::test_c` → `TestB.test_c`.
fn as_titled(node: &str) -> Option<String> {
    node.split_once("::").map(|(_, test)| test.replace("::", "."))
}

fn is_entry(line: &str) -> bool {
    ["FAILED ", "ERROR ", "SKIPPED ", "XFAIL ", "XPASS "].iter().any(|word| line.starts_with(word))
}

impl FailureMessages {
    /// Processes the ruler above a test's failure.
    pub(super) fn begin(&mut self, ruler: &str) {
        titled(ruler).clone_into(&mut self.test);
        self.note(ruler.len(), self.test.clone());
    }

    fn note(&mut self, bytes: usize, test: String) {
        self.bytes += bytes;
        if self.bytes < MAX_BYTES {
            self.named.insert(test);
        }
    }

    /// Adds a marked line of the failure.
    pub(super) fn add(&mut self, line: &str) {
        let Some(text) = line.strip_prefix('E') else { return };
        self.bytes += text.len();
        if self.bytes < MAX_BYTES && !self.test.is_empty() {
            self.by_test.entry(self.test.clone()).or_default().push(text.trim().to_owned());
        }
    }

    /// Whether the test in a progress line is named elsewhere, by a ruler or in the summary. A row
    /// of marks names no test.
    pub(super) fn names(&self, line: &str) -> bool {
        if let Some((test, _)) = line.split_once(" ... ") {
            return self.named.contains(test);
        }
        let Some((file, rest)) = line.split_once("::") else { return true };
        let file = file.rsplit(' ').next().unwrap_or_default();
        let rest = [" FAILED", " ERROR"].iter().find_map(|word| rest.rsplit_once(word)).map_or(rest, |(test, _)| test);
        let test = rest.trim_end();
        self.named.contains(&test.replace("::", ".")) || self.named.contains(&format!("{file}::{test}"))
    }

    /// Counts a summary line, or a line of its message, that repeats what was shown. `false` for
    /// any other line.
    pub(super) fn take(&mut self, line: &str, out: &mut Emitter<'_>) -> bool {
        if let Some(test) = &self.open {
            let is_said = !is_entry(line) && !line.starts_with('=') && line.starts_with(' ');
            if is_said && self.by_test.get(test).is_some_and(|said| said.iter().any(|said| said == line.trim())) {
                out.fold(line);
                return true;
            }
            if !line.starts_with(' ') {
                self.open = None;
            }
        }
        if let Some(test) = ["FAIL: ", "ERROR: "].iter().find_map(|word| line.strip_prefix(word)) {
            // The name as unittest prints it.
            self.note(line.len(), test.trim_end().to_owned());
        }
        let Some(node) = ["FAILED ", "ERROR "].iter().find_map(|word| line.strip_prefix(word)) else { return false };
        let test = node.split_once(" - ").map_or(node, |(test, _)| test);
        self.note(line.len(), test.trim_end().to_owned());
        if as_titled(node.trim_end()).is_some_and(|test| self.by_test.contains_key(&test)) {
            out.omit(line);
            return true;
        }
        // A parameter may contain a dash.
        for (at, _) in node.match_indices(" - ") {
            let Some(test) = as_titled(&node[..at]) else { continue };
            let message = node[at + 3..].trim_end();
            let begins = message.strip_suffix("...").unwrap_or(message);
            let Some(said) = self.by_test.get(&test) else { continue };
            if said.iter().any(|said| said.starts_with(begins)) {
                out.omit(line);
                self.open = Some(test);
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{Exit, FilterPipeline};

    fn filtered(text: &str) -> String {
        FilterPipeline::builtin().filter("pytest", Exit::Code(1), text.as_bytes()).text
    }

    const RUN: &str = "\
=================================== FAILURES ===================================
________________________________ TestA.test_b[1 - 2] ____________________________
E       AssertionError: assert {'a': 1} == {'a': 2}
E         {'a': 1} != {'a': 2}
tests/test_a.py:9: AssertionError
_________________________________ test_long __________________________________
E   ValueError: a message that is cut in the summary
tests/test_a.py:12: ValueError
=========================== short test summary info ============================
";

    #[test]
    fn a_message_that_stood_above_is_not_told_again() {
        let text = format!(
            "{RUN}FAILED tests/test_a.py::TestA::test_b[1 - 2] - AssertionError: assert {{'a': 1}} == {{'a': 2}}\n  \
             {{'a': 1}} != {{'a': 2}}\n  another line of it\nFAILED tests/test_a.py::test_long - ValueError: a message that is...\n\
             FAILED tests/test_a.py::test_other - OSError: never told before\n========= 3 failed in 0.12s =========\n"
        );
        let shown = filtered(&text);
        let summary = shown.split_once("ValueError\n").map_or("", |(_, summary)| summary);
        assert_eq!(
            summary,
            "[… 1 line]\n  another line of it\n[… 1]\nFAILED tests/test_a.py::test_other - OSError: never told before\n=== 3 failed in 0.12s ===\n",
            "{shown}"
        );
    }

    #[test]
    fn frames_of_libraries_are_counted() {
        let text = "\
______________________ ERROR collecting tests/test_a.py ______________________
../v/lib/python3.11/site-packages/_pytest/python.py:528: in importtestmodule
    mod = import_path(
<frozen importlib._bootstrap>:1204: in _gcd_import
    ???
tests/test_a.py:1: in <module>
    from shop.missing import thing
E   ModuleNotFoundError: No module named 'shop.missing'
=========================== short test summary info ============================
ERROR tests/test_a.py
=============================== 1 error in 5.23s ===============================
";
        assert_eq!(
            filtered(text),
            "___ ERROR collecting tests/test_a.py ___\n[… 4 lines]\ntests/test_a.py:1: in <module>\n    from shop.missing import thing\n\
             E ModuleNotFoundError: No module named 'shop.missing'\nERROR tests/test_a.py\n=== 1 error in 5.23s ===\n"
        );
    }

    #[test]
    fn a_test_that_is_named_nowhere_else_stands() {
        let text = "a.py::test_b FAILED    [ 50%]\na.py::test_c PASSED    [100%]\n============ 1 failed, 1 passed in 0.1s ============\n";
        assert!(filtered(text).contains("a.py::test_b FAILED"), "{}", filtered(text));
    }

    proptest! {
        /// Whatever the summary says stands somewhere in the result.
        #[test]
        fn nothing_of_a_summary_is_lost(said in "[a-c ]{0,12}", told in "[a-c ]{1,12}", test in "test_[a-c]{1,2}") {
            let told = told.trim();
            prop_assume!(!told.is_empty());
            let text = format!(
                "____ test_a ____\nE   KeyError: {said}\nt.py:1: KeyError\n=== short test summary info ===\nFAILED t.py::{test} - KeyError: {told}\n=== 1 failed in 1s ===\n"
            );
            let shown = filtered(&text);
            prop_assert!(shown.contains(&format!("KeyError: {told}")), "{shown}");
            prop_assert!(test == "test_a" || shown.contains(&format!("FAILED t.py::{test}")), "{shown}");
        }
    }
}
