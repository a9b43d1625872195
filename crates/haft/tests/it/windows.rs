//! Every answer fits what its call may hold, and whoever follows the ways that the answers name
//! gets every line exactly once.

use haft::Toolbox;
use haft::core::{AnswerBudget, CallContext, NobodyToAsk, ToolOutput, keys};
use serde_json::{Value, json};
use tools_testkit::Workspace;

use crate::{ALL_COMMANDS, call};

const ALL_JOBS: &str = "[[tools.permissions.job_read]]\npattern = \"*\"\naction = \"allow\"\n";
const SIZES: &[usize] = &[0, 1, 2, 3, 41, 700, 2_630, 12_000];

/// What answers may hold: little, what Codex takes, what others take, and the default.
fn budgets() -> [AnswerBudget; 5] {
    let of = AnswerBudget::of_bytes;
    [of(2_000), of(10_000), of(24_000), AnswerBudget::UNLIMITED, AnswerBudget { lines: 60, ..of(24_000) }]
}

/// Lines of all sorts, each with its number in front; one in a few hundred reports a failure.
fn lines(count: usize) -> Vec<String> {
    let mut state = 7_u64;
    let mut next = |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let text = |number: usize| {
        let mut line = format!("line {number:06} :");
        match next(40) {
            0 => line.push_str(&"漢字".repeat(usize::try_from(next(60)).unwrap())),
            1 => line.push_str(&"wide ".repeat(usize::try_from(next(90)).unwrap())),
            2 if next(9) == 0 => line.push_str("error: it broke"),
            _ => line.push_str(&"x".repeat(usize::try_from(next(30)).unwrap())),
        }
        line
    };
    (1..=count).map(text).collect()
}

/// One call whose answer may hold `budget`, and the reference under which something of it is
/// stored.
async fn ask(toolbox: &Toolbox, cx: &CallContext, tool: &str, params: Value) -> (ToolOutput, Option<String>) {
    let recorded = toolbox.call(call(tool, params.clone()), cx, &NobodyToAsk).await;
    let reference = recorded.journal.value(keys::OVERFLOW).and_then(|value| value.as_str().map(str::to_owned));
    let output = recorded.outcome.unwrap_or_else(|error| panic!("{tool} {params}: {error}"));
    assert!(cx.answer().holds(&output.to_text()), "{tool} {params}: {} bytes", output.to_text().len());
    (output, reference)
}

/// The lines of a summary that show something.
fn shown(output: &ToolOutput) -> Vec<String> {
    output
        .summary
        .lines()
        .filter(|line| line.contains("line ") && (!line.starts_with('[') || line.starts_with("[file]")))
        .map(str::to_owned)
        .collect()
}

/// Follows a tool that shows windows to its end: all that it showed, in order.
async fn followed(toolbox: &Toolbox, cx: &CallContext, tool: &str, params: &Value) -> Vec<String> {
    let (mut all, mut at) = (Vec::new(), 0);
    for _ in 0..20_000 {
        let mut params = params.clone();
        params["offset"] = at.into();
        let (output, stored) = ask(toolbox, cx, tool, params).await;
        assert_eq!(stored, None, "a window is not cut again");
        let Some(window) = output.window else { return all };
        let lines = shown(&output);
        assert_eq!((window.from, window.to - window.from), (at, lines.len() as u64), "{tool}: {window:?}");
        all.extend(lines);
        let said = window.next.map(|next| format!("offset={next}"));
        assert!(said.as_ref().is_none_or(|said| output.summary.contains(said)), "{}", output.summary);
        match window.next {
            Some(next) => at = next,
            None => return all,
        }
    }
    panic!("{tool} never comes to its end");
}

#[tokio::test]
async fn windows_put_together_are_the_whole() {
    let workspace = Workspace::new();
    let toolbox = crate::toolbox(&workspace, "[tools.result_cache]\nenabled = false\n");
    // Each window of a search looks at the whole file again.
    for &size in SIZES.iter().filter(|size| **size < 3_000) {
        let lines = lines(size);
        let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        workspace.file("work/text", &text);
        for budget in budgets() {
            let cx = toolbox.context().answering(budget);
            let numbered: Vec<String> =
                lines.iter().enumerate().map(|(index, line)| format!("{:>6}\t{line}", index + 1)).collect();
            let read = followed(&toolbox, &cx, "read", &json!({"path": "text"})).await;
            assert!(read == numbered, "{size} {budget:?}: {} lines", read.len());
            let found: Vec<String> =
                lines.iter().enumerate().map(|(index, line)| format!("text:{}:{line}", index + 1)).collect();
            let params = json!({"pattern": "^line ", "path": "text", "limit": 20_000});
            let hits = followed(&toolbox, &cx, "grep", &params).await;
            // A line that is longer than what a search shows is shown around its match.
            assert_eq!(hits.len(), found.len(), "{size} {budget:?}");
            let starts = |hit: &String, line: &String| hit.chars().take(30).eq(line.chars().take(30));
            assert!(hits.iter().zip(&found).all(|(hit, line)| starts(hit, line)), "{size} {budget:?}");
        }
    }
}

#[tokio::test]
async fn names_put_together_are_the_whole() {
    let workspace = Workspace::new();
    let toolbox = crate::toolbox(&workspace, "[tools.result_cache]\nenabled = false\n");
    let mut made = 0;
    for size in [0, 1, 2, 300, 1_300] {
        while made < size {
            made += 1;
            workspace.file(format!("work/many/line {made:05} {}", "y".repeat(1 + made % 50)), "");
        }
        workspace.dir("work/many");
        for budget in budgets() {
            let cx = toolbox.context().answering(budget);
            for (tool, params) in
                [("list_directory", json!({"path": "many"})), ("find_path", json!({"pattern": "many/*"}))]
            {
                let names = followed(&toolbox, &cx, tool, &params).await;
                assert_eq!(names.len(), size, "{tool} {budget:?}");
                let numbers =
                    names.iter().enumerate().all(|(index, name)| name.contains(&format!("line {:05} ", index + 1)));
                assert!(numbers, "{tool} {budget:?}");
            }
        }
    }
}

/// Reads a stored output by the ways that each page names.
async fn read_back(toolbox: &Toolbox, cx: &CallContext, reference: &str) -> String {
    let (mut joined, mut way) = (String::new(), json!({}));
    for _ in 0..20_000 {
        let mut params = way.clone();
        params["ref"] = reference.into();
        let (output, _) = ask(toolbox, cx, "read_overflow", params).await;
        let (body, said) = output.summary.rsplit_once("\n[").expect("a line says how to go on");
        joined.push_str(body);
        let number =
            |said: &str| said.trim_end_matches(']').rsplit(' ').next().and_then(|word| word.parse::<u64>().ok());
        if said.contains("go on with offset") {
            joined.push('\n');
            way = json!({"offset": number(said)});
        } else if said.contains("go on with byte") {
            way = json!({"byte": number(said)});
        } else {
            assert!(said.contains("nothing follows"), "{said}");
            return joined + "\n";
        }
    }
    panic!("it never comes to its end");
}

#[tokio::test]
async fn of_what_a_command_printed_every_line_is_shown_or_counted_and_can_be_had() {
    let workspace = Workspace::new();
    let toolbox = crate::toolbox(&workspace, ALL_COMMANDS);
    for &size in SIZES {
        let lines = lines(size);
        let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        workspace.file("work/text", &text);
        for budget in budgets() {
            let cx = toolbox.context().answering(budget);
            // Not a program that a rule is about, and a failure, so that a line below says how it
            // ended.
            let (output, reference) = ask(&toolbox, &cx, "bash", json!({"command": "sed '' text; exit 3"})).await;
            assert!(output.to_text().ends_with("[exit code 3]"), "{}", output.to_text());
            let Some(reference) = reference else {
                assert_eq!(output.summary, text);
                continue;
            };
            let (head, rest) = output.summary.split_once("[... ").expect("the gap is marked");
            let (gap, tail) = rest.split_once(" ...]\n").expect("the mark ends");
            let tail = tail.rsplit_once("[...]\n").map_or(tail, |(_, tail)| tail);
            // Only whole lines count as shown.
            let first = head.lines().zip(&lines).take_while(|(seen, line)| seen == line).count();
            let last = tail.lines().filter(|line| !line.starts_with('[')).collect::<Vec<_>>();
            let last = last.iter().rev().zip(lines.iter().rev()).take_while(|(seen, line)| seen == line).count();
            let hidden = size - first - last;
            let said: usize = gap.split(' ').next().and_then(|word| word.parse().ok()).expect("a count");
            assert!(said == hidden || said + 1 == hidden, "{size} {budget:?}: {hidden}: {gap}");
            let failing: Vec<&String> =
                lines[first..size - last].iter().filter(|line| line.contains("error: ")).collect();
            assert_eq!(gap.contains("report failures"), !failing.is_empty(), "{size} {budget:?}: {gap}");
            for pinned in rest.lines().filter_map(|line| line.split_once(": line ")) {
                let number: usize = pinned.0.parse().expect("a number is in front");
                assert!(lines[number - 1].starts_with(&format!("line {number:06}")), "{pinned:?}");
            }
            assert!(output.summary.contains(&format!("{size} lines stored whole")), "{}", output.summary);
            assert!(read_back(&toolbox, &cx, &reference).await == text, "{size} {budget:?}");
        }
    }
}

#[tokio::test]
async fn pages_of_a_job_put_together_are_the_whole() {
    let workspace = Workspace::new();
    let toolbox = crate::toolbox(&workspace, &format!("{ALL_COMMANDS}{ALL_JOBS}"));
    let lines = lines(2_000);
    let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    workspace.file("work/text", &text);
    for (index, budget) in budgets().into_iter().enumerate() {
        let cx = toolbox.context().answering(budget);
        ask(&toolbox, &cx, "bash", json!({"command": "sed '' text", "background": true})).await;
        let (mut since, mut joined) = (0, String::new());
        loop {
            let params = json!({"id": format!("job-{}", index + 1), "since": since, "wait_ms": 2_000});
            let (output, _) = ask(&toolbox, &cx, "job_read", params).await;
            joined.push_str(&output.summary);
            let window = output.window.expect("a page is a window");
            assert_eq!(window.from, since);
            match window.next {
                Some(next) => since = next,
                None => break,
            }
        }
        assert!(joined == text, "{budget:?}: {} of {}", joined.len(), text.len());
    }
}
