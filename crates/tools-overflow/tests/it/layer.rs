//! The layer around a scripted tool: what is shown, what is stored, what is said.

use std::sync::Arc;

use serde_json::json;
use tools_core::{
    CallContext, FilterConfidence, FilterStats, OriginalText, RecordedResult, Stack, SummaryKind, ToolCall, ToolError,
    ToolErrorCategory, ToolOutput, ToolTraits, keys,
};
use tools_overflow::{Archive, InMemoryStore, OverflowConfig, OverflowLayer, Reference, THRESHOLD};
use tools_testkit::{Behaviour, ScriptedExecutor};

struct Made {
    recorded: RecordedResult,
    cx: CallContext,
    archive: Archive,
}

impl Made {
    fn output(&self) -> &ToolOutput {
        match &self.recorded.outcome {
            Ok(output) => output,
            Err(error) => error.output().unwrap(),
        }
    }

    fn reference(&self) -> Option<Reference> {
        let noted = self.recorded.journal.value(keys::OVERFLOW)?;
        Some(noted.as_str().unwrap().parse().unwrap())
    }

    async fn stored(&self) -> String {
        let reference = self.reference().expect("something was stored");
        let entry = self.archive.open(self.cx.session().as_str(), reference).await.unwrap();
        String::from_utf8(entry.bytes(0..u64::MAX).await.unwrap()).unwrap()
    }
}

fn is_error(text: &str) -> Vec<usize> {
    text.lines().enumerate().filter(|(_, line)| line.starts_with("error")).map(|(at, _)| at).collect()
}

async fn shown(traits: ToolTraits, behaviour: Behaviour) -> Made {
    let archive = Archive::new(Arc::new(InMemoryStore::default()), &OverflowConfig::default());
    let layer = OverflowLayer::new(Some(archive.clone()), THRESHOLD, is_error);
    let executor = ScriptedExecutor::new().tool("anything", traits, behaviour);
    let stack = Stack::new(vec![Arc::new(layer)], executor);
    let cx = CallContext::new("/");
    let recorded = stack.run(ToolCall::new("anything", json!({})).unwrap(), None, &cx).await;
    Made { recorded, cx, archive }
}

async fn reply(output: ToolOutput) -> Made {
    shown(ToolTraits::CAUTIOUS, Behaviour::Reply(Box::new(output))).await
}

fn long() -> String {
    let mut lines: Vec<String> = (1..=20_000).map(|n| format!("line {n}")).collect();
    "error: in the middle".clone_into(&mut lines[9999]);
    lines.join("\n")
}

fn filtered(summary: &str) -> ToolOutput {
    let stats =
        FilterStats { rule: "r".to_owned(), confidence: FilterConfidence::Full, lines_in: 20_000, lines_out: 1 };
    ToolOutput { filter: Some(stats), ..ToolOutput::text(long()).showing(summary.to_owned(), SummaryKind::Extract) }
}

#[tokio::test]
async fn what_is_too_long_is_shown_in_part_and_stored_whole() {
    let shown = reply(ToolOutput::text(long())).await;
    let text = &shown.output().summary;
    assert!(text.chars().count() <= THRESHOLD, "{}", text.chars().count());
    assert!(text.starts_with("line 1\n") && text.contains("\n10000: error: in the middle\n"));
    let notice = format!("\nline 20000\n[20000 lines stored whole: read_overflow, ref {}]", shown.reference().unwrap());
    assert!(text.ends_with(&notice), "{}", &text[text.len() - 200..]);
    assert!(shown.output().truncated && shown.output().complete.is_none());
    assert_eq!(shown.stored().await, long());
}

#[tokio::test]
async fn what_a_filter_left_out_is_stored_and_does_not_count_as_truncated() {
    let shown = reply(filtered("ok")).await;
    let expected = format!("ok\n[20000 lines stored whole: read_overflow, ref {}]", shown.reference().unwrap());
    assert_eq!(shown.output().summary, expected);
    assert!(!shown.output().truncated);
    assert_eq!(shown.stored().await, long());
}

#[tokio::test]
async fn an_extract_that_gains_nothing_gives_way_to_the_whole() {
    let text = format!("{}\nresult\n", "noise ".repeat(12));
    let output = |text: &str| ToolOutput { complete: None, summary: text.to_owned(), ..filtered("") };
    let made = reply(output(&text).showing("result\n".to_owned(), SummaryKind::Extract)).await;
    assert_eq!((made.output().summary.as_str(), made.reference()), (text.as_str(), None));
    let stats = made.output().filter.as_ref().unwrap();
    assert_eq!(stats.lines_out, stats.lines_in);
    // What a terminal would not show as it is stays shortened.
    let coloured = format!("\x1b[1m{text}");
    let made = reply(output(&coloured).showing("result\n".to_owned(), SummaryKind::Extract)).await;
    assert!(made.output().summary.starts_with("result\n[2 lines stored whole: "));
}

#[tokio::test]
async fn what_a_failed_call_printed_is_stored_too() {
    let error =
        ToolError::new(ToolErrorCategory::Timeout, "timed_out", "too slow").with_output(ToolOutput::text(long()));
    let shown = shown(ToolTraits::CAUTIOUS, Behaviour::Fail(error)).await;
    assert!(shown.recorded.outcome.is_err());
    assert!(shown.output().summary.contains("[20000 lines stored whole"));
    assert_eq!(shown.stored().await, long());
}

#[tokio::test]
async fn what_a_tool_could_not_show_is_shown_from_the_whole() {
    let ends = |text: String| ToolOutput {
        complete: Some(OriginalText { text: text.into(), shown: SummaryKind::Ends, gap: None }),
        ..ToolOutput::text("the ends")
    };
    let shown = reply(ends(long())).await;
    assert!(shown.output().summary.contains("\n10000: error: in the middle\n"));
    assert_eq!(shown.stored().await, long());
    let shown = reply(ends("all of it".to_owned())).await;
    assert_eq!((shown.output(), shown.reference()), (&ToolOutput::text("all of it"), None));
}

#[tokio::test]
async fn another_form_of_the_whole_is_stored_as_it_came_when_it_is_cut() {
    let form = |text: &str| ToolOutput::text(format!("\x1b[1m{text}")).showing(text.to_owned(), SummaryKind::All);
    let shown = reply(form("short")).await;
    assert_eq!((shown.output(), shown.reference()), (&ToolOutput::text("short"), None));
    let shown = reply(form(&long())).await;
    assert!(shown.output().summary.starts_with("line 1\n"));
    assert_eq!(shown.stored().await, format!("\x1b[1m{}", long()));
}

#[tokio::test]
async fn what_is_short_or_bounded_is_left_as_it_is() {
    let bounded = ToolTraits { bounded_output: true, ..ToolTraits::READ_ONLY };
    for (traits, output) in [(ToolTraits::CAUTIOUS, ToolOutput::text("short")), (bounded, ToolOutput::text(long()))] {
        let shown = shown(traits, Behaviour::Reply(Box::new(output.clone()))).await;
        assert_eq!((shown.output(), shown.reference()), (&output, None));
    }
}

#[tokio::test]
async fn without_a_store_the_ends_are_shown_and_nothing_is_promised() {
    let executor =
        ScriptedExecutor::new().tool("anything", ToolTraits::CAUTIOUS, Behaviour::Reply(Box::new(filtered(&long()))));
    let stack = Stack::new(vec![Arc::new(OverflowLayer::new(None, 1000, is_error))], executor);
    let output = stack.dispatch(ToolCall::new("anything", json!({})).unwrap(), &CallContext::new("/")).await.unwrap();
    assert!(output.summary.ends_with("line 20000") && !output.summary.contains("overflow"));
    assert!(output.truncated && output.summary.len() <= 1000);
}

#[tokio::test]
async fn a_store_that_fails_is_said_and_loses_no_result() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let store = tools_overflow::SqliteStore::at(folder.path().join("file/overflow.db"));
    let archive = Archive::new(Arc::new(store), &OverflowConfig::default());
    let layer = OverflowLayer::new(Some(archive), THRESHOLD, is_error);
    let executor = ScriptedExecutor::new().tool("anything", ToolTraits::CAUTIOUS, Behaviour::reply(long()));
    let stack = Stack::new(vec![Arc::new(layer)], executor);
    let recorded = stack.run(ToolCall::new("anything", json!({})).unwrap(), None, &CallContext::new("/")).await;
    let output = recorded.outcome.unwrap();
    assert!(output.summary.ends_with("could not be stored: make the call again and ask for less]"));
    assert!(!output.summary.contains(folder.path().to_str().unwrap()));
    assert_eq!(recorded.journal.warnings(), ["the whole output could not be stored"]);
    assert_eq!(recorded.journal.value(keys::OVERFLOW), None);
}
