//! The layer that filters the output of commands. It recognises commands by the inspection of a
//! call, not by the name of the tool.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use tools_core::{
    ClaimSource, CommandEnd, FilterStats, Invocation, Layer, LayerInfo, Next, Outcome, Shared, Subject, SummaryKind,
    ToolOutput, keys,
};

use crate::{
    Exit, FilterPipeline, ParsedCommand,
    intake::FilterIntake,
    repeats::{Key, Repeats},
    sanitize_output,
};

/// Filters the text of calls that run a command, also when such a call failed.
///
/// Only the text for the model changes. The structured result stays the same, and nothing counts as
/// truncated.
#[derive(Debug, Clone)]
pub struct FilterLayer {
    pipeline: Shared<FilterPipeline>,
    warnings: Arc<[String]>,
    warned: Arc<AtomicBool>,
    repeats: Arc<Repeats>,
}

impl FilterLayer {
    /// The layer's row in a list of layers.
    pub const INFO: LayerInfo = LayerInfo {
        name: "filter",
        owner: "tools-filter",
        refuses_with: &[],
        why: "close to the tool's output: the layers outside store, count and show the filtered text that the model reads",
    };

    /// A layer with these rules, which may be replaced while calls are running.
    pub fn new(pipeline: Shared<FilterPipeline>) -> Self {
        Self { pipeline, warnings: Arc::new([]), warned: Arc::default(), repeats: Arc::default() }
    }

    /// The same layer, which reports these problems of its rules with the first output that it
    /// filters.
    pub fn warning(self, warnings: Vec<String>) -> Self {
        Self { warnings: warnings.into(), ..self }
    }

    /// The call with an intake that filters text while it is produced, if the text is too long to
    /// hold.
    fn taking(&self, inv: &Invocation) -> Option<Invocation> {
        let outer = inv.context.intake()?;
        let command = ParsedCommand::of_call(line(inv)?, &inv.inspection().ok()?.subjects);
        let intake = FilterIntake::around(Arc::clone(outer), self.pipeline.load(), command);
        Some(inv.in_context(inv.context.clone().with_intake(intake)))
    }

    /// Reports the problems of the rules once.
    fn tell_warnings(&self, inv: &Invocation) {
        if !self.warnings.is_empty() && !self.warned.swap(true, Ordering::Relaxed) {
            self.warnings.iter().for_each(|warning| inv.context.journal().warn(warning.clone()));
        }
    }

    /// For a command that ran before in this session, shows only what changed.
    fn changes(&self, inv: &Invocation, output: ToolOutput) -> ToolOutput {
        let Some(line) = line(inv) else { return output };
        let cx = &inv.context;
        let (session, workdir) = (cx.session().as_str().to_owned(), cx.workdir().to_string_lossy().into_owned());
        let key = Key { session, workdir, command: line.to_owned() };
        match self.repeats.changes(key, inv.call.id.as_str(), &output.summary) {
            Some(changes) => {
                let lines_out = changes.lines().count() as u64;
                let filter = output.filter.clone().map(|stats| FilterStats { lines_out, ..stats });
                ToolOutput { filter, ..output.showing(changes, SummaryKind::Extract) }
            }
            None => output,
        }
    }

    fn shown(&self, inv: &Invocation, output: ToolOutput) -> ToolOutput {
        if let Some(digest) = &output.digest {
            // The text was filtered while it was produced.
            inv.context.journal().note(keys::RAW_BYTES, digest.bytes);
            self.tell_warnings(inv);
            return ToolOutput { filter: digest.filter.clone(), ..output };
        }
        if let Some(ended) = &output.ended
            && let Some(command) = command_line(inv, ended)
        {
            let exit = ended.exit.map_or(Exit::Unknown, Exit::Code);
            // A part of another command's output cannot be compared with an earlier run.
            let is_run = ended.line.is_none();
            inv.context.journal().note(keys::RAW_BYTES, output.whole().len());
            self.tell_warnings(inv);
            let pipeline = self.pipeline.load();
            // A repeated request for file content wants the content again.
            let is_report = is_run && pipeline.find(&command).is_some_and(|rule| !rule.shows_content());
            let output = filtered(&pipeline, command, exit, output);
            return if is_report { self.changes(inv, output) } else { output };
        }
        // Output that another program wrote for a terminal. Files of the workspace stay as they
        // are.
        if matches!(output.source, ClaimSource::Command | ClaimSource::Mcp) {
            let sanitized = sanitize_output(output.whole().as_bytes());
            return output.showing(sanitized, SummaryKind::All);
        }
        output
    }
}

#[async_trait]
impl Layer for FilterLayer {
    fn name(&self) -> &'static str {
        Self::INFO.name
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let taking = self.taking(inv);
        let outcome = next.run(taking.as_ref().unwrap_or(inv)).await;
        if inv.definition.traits.bounded_output {
            return outcome;
        }
        match outcome {
            Ok(output) => Ok(self.shown(inv, output)),
            Err(error) => Err(error.map_output(|output| self.shown(inv, output))),
        }
    }
}

/// The command that produced the output: the one that the call runs, or that the output names.
fn command_line(inv: &Invocation, ended: &CommandEnd) -> Option<ParsedCommand> {
    match &ended.line {
        Some(line) => Some(ParsedCommand::parse(line)),
        None => Some(ParsedCommand::of_call(line(inv)?, &inv.inspection().ok()?.subjects)),
    }
}

/// The line that the call runs: the first command among its subjects is the whole line.
fn line(inv: &Invocation) -> Option<&str> {
    let subjects = inv.inspection().ok()?.subjects.as_slice();
    subjects.iter().find_map(|subject| match subject {
        Subject::Command { line, .. } => Some(line.as_str()),
        _ => None,
    })
}

fn filtered(pipeline: &FilterPipeline, command: ParsedCommand, exit: Exit, output: ToolOutput) -> ToolOutput {
    // The whole text, even if the tool shows only its ends: a failure may be in the middle.
    let text = output.whole();
    let filtered = pipeline.filter_parsed(command, exit, text.as_bytes());
    let shown = if leaves_out(filtered.report.stats.as_ref(), &filtered.text, text) {
        SummaryKind::Extract
    } else {
        SummaryKind::All
    };
    let mut output = output.showing(filtered.text, shown);
    // A page of a job's output: the text before and after it is unknown here.
    let is_part = output.window.as_ref().is_some_and(|part| part.from > 0 || part.next.is_some());
    if let Some(ended) = output.ended.as_mut().filter(|_| is_part && shown == SummaryKind::Extract) {
        ended.notes.push("what is left out is counted and folded in this part alone".to_owned());
    }
    ToolOutput { filter: filtered.report.stats, ..output }
}

/// Whether a rule removed something that a terminal would have shown.
fn leaves_out(stats: Option<&FilterStats>, filtered: &str, text: &str) -> bool {
    stats.is_some_and(|stats| stats.lines_out < stats.lines_in || filtered != sanitize_output(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use tools_core::{
        CallContext, FilterConfidence, Inspection, OriginalText, Stack, ToolCall, ToolError, ToolErrorCategory,
        ToolTraits, Window,
    };
    use tools_testkit::{Behaviour, ScriptedExecutor};

    use super::*;

    const PRINTED: &str = "running 2 tests\ntest a ... ok\ntest b ... ok\n\ntest result: ok. 2 passed; 0 failed\n";

    fn printed(exit_code: i32) -> ToolOutput {
        let envelope = json!({"stdout": PRINTED, "stderr": "", "exit_code": exit_code, "truncated": false});
        ToolOutput::text(PRINTED).with_raw_response(envelope).ending(CommandEnd::with_exit(exit_code))
    }

    async fn run(traits: ToolTraits, behaviour: Behaviour, subjects: Vec<Subject>) -> Outcome {
        let inspection = Inspection { subjects, ..Inspection::default() };
        let executor = ScriptedExecutor::new().inspected("anything", traits, behaviour, Ok(inspection));
        let layer = FilterLayer::new(Shared::new(FilterPipeline::builtin()));
        let stack = Stack::new(vec![Arc::new(layer)], executor);
        stack.dispatch(ToolCall::new("anything", json!({})).unwrap(), &CallContext::new("/")).await
    }

    fn cargo_test() -> Vec<Subject> {
        let command = |line: &str| Subject::Command {
            line: line.to_owned(),
            program: String::new(),
            argv: Vec::new(),
            via: Vec::new(),
        };
        vec![command("cd x && cargo test"), command("cd x"), command("cargo test")]
    }

    #[tokio::test]
    async fn a_command_is_filtered_and_its_structured_result_is_not() {
        let output = run(ToolTraits::CAUTIOUS, Behaviour::Reply(Box::new(printed(0))), cargo_test()).await.unwrap();
        assert_eq!(output.summary, "[… 3 lines]\ntest result: ok. 2 passed; 0 failed\n");
        let stats = output.filter.clone().unwrap();
        assert_eq!((stats.rule.as_str(), stats.confidence), ("cargo-test", FilterConfidence::Full));
        assert_eq!((stats.lines_in, stats.lines_out), (5, 2));
        let complete = Some(OriginalText { text: PRINTED.into(), shown: SummaryKind::Extract, gap: None });
        assert_eq!(output, ToolOutput { summary: output.summary.clone(), complete, filter: Some(stats), ..printed(0) });
    }

    #[tokio::test]
    async fn what_a_failed_call_printed_is_filtered_too() {
        let error = ToolError::new(ToolErrorCategory::Timeout, "timed_out", "too slow").with_output(printed(124));
        let error = run(ToolTraits::CAUTIOUS, Behaviour::Fail(error), cargo_test()).await.unwrap_err();
        assert_eq!(error.output().unwrap().summary, "[… 3 lines]\ntest result: ok. 2 passed; 0 failed\n");
    }

    #[tokio::test]
    async fn how_it_ended_is_no_part_of_the_output() {
        // A last line that looks like the note of a shell is the command's own.
        let text = format!("{PRINTED}[exit code 7]");
        let given = ToolOutput { summary: text, ..printed(101) };
        let output = run(ToolTraits::CAUTIOUS, Behaviour::Reply(Box::new(given)), cargo_test()).await.unwrap();
        assert_eq!(output.summary, "[… 3 lines]\ntest result: ok. 2 passed; 0 failed\n[exit code 7]");
        assert_eq!(
            output.to_text(),
            "[… 3 lines]\ntest result: ok. 2 passed; 0 failed\n[exit code 7]\n[exit code 101]"
        );
        assert_eq!(output.filter.unwrap().lines_in, 6);
    }

    #[tokio::test]
    async fn a_job_that_is_read_is_filtered_by_its_own_command_line() {
        let ended = CommandEnd { line: Some("cargo test".into()), ..CommandEnd::with_exit(0) };
        let given = ToolOutput::text(PRINTED).ending(ended);
        let output = run(ToolTraits::CAUTIOUS, Behaviour::Reply(Box::new(given)), vec![]).await.unwrap();
        assert_eq!(output.summary, "[… 3 lines]\ntest result: ok. 2 passed; 0 failed\n");
    }

    #[tokio::test]
    async fn a_part_of_a_job_says_that_it_was_filtered_by_itself() {
        for (from, next, is_part) in [(0, Some(10), true), (10, None, true), (0, None, false)] {
            let ended = CommandEnd { line: Some("cargo test".into()), ..CommandEnd::with_exit(0) };
            let window = Window { from, to: 10, total: None, next };
            let given = ToolOutput { window: Some(window), ..ToolOutput::text(PRINTED).ending(ended) };
            let output = run(ToolTraits::CAUTIOUS, Behaviour::Reply(Box::new(given)), vec![]).await.unwrap();
            assert_eq!(output.to_text().contains("in this part alone"), is_part, "{}", output.to_text());
        }
    }

    #[tokio::test]
    async fn raw_bytes_and_faults_of_rules_are_noted() {
        let executor = ScriptedExecutor::new().inspected(
            "anything",
            ToolTraits::CAUTIOUS,
            Behaviour::Reply(Box::new(printed(0))),
            Ok(Inspection { subjects: cargo_test(), ..Inspection::default() }),
        );
        let layer =
            FilterLayer::new(Shared::new(FilterPipeline::builtin())).warning(vec!["rule `x` is skipped".into()]);
        let stack = Stack::new(vec![Arc::new(layer)], executor);
        let call = || ToolCall::new("anything", json!({})).unwrap();
        let first = stack.run(call(), None, &CallContext::new("/")).await.journal;
        assert_eq!(first.value(keys::RAW_BYTES), Some(PRINTED.len().into()));
        assert_eq!(first.warnings(), ["rule `x` is skipped"]);
        assert!(stack.run(call(), None, &CallContext::new("/")).await.journal.warnings().is_empty());
    }

    #[tokio::test]
    async fn a_command_run_again_shows_what_changed() {
        let context: String = (0..60)
            .map(|n| {
                format!("note {n} on how the build was set up, at some length{}\n", "!".repeat(n * 7919 % 101 % 5))
            })
            .collect::<Vec<_>>()
            .concat();
        let printed = format!("{context}make: *** [all] Error 1\n");
        let envelope = json!({"stdout": printed, "stderr": "", "exit_code": 2, "truncated": false});
        let given = ToolOutput::text(&*printed).with_raw_response(envelope).ending(CommandEnd::with_exit(2));
        let subjects = vec![Subject::Command {
            line: "make".to_owned(),
            program: "make".to_owned(),
            argv: Vec::new(),
            via: Vec::new(),
        }];
        let executor = ScriptedExecutor::new().inspected(
            "anything",
            ToolTraits::CAUTIOUS,
            Behaviour::Reply(Box::new(given.clone())),
            Ok(Inspection { subjects, ..Inspection::default() }),
        );
        let layer = FilterLayer::new(Shared::new(FilterPipeline::builtin()));
        let stack = Stack::new(vec![Arc::new(layer)], executor);
        let cx = CallContext::new("/");
        let call = || ToolCall::new("anything", json!({})).unwrap();
        let first = call();
        let id = first.id.to_string();
        let all = stack.dispatch(first, &cx).await.unwrap().to_text().into_owned();
        assert!(all.contains("note 7 on") && all.ends_with("[exit code 2]"), "{all}");
        let again = stack.dispatch(call(), &cx).await.unwrap();
        assert!(again.summary.starts_with(&format!("[unchanged since call {id};")), "{}", again.summary);
        assert!(again.to_text().contains(" make: *** [all] Error 1\n[exit code 2]"), "{}", again.to_text());
        assert_eq!(again.raw_response, given.raw_response);
        let elsewhere = stack.dispatch(call(), &CallContext::new("/")).await.unwrap().to_text().into_owned();
        assert_eq!(elsewhere, all);
    }

    #[tokio::test]
    async fn what_another_program_wrote_is_shown_as_on_a_terminal_and_files_as_they_are() {
        let cases = [(ClaimSource::Mcp, "red\n\nx\n"), (ClaimSource::Workspace, "\u{1b}[31mred\u{1b}[0m\n\n\n\nx\n")];
        for (source, expected) in cases {
            let given = ToolOutput::text("\u{1b}[31mred\u{1b}[0m\n\n\n\nx\n").from_source(source);
            let output = run(ToolTraits::CAUTIOUS, Behaviour::Reply(Box::new(given)), vec![]).await.unwrap();
            assert_eq!(output.summary, expected, "{source:?}");
        }
    }

    #[tokio::test]
    async fn what_is_no_output_of_a_command_is_left_as_it_is() {
        let bounded = ToolTraits { bounded_output: true, ..ToolTraits::CAUTIOUS };
        let cases = [
            (bounded, printed(0), cargo_test()),
            (ToolTraits::CAUTIOUS, printed(0), vec![]),
            (ToolTraits::CAUTIOUS, ToolOutput::text(PRINTED), cargo_test()),
        ];
        for (traits, given, subjects) in cases {
            let output = run(traits, Behaviour::Reply(Box::new(given.clone())), subjects).await.unwrap();
            assert_eq!(output, given);
        }
    }
}
