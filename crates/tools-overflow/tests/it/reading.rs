//! The tool `read_overflow`.

use std::sync::Arc;

use serde_json::{Value, json};
use tools_core::{CallContext, Stack, ToolCall};
use tools_overflow::{Archive, InMemoryStore, OverflowConfig, ReadOverflow};
use tools_testkit::{Workspace, contract};

struct Reader {
    stack: Stack,
    cx: CallContext,
    archive: Archive,
}

impl Reader {
    fn new() -> Self {
        let archive = Archive::new(Arc::new(InMemoryStore::default()), &OverflowConfig::default());
        let stack = Stack::new(vec![], ReadOverflow::new(archive.clone()).into_executor());
        Self { stack, cx: CallContext::new("/"), archive }
    }

    async fn keep(&self, text: &str) -> String {
        self.archive.keep(self.cx.session().as_str(), text).await.unwrap().reference.to_string()
    }

    async fn read(&self, params: Value) -> Result<String, String> {
        let outcome = self.stack.dispatch(ToolCall::new("read_overflow", params).unwrap(), &self.cx).await;
        outcome.map(|output| output.summary).map_err(|error| format!("{}: {error}", error.code()))
    }
}

fn numbered(count: u32) -> String {
    (1..=count).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat()
}

#[tokio::test]
async fn a_range_of_lines_is_read_by_either_spelling() {
    let reader = Reader::new();
    let reference = reader.keep(&numbered(9000)).await;
    let bare = reference.strip_prefix("overflow:").unwrap();
    for name in [reference.as_str(), bare] {
        let text = reader.read(json!({"ref": name, "offset": 8001, "limit": 2})).await.unwrap();
        assert_eq!(text, "line 8001\nline 8002\n[lines 8001 to 8002 of 9000; go on with offset 8003]");
    }
    let text = reader.read(json!({"ref": reference, "offset": 9000})).await.unwrap();
    assert_eq!(text, "line 9000\n[lines 9000 to 9000 of 9000; nothing follows]");
    let error = reader.read(json!({"ref": reference, "offset": 9001})).await.unwrap_err();
    assert_eq!(error, "behind_end: line 9001 is behind the end: the stored output has 9000 lines");
}

#[tokio::test]
async fn pages_join_to_the_whole_whatever_its_lines() {
    let reader = Reader::new();
    for text in [
        numbered(20_000),
        "ä".repeat(100_000),
        format!("{}\n{}", "x".repeat(70_000), numbered(50)),
        format!("{}\n", "z".repeat(35_222)).repeat(5),
    ] {
        let reference = reader.keep(&text).await;
        let (mut joined, mut ask) = (String::new(), json!({"ref": reference}));
        loop {
            let page = reader.read(ask).await.unwrap();
            assert!(page.len() < 24_200, "{}", page.len());
            let (body, said) = page.rsplit_once("\n[").unwrap();
            joined.push_str(body);
            if said.contains("nothing follows") {
                break;
            }
            let (_, next) = said.trim_end_matches(']').rsplit_once(' ').unwrap();
            let next: u64 = next.parse().unwrap();
            ask = if said.contains("offset") {
                joined.push('\n');
                json!({"ref": reference, "offset": next})
            } else {
                if said.contains("the end of a line") {
                    joined.push('\n');
                }
                json!({"ref": reference, "byte": next})
            };
        }
        let ended = if text.ends_with('\n') { "\n" } else { "" };
        assert!(joined + ended == text);
    }
}

#[tokio::test]
async fn a_page_that_ends_with_its_line_says_so() {
    let reader = Reader::new();
    let reference = reader.keep(&format!("{}\n", "z".repeat(35_222)).repeat(2)).await;
    let says = async |byte: u64| {
        let page = reader.read(json!({"ref": reference, "byte": byte})).await.unwrap();
        page.rsplit_once('\n').unwrap().1.to_owned()
    };
    assert_eq!(says(23_700).await, "[to byte 35223 of 70446, the end of a line; go on with byte 35223]");
    assert!(says(0).await.contains(", in the middle of a line; go on with byte "));
}

#[tokio::test]
async fn grep_numbers_what_it_finds() {
    let reader = Reader::new();
    let reference = reader.keep(&numbered(50_000)).await;
    let text = reader.read(json!({"ref": reference, "grep": "^line 4999[89]$"})).await.unwrap();
    assert_eq!(text, "49998:line 49998\n49999:line 49999\n[2 matching lines in 50000 lines]");
    let text = reader.read(json!({"ref": reference, "grep": "7", "offset": 49_000, "limit": 1})).await.unwrap();
    assert_eq!(
        text,
        "49007:line 49007\n[the first 1 of 271 matching lines in lines 49000 to 50000; go on with offset 49008]"
    );
    let text = reader.read(json!({"ref": reference, "grep": "nothing"})).await.unwrap();
    assert_eq!(text, "[no match in 50000 lines]");
    let text = reader.read(json!({"ref": reference, "grep": "l", "limit": 50_000})).await.unwrap();
    assert!(text.len() < 24_200 && text.contains(" of 50000 matching lines in 50000 lines; go on with offset "));
}

#[tokio::test]
async fn pages_and_searches_fit_and_say_of_how_much_they_are() {
    let mut reader = Reader::new();
    reader.cx = reader.cx.answering(tools_core::AnswerBudget::of_bytes(2_000));
    let text = numbered(3_000);
    let gap = tools_core::Gap { at: text.find("line 1001\n").unwrap(), bytes: 5_000, lines: 400 };
    let session = reader.cx.session().as_str().to_owned();
    let stored = reader.archive.keep_with_gap(&session, text, Some(gap)).await.unwrap();
    assert_eq!(stored.missing, Some(tools_overflow::MissingPart { bytes: 5_000, first: 1_001, last: 1_400 }));
    let reference = stored.reference.to_string();
    let page = reader.read(json!({"ref": reference, "offset": 990})).await.unwrap();
    assert!(
        page.len() <= 2_000
            && page.contains("\n[... lines 1001 to 1400 of the original, 5000 bytes, are not stored ...]\n"),
        "{page}"
    );
    assert!(page.ends_with("[lines 1001 to 1400 (5000 bytes) of the original are not stored]"), "{page}");
    let none = reader.read(json!({"ref": reference, "grep": "nothing"})).await.unwrap();
    let said = "[no match in the 3000 of 3400 lines that are stored; lines 1001 to 1400 (5000 bytes) are not]";
    assert_eq!(none, said);
    let behind = reader.read(json!({"ref": reference, "grep": "^line 3000$"})).await.unwrap();
    assert!(behind.starts_with("3400:line 3000\n"), "{behind}");
    let (mut seen, mut offset) = (0, 1);
    loop {
        let found =
            reader.read(json!({"ref": reference, "grep": "^line", "limit": 900, "offset": offset})).await.unwrap();
        assert!(found.len() <= 2_000, "{}", found.len());
        seen += found.lines().filter(|line| line.contains(":line ")).count();
        let Some((_, next)) = found.rsplit_once("go on with offset ") else { break };
        offset = next.trim_end_matches(']').parse().unwrap();
    }
    assert_eq!(seen, 3_000);
}

#[tokio::test]
async fn what_is_not_there_and_what_is_anothers_is_the_same() {
    let reader = Reader::new();
    let foreign = reader.archive.keep("another", "secret").await.unwrap().reference.to_string();
    let missing = "overflow:123e4567-e89b-42d3-a456-426614174000";
    let said = [reader.read(json!({"ref": foreign})).await, reader.read(json!({"ref": missing})).await];
    assert_eq!(said[0], said[1]);
    assert_eq!(said[0], Err("overflow_not_found: no stored output of this reference".to_owned()));
}

#[tokio::test]
async fn bad_parameters_are_named() {
    let reader = Reader::new();
    let reference = reader.keep("x").await;
    let table = [
        (json!({"ref": "../../etc/passwd"}), "invalid_reference"),
        (json!({"ref": "overflow:1234"}), "invalid_reference"),
        (json!({"ref": reference, "grep": "("}), "invalid_pattern"),
        (json!({"ref": reference, "byte": 1, "offset": 1}), "invalid_parameters"),
        (json!({"ref": reference, "byte": u64::MAX}), "behind_end"),
        (json!({"ref": reference, "offset": u64::MAX, "grep": "x"}), "behind_end"),
    ];
    for (params, code) in table {
        let error = reader.read(params.clone()).await.unwrap_err();
        assert!(error.starts_with(code), "{params}: {error}");
    }
    assert_eq!(
        reader.read(json!({"ref": reference, "limit": 0, "offset": 0})).await.unwrap(),
        "x\n[lines 1 to 1 of 1; nothing follows]"
    );
}

#[tokio::test]
async fn the_tool_holds_the_contract() {
    let reader = Reader::new();
    let reference = reader.keep("x").await;
    let sample = ToolCall::new("read_overflow", json!({"ref": reference})).unwrap();
    contract::check(ReadOverflow::new(reader.archive).into_executor(), &Workspace::new(), &[sample]).await;
}
