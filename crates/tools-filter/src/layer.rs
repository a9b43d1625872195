//! The layer that filters the output of commands. Knows commands by what a call's inspection says, not by tools' names.

use async_trait::async_trait;
use serde_json::Value;
use tools_core::{Invocation, Layer, Next, Outcome, Shared, Subject, ToolOutput};

use crate::{Exit, FilterPipeline};

/// Filters the text of calls that run a command, and of what such a call had produced when it failed.
///
/// Only the text for the model changes; the structured result stays as it was, and nothing counts as truncated.
#[derive(Debug, Clone)]
pub struct FilterLayer {
    pipeline: Shared<FilterPipeline>,
}

impl FilterLayer {
    /// A layer with these rules; they may be swapped while calls are under way.
    pub fn new(pipeline: Shared<FilterPipeline>) -> Self {
        Self { pipeline }
    }
}

#[async_trait]
impl Layer for FilterLayer {
    fn name(&self) -> &'static str {
        "filter"
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let outcome = next.run(inv).await;
        if inv.definition.traits.bounded_output {
            return outcome;
        }
        let Some(command) = command_line(inv) else { return outcome };
        let pipeline = self.pipeline.load();
        match outcome {
            Ok(output) => Ok(filtered(&pipeline, command, output)),
            Err(error) => Err(error.map_output(|output| filtered(&pipeline, command, output))),
        }
    }
}

/// The line that the call runs: the first command among its subjects is the whole of it.
fn command_line(inv: &Invocation) -> Option<&str> {
    let subjects = inv.inspection().ok()?.subjects.as_slice();
    subjects.iter().find_map(|subject| match subject {
        Subject::Command { line, .. } => Some(line.as_str()),
        _ => None,
    })
}

fn filtered(pipeline: &FilterPipeline, command: &str, output: ToolOutput) -> ToolOutput {
    // Without the envelope of a command the text is the tool's own.
    let Some(envelope) = output.raw_response.as_ref().filter(|value| is_envelope(value)) else { return output };
    let exit = envelope.get("exit_code").and_then(Value::as_i64).map_or(Exit::Unknown, |code| {
        // A code that is no 32-bit number is none that means success.
        Exit::Code(i32::try_from(code).unwrap_or(1))
    });
    let filtered = pipeline.filter(command, exit, output.summary.as_bytes());
    ToolOutput { summary: filtered.text, filter: filtered.report.stats, ..output }
}

fn is_envelope(value: &Value) -> bool {
    ["stdout", "stderr", "exit_code"].iter().all(|field| value.get(field).is_some())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use tools_core::{
        CallContext, FilterConfidence, Inspection, Stack, ToolCall, ToolError, ToolErrorCategory, ToolTraits,
    };
    use tools_testkit::{Behaviour, ScriptedExecutor};

    use super::*;

    const PRINTED: &str = "running 2 tests\ntest a ... ok\ntest b ... ok\n\ntest result: ok. 2 passed; 0 failed\n";

    fn printed(exit_code: i32) -> ToolOutput {
        let envelope = json!({"stdout": PRINTED, "stderr": "", "exit_code": exit_code, "truncated": false});
        ToolOutput::text(PRINTED).with_raw_response(envelope)
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
        assert_eq!(output.summary, "test result: ok. 2 passed; 0 failed\n");
        let stats = output.filter.clone().unwrap();
        assert_eq!((stats.rule.as_str(), stats.confidence), ("cargo-test", FilterConfidence::Full));
        assert_eq!((stats.lines_in, stats.lines_out), (5, 1));
        assert_eq!(output, ToolOutput { summary: output.summary.clone(), filter: Some(stats), ..printed(0) });
    }

    #[tokio::test]
    async fn what_a_failed_call_printed_is_filtered_too() {
        let error = ToolError::new(ToolErrorCategory::Timeout, "timed_out", "too slow").with_output(printed(124));
        let error = run(ToolTraits::CAUTIOUS, Behaviour::Fail(error), cargo_test()).await.unwrap_err();
        assert_eq!(error.output().unwrap().summary, "test result: ok. 2 passed; 0 failed\n");
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
