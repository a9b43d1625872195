//! Fenced blocks against those that a CommonMark parser finds.

use proptest::prelude::*;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use tools_agent::fenced_blocks;

/// The closed fenced blocks at the top of a document, and in lists as well, as the parser finds
/// them.
fn expected(text: &str) -> Vec<(String, String)> {
    let mut found = vec![];
    let mut open: Option<(String, String)> = None;
    let mut quotes = 0;
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::BlockQuote(_)) => quotes += 1,
            Event::End(TagEnd::BlockQuote(_)) => quotes -= 1,
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info)))
                if is_closed(&text[range.clone()]) && quotes == 0 =>
            {
                open = Some((info.trim().to_owned(), String::new()));
            }
            Event::Text(part) => {
                if let Some((_, body)) = &mut open {
                    body.push_str(&part);
                }
            }
            Event::End(TagEnd::CodeBlock) => found.extend(open.take()),
            _ => {}
        }
    }
    found
}

/// Whether the last line of a block is a fence that closes it.
fn is_closed(block: &str) -> bool {
    let mut lines = block.lines();
    let Some(first) = lines.next() else { return false };
    let mark = first.trim_start().chars().next().unwrap_or(' ');
    let length = first.trim_start().chars().take_while(|c| *c == mark).count();
    lines.next_back().is_some_and(|last| {
        let is_indented = last.starts_with("    ") || last.starts_with('\t');
        let last = last.trim();
        !is_indented && last.chars().count() >= length && last.chars().all(|c| c == mark)
    })
}

fn found(text: &str) -> Vec<(String, String)> {
    fenced_blocks(text).into_iter().map(|block| (block.info, block.body)).collect()
}

fn line(with_containers: bool) -> impl Strategy<Value = String> {
    let fence = (
        0_usize..5,
        prop::sample::select(vec!["`", "~"]),
        1_usize..6,
        prop::sample::select(vec!["", "bash", " bash", "bash x", "scrape", "tool_call"]),
    )
        .prop_map(|(indent, mark, length, info)| format!("{}{}{info}", " ".repeat(indent), mark.repeat(length)));
    let text = prop::sample::select(vec!["ls -la", "", "", "  rm -rf x", "# title", "ошибка", "    code", "a ``` b"]);
    let container = prop::sample::select(vec![
        "> ```bash",
        "> ls",
        "- a",
        "- ```bash",
        "  ls",
        "  ```",
        "<div>",
        "</div>",
        "1. a",
        "  - a",
        "-",
        "   ```",
        "      ```",
        "-     a",
        "  # a",
        "- > a",
    ]);
    if with_containers {
        prop_oneof![3 => fence, 3 => text.prop_map(str::to_owned), 2 => container.prop_map(str::to_owned)].boxed()
    } else {
        prop_oneof![1 => fence, 1 => text.prop_map(str::to_owned)].boxed()
    }
}

fn document(with_containers: bool) -> impl Strategy<Value = String> {
    prop::collection::vec(line(with_containers), 0..14).prop_map(|lines| lines.join("\n") + "\n")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn the_same_blocks_are_found_as_by_the_parser(text in document(false)) {
        prop_assert_eq!(found(&text), expected(&text), "{}", text);
    }

    #[test]
    fn no_block_is_found_that_the_parser_does_not_find(text in document(true)) {
        let expected = expected(&text);
        for block in found(&text) {
            prop_assert!(expected.contains(&block), "{:?} in\n{}", block, text);
        }
    }

    #[test]
    fn nothing_breaks_it(text in "(?s)[`~ \nbash<>/\\-é\t\"{}]{0,200}") {
        fenced_blocks(&text);
    }
}
