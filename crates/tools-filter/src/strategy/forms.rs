//! Recognises tools by lines that only they print, so that output of a build, a script or several
//! commands is shortened by the rule of each tool. A rule applies from the first such line on.

use std::sync::Arc;

use tools_automata::Table;
use tools_core::FilterConfidence;

use super::{Facts, Reducer};
use crate::{
    Exit, FilterEvent, Rule,
    confidence::worst,
    emit::{Emitter, marked},
    stages::{Stage, end, feed},
    table::{
        FORM, FORM_APT, FORM_CARGO, FORM_COMPILER, FORM_CTEST, FORM_DOCKER, FORM_GIT, FORM_GIT_TRANSFER, FORM_GO_TEST,
        FORM_JS_BUILD, FORM_JS_TEST, FORM_JVM, FORM_MAKE, FORM_NEXTEST, FORM_NPM, FORM_PIP, FORM_PYTEST,
        FORM_RUST_TEST, FORM_TERRAFORM,
    },
};

/// Tables of lines that identify a tool, and the name of its built-in rule.
static FORMS: &[(&Table, &str)] = &[
    (&FORM_PYTEST, "pytest"),
    (&FORM_NEXTEST, "cargo-nextest"),
    (&FORM_RUST_TEST, "cargo-test"),
    (&FORM_CARGO, "cargo-build"),
    (&FORM_GO_TEST, "go-test"),
    (&FORM_JS_TEST, "js-test"),
    (&FORM_CTEST, "rspec"),
    (&FORM_GIT, "git-other"),
    (&FORM_GIT_TRANSFER, "git-transfer"),
    (&FORM_PIP, "pip-install"),
    (&FORM_NPM, "npm-install"),
    (&FORM_MAKE, "make"),
    (&FORM_COMPILER, "compiler"),
    (&FORM_JVM, "jvm"),
    (&FORM_DOCKER, "docker-build"),
    (&FORM_TERRAFORM, "terraform"),
    (&FORM_APT, "apt"),
    (&FORM_JS_BUILD, "js-build"),
];

/// Maximum length in bytes of a line that identifies a tool.
const MAX_LINE_BYTES: usize = 1 << 10;

pub(crate) struct Forms {
    rules: Arc<[Arc<Rule>]>,
    /// Rules that are active, here or because they match the command.
    known: Vec<Arc<Rule>>,
    facts: Facts,
    collapse: bool,
    stages: Vec<Stage>,
}

impl Forms {
    pub(crate) fn new(rules: Arc<[Arc<Rule>]>, known: Vec<Arc<Rule>>, facts: &Facts, collapse: bool) -> Self {
        // The tool is only a part of the command, so its own exit status is unknown.
        let facts = Facts { exit: Exit::Unknown, command: Arc::clone(&facts.command) };
        Self { rules, known, facts, collapse, stages: Vec::new() }
    }

    /// Starts the rules of the tools that the line identifies.
    fn look_at(&mut self, line: &str) {
        let told = FORMS.iter().filter(|(table, _)| table.is_match(line));
        for (_, name) in told {
            let rule = self.rules.iter().find(|rule| rule.name() == *name && rule.shares_output());
            let Some(rule) = rule.filter(|rule| !self.known.iter().any(|known| known.name() == rule.name())) else {
                continue;
            };
            let others: Vec<&Rule> = self.known.iter().map(Arc::as_ref).collect();
            let reducers = rule.start_without_duplicates(&others, &self.facts);
            let collapse = self.collapse;
            self.stages.extend(reducers.into_iter().map(|reducer| Stage::new(reducer, collapse)));
            self.known.push(Arc::clone(rule));
        }
    }
}

/// Emits an event of the last stage.
fn give(event: FilterEvent<'_>, out: &mut Emitter<'_>) {
    match event {
        FilterEvent::Kept(line) => out.keep(line),
        FilterEvent::Written(line) if marked(line).is_some() => out.keep(line),
        FilterEvent::Written(line) => out.write(line),
        FilterEvent::Dropped(line) => out.forget(line),
    }
}

impl Reducer for Forms {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if line.len() < MAX_LINE_BYTES && FORM.is_match(line) {
            self.look_at(line);
        }
        if self.stages.is_empty() {
            return out.keep(line);
        }
        feed(&mut self.stages, line, &mut |event| give(event, out));
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        let mut verdicts = Vec::new();
        end(&mut self.stages, &mut verdicts, &mut |event| give(event, out));
        verdicts.retain(Option::is_some);
        (!verdicts.is_empty()).then(|| worst(verdicts))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    #[test]
    fn what_a_script_runs_is_told_by_its_form() {
        let builtin = FilterPipeline::builtin();
        let pytest = "preparing the data\n============================= test session starts ==============================\n\
                      collected 4 items\n\ntest_a.py ...F                                    [100%]\n\n\
                      =================================== FAILURES ===================================\n\
                      ____________________________________ test_d ____________________________________\n\n\
                      \x20   def test_d():\n>       assert add(1, 2) == 4\nE       assert 3 == 4\n\ntest_a.py:9: AssertionError\n\
                      =========================== short test summary info ============================\n\
                      FAILED test_a.py::test_d - assert 3 == 4\n\
                      ========================= 1 failed, 3 passed in 0.02s ==========================\nreport written\n";
        let shown = builtin.filter("./ci.sh", Exit::Code(1), pytest.as_bytes()).text;
        let as_known = builtin.filter("pytest", Exit::Code(1), pytest.as_bytes()).text;
        assert_eq!(shown, as_known);
        assert!(shown.starts_with("preparing the data\n") && shown.ends_with("report written\n"), "{shown}");
        for (text, expected) in [
            (
                "Collecting flask\n  Downloading flask-3.0.0-py3-none-any.whl (99 kB)\nInstalling collected packages: flask\n\
                 Successfully installed flask-3.0.0\n",
                "[… 3 lines]\nSuccessfully installed flask-3.0.0\n",
            ),
            (
                "CONFLICT (content): Merge conflict in a.rs\nhint: Resolve all conflicts manually, then run \"git rebase --continue\".\n",
                "CONFLICT (content): Merge conflict in a.rs\n[… 1 line]\n",
            ),
        ] {
            assert_eq!(builtin.filter("make deploy", Exit::Code(1), text.as_bytes()).text, expected);
        }
    }

    #[test]
    fn lines_that_no_tool_told_stand() {
        // As in the output of pip, but nothing says that it is of pip.
        let text =
            "the plan:\nInstalling collected packages: flask\n  Downloading flask-3.0.0-py3-none-any.whl (99 kB)\n";
        assert_eq!(FilterPipeline::builtin().filter("./ci.sh", Exit::Code(0), text.as_bytes()).text, text);
        // A command that prints content among others.
        let text = "Collecting flask\nInstalling collected packages: flask\nthe end of it\n";
        assert_eq!(
            FilterPipeline::builtin().filter("cat notes.txt; ./ci.sh", Exit::Code(0), text.as_bytes()).text,
            text
        );
    }
}
