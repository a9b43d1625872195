//! Tests of the steps of an edit: tables, and properties of all texts.

use proptest::prelude::*;

use super::*;

mod history;

fn apply(text: &str, old: &str, new: &str) -> Result<(Step, String), EditMismatch> {
    find(text, Request { old, new, all: false, crlf: false }, &[]).map(|found| (found.step, found.apply(text)))
}

fn check(text: &str, old: &str, new: &str, step: Step, expected: &str) {
    assert_eq!(apply(text, old, new), Ok((step, expected.to_owned())), "{text:?} {old:?} -> {new:?}");
}

#[test]
fn an_exact_match_wins() {
    check("a\nb\nc\n", "b", "B", Step::Exact, "a\nB\nc\n");
    check("x=1\n", "x=1", "$1 $& \\1", Step::Exact, "$1 $& \\1\n");
    check("10%\r50%\r100%\ndone\n", "done", "fin", Step::Exact, "10%\r50%\r100%\nfin\n");
    check("a\r\nb\r\n", "b", "x\ny", Step::Exact, "a\r\nx\r\ny\r\n");
    check("a\nb\n", "b", "x\ny", Step::Exact, "a\nx\ny\n");
    check("a\r\nb\nc\n", "b\nc", "x\ny", Step::Exact, "a\r\nx\ny\n");
    check("no newline", "no", "a", Step::Exact, "a newline");
}

#[test]
fn a_part_of_what_counts_as_a_whole_is_no_match() {
    let text = "key = abcdef\nend = abc\n";
    let whole: Vec<Range<usize>> = std::iter::once(6..12).collect();
    let check = |old: &str, all: bool, expected: Option<&str>| {
        let found = find(text, Request { old, new: "x", all, crlf: false }, &whole).map(|found| found.apply(text));
        assert_eq!(found.ok().as_deref(), expected, "{old}");
    };
    check("abcdef", false, Some("key = x\nend = abc\n"));
    check("key = abcdef\n", false, Some("xend = abc\n"));
    check("cd", false, None);
    check("= abcd", false, None);
    check("def\nend", false, None);
    check("key = abc", false, None);
    // One of the two matches lies in it.
    check("abc", false, Some("key = abcdef\nend = x\n"));
    check("abc", true, Some("key = abcdef\nend = x\n"));
}

#[test]
fn line_endings_are_bridged_and_kept() {
    check("a\r\nb\r\nc\r\n", "a\nb", "A\nB", Step::LineEndings, "A\r\nB\r\nc\r\n");
    check("a\r\nb\r\nc\r\n", "b\n", "B\nC\n", Step::LineEndings, "a\r\nB\r\nC\r\nc\r\n");
    check("a\r\nb\r\nc\r\n", "a\nb\n", "", Step::LineEndings, "c\r\n");
    check("a\r\nb\nc\r\n", "a\nb\nc", "1\n2\n3", Step::LineEndings, "1\r\n2\n3\r\n");
    check("a\nb\n", "a\r\nb", "x\r\ny", Step::LineEndings, "x\ny\n");
    check("x\r\ny\r\n", "\ny", "\nz", Step::LineEndings, "x\r\nz\r\n");
    check("x\r\ny\r\n", "\ny", "\na\nb", Step::LineEndings, "x\r\na\r\nb\r\n");
}

#[test]
fn trailing_blanks_are_bridged() {
    check("key = 1   \nnext\n", "key = 1\nnext", "key = 2\nnext", Step::TrailingBlanks, "key = 2\nnext\n");
    check("a\nb  \nc", "b\nc\n", "B\nC\n", Step::TrailingBlanks, "a\nB\nC");
    check("a \r\nb\r\n", "a\nb\n", "x\ny\n", Step::TrailingBlanks, "x\r\ny\r\n");
}

#[test]
fn a_uniform_difference_of_indentation_is_bridged() {
    check(
        "mod a {\n    fn f() {\n        x();\n    }\n}\n",
        "fn f() {\n    x();\n}",
        "fn f() {\n    y();\n\n    z();\n}",
        Step::Indentation,
        "mod a {\n    fn f() {\n        y();\n\n        z();\n    }\n}\n",
    );
    check(
        "if x {\n  y\n}\n",
        "    if x {\n      y\n    }",
        "    if z {\n      y\n    }",
        Step::Indentation,
        "if z {\n  y\n}\n",
    );
    check(
        "\tif x {\n\t\ty\n\t}\n",
        "    if x {\n        y\n    }",
        "    if x {\n        y\n            deep\n    }",
        Step::Indentation,
        "\tif x {\n\t\ty\n\t\t\tdeep\n\t}\n",
    );
}

#[test]
fn differences_that_are_not_uniform_are_not_bridged() {
    for (text, old, new) in [
        ("  a\n    b\n", "a\nb", "x"),
        ("if x:\n  a\n   b\n", "if x:\n    a\n    b", "x"),
        ("a\n", "    a\n", "b\n"), // the new text cannot lose the indentation
    ] {
        assert!(matches!(apply(text, old, new), Err(EditMismatch::NotFound { .. })), "{text:?}");
    }
}

#[test]
fn two_places_are_never_guessed_between() {
    let check = |text: &str, old: &str, step: Step, lines: &[usize]| {
        let expected = EditMismatch::Ambiguous { step, lines: lines.to_vec(), total: lines.len() };
        assert_eq!(apply(text, old, "new"), Err(expected));
    };
    check("foo\nbar\nfoo\n", "foo", Step::Exact, &[1, 3]);
    check("aaa\n", "aa", Step::Exact, &[1, 1]);
    check("a\r\nb\r\na\r\nb\r\n", "a\nb", Step::LineEndings, &[1, 3]);
    check("x \ny\nx  \ny\n", "x\ny", Step::TrailingBlanks, &[1, 3]);
    check(" p\n q\n\n  p\n  q\n", "p\nq", Step::Indentation, &[1, 4]);
    // An exact match is used even if a looser one exists as well.
    assert!(apply("x\ny\nx \ny\n", "x\ny", "z").is_ok());
}

#[test]
fn all_places_are_replaced_when_all_are_meant() {
    let all = |text: &str, old: &str, new: &str| {
        find(text, Request { old, new, all: true, crlf: false }, &[]).map(|f| (f.places.len(), f.apply(text)))
    };
    assert_eq!(all("foo bar foo", "foo", "x"), Ok((2, "x bar x".to_owned())));
    assert_eq!(all("aaaa", "aa", "b"), Ok((2, "bb".to_owned())));
    assert_eq!(all("aaa", "aa", "b"), Ok((1, "ba".to_owned())));
}

#[test]
fn unchanged_lines_keep_their_trailing_blanks() {
    check("a  \nb\nc \n", "a\nb\nc", "a\nB\nc", Step::TrailingBlanks, "a  \nB\nc \n");
    check("  a  \n  b\n  c \nd", "a\nb\nc\n", "a\nB\nc\n", Step::Indentation, "  a  \n  B\n  c \nd");
}

fn miss(text: &str, old: &str, new: &str) -> (Option<NearestText>, Option<usize>, Option<&'static str>) {
    match apply(text, old, new) {
        Err(EditMismatch::NotFound { near, applied, copied }) => (near, applied, copied),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_miss_says_what_is_nearest_and_why() {
    let sent = |text: &str| Row::Sent(text.to_owned());
    let there = |line: usize, text: &str| Row::File(line, text.to_owned());
    let (found, applied, copied) = miss("one\nlet value  = 1;\nthree\n", "let value = 1;", "let x = 2;");
    let found = found.unwrap();
    assert_eq!((found.lines, found.rows), ((2, 2), vec![sent("let·value·=·1;"), there(2, "let·value··=·1;")]));
    assert!(found.why.starts_with(" (differs only in blanks"), "{}", found.why);
    assert_eq!((applied, copied), (None, None));
    let why = |text: &str, old: &str| miss(text, old, "x").0.unwrap().why;
    assert_eq!(why("say “hi there”\n", "say \"hi there\""), " (differs only in quotes or dashes)");
    assert_eq!(why("Hello World\n", "hello world"), " (differs only in case)");
    let composed = miss("let café = 1;\n", "let cafe\u{301} = 1;", "x").0.unwrap();
    assert_eq!(composed.rows, [sent("let cafe\\u{301} = 1;"), there(1, "let caf\\u{e9} = 1;")]);
    assert_eq!(miss("completely\nunrelated\n", "zzz", "y").0, None);
}

#[test]
fn what_stands_for_a_credential_is_whole_in_what_is_nearest() {
    let placeholder = "«secret:password#1·mbakur»";
    let long = "x".repeat(190);
    for (line, old) in [
        (format!("machine x login y password {placeholder}"), "password Tr0".to_owned()),
        (format!("{long} {placeholder}"), format!("{long} Tr0")),
        (format!("{long}{long} {placeholder} {long}"), format!("{long}{long} {placeholder} y{long}")),
        (format!("é key {placeholder}"), format!("e\u{301} key {placeholder}")),
        (format!("key  {placeholder}"), format!("key {placeholder}")),
    ] {
        let near = miss(&format!("a\n{line}\n"), &old, "z").0.unwrap();
        for row in &near.rows {
            let (Row::Same(_, text) | Row::File(_, text) | Row::Sent(text)) = row else { continue };
            assert_eq!(text.contains("secret:"), text.contains(placeholder), "{text}");
            assert!(text.contains(placeholder) || !text.contains("mbakur"), "{text}");
        }
    }
}

#[test]
fn a_miss_shows_the_line_that_differs() {
    let file = (0..60).map(|n| format!("    let value_{n} = compute({n}, {});\n", n * 7)).collect::<Vec<_>>().concat();
    let lines: Vec<&str> = file.lines().collect();
    let old = lines[10..50].join("\n").replace("value_33", "value_thirty_three");
    let near = miss(&file, &old, "x").0.unwrap();
    assert_eq!(near.lines, (11, 50));
    let expected = [
        Row::Skipped(21),
        Row::Same(32, lines[31].to_owned()),
        Row::Same(33, lines[32].to_owned()),
        Row::Sent(lines[33].replace("value_33", "value_thirty_three")),
        Row::File(34, lines[33].to_owned()),
        Row::Same(35, lines[34].to_owned()),
        Row::Same(36, lines[35].to_owned()),
        Row::Skipped(14),
    ];
    assert_eq!(near.rows, expected);
    // A missing line, and an additional line.
    let without = [&lines[10..20], &lines[21..40]].concat().join("\n") + "\nno such line";
    let rows = miss(&file, &without, "x").0.unwrap().rows;
    assert!(
        rows.contains(&Row::File(21, lines[20].to_owned())) && rows.contains(&Row::Sent("no such line".into())),
        "{rows:?}"
    );
    // Part of a long line.
    let long = (0..3000).map(|n| format!("f{n}({n});")).collect::<Vec<_>>().concat();
    let near = miss(&format!("a\n{long}\n"), "f1500(1500);f1501(1501);g1502(1502);f1503(1503);", "x").0.unwrap();
    let Row::File(2, there) = &near.rows[1] else { panic!("{near:?}") };
    assert!(there.contains("f1502(1502)") && there.len() < 300, "{there}");
}

#[test]
fn an_edit_counts_as_applied_only_when_it_is() {
    let applied = |text: &str, old: &str, new: &str| miss(text, old, new).1;
    assert_eq!(applied("a\nnewvalue\nc\n", "oldvalue", "newvalue"), Some(2));
    assert_eq!(applied("fn f() {\n    two();\n}\n", "fn f() {\n    one();\n}", "fn f() {\n    two();\n}"), Some(1));
    // The new text exists elsewhere, and the old one was remembered wrongly.
    assert_eq!(
        applied("fn f() {\n    return Err(error);\n}\nfn g() {\n    Ok(())\n}\n", "return Err(eror);", "Ok(())"),
        None
    );
    assert_eq!(applied("x = 1\nlong_name = 10\ny = 2\n", "long_nam = 10", "y = 2"), None);
    // A pure deletion: the remaining text proves nothing.
    assert_eq!(applied("q();\nOk(())\n", "p();\nOk(())", "Ok(())"), None);
}

#[test]
fn a_miss_says_how_the_text_was_copied() {
    let copied = |text: &str, old: &str| miss(text, old, "x").2.unwrap_or_default();
    assert!(copied("foo\nbar\n", "     1\tfoo").contains("line numbers"));
    assert!(copied("foo\nbar\n", "foo\\nbar").contains("escapes"));
    assert!(copied("say \"x\"\n", "say \\\"x\\\"").contains("escapes"));
    assert!(copied("a < b && c\n", "a &lt; b &amp;&amp; c").contains("entities"));
    assert!(copied("one\ntwo\n", "+one\n+two").contains("signs of a diff"));
    assert!(copied("a {\n b\n c\n d\n}\n", "a {\n    // ...\n}").contains("left out"));
    assert_eq!(copied("foo\n", "something else"), "");
}

/// A source file from the fixtures, so that edits of the code do not affect this test, and blocks
/// of it at every position.
fn blocks(length: usize) -> (String, Vec<String>) {
    let file = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/splice/fixtures/source.txt")).unwrap();
    let lines: Vec<&str> = file.lines().collect();
    let blocks = lines.windows(length).step_by(5).map(|lines| lines.join("\n"));
    let blocks = blocks.filter(|block| file.matches(block.as_str()).count() == 1).collect();
    (file, blocks)
}

#[test]
fn one_wrong_word_in_a_block_is_shown_wherever_it_stands() {
    for length in [3, 8, 20, 40] {
        let (file, blocks) = blocks(length);
        let (mut asked, mut shown) = (0, 0);
        for (n, block) in blocks.iter().enumerate() {
            let words: Vec<usize> = block.match_indices(|c: char| c.is_ascii_lowercase()).map(|(at, _)| at).collect();
            let Some(&at) = words.get(n * 37 % words.len().max(1)) else { continue };
            let wrong = format!("{}zzq{}", &block[..at], &block[at..]);
            let line = block[..at].matches('\n').count();
            let right = block.lines().nth(line).unwrap();
            asked += 1;
            let (near, applied, _) = miss(&file, &wrong, "    Ok(())");
            assert_eq!(applied, None, "{wrong}");
            shown +=
                usize::from(near.is_some_and(|near| {
                    near.rows.iter().any(|row| matches!(row, Row::File(_, text) if text == right))
                }));
        }
        assert!(asked > 50 && shown * 100 >= asked * 95, "{length} lines: {shown} of {asked}");
    }
}

fn line() -> impl Strategy<Value = String> {
    "[ \t]{0,3}[abxé]{0,3}[ \r]{0,1}"
}

fn text() -> impl Strategy<Value = String> {
    (proptest::collection::vec((line(), proptest::sample::select(vec!["\n", "\r\n"])), 0..8), line())
        .prop_map(|(lines, last)| lines.into_iter().map(|(line, end)| line + end).collect::<String>() + &last)
}

proptest! {
    #[test]
    fn an_exact_match_is_replaced_by_the_text_as_it_was_sent(
        before in "([ \t]{0,4}[a-c]{0,3}\n){0,6}", new in "([ \t]{0,6}[x-z]{0,3}\n?){0,6}",
        after in "(\n[ \t]{0,4}[a-c]{0,3}){0,6}",
    ) {
        let found = find(&format!("{before}OLD{after}"), Request { old: "OLD", new: &new, all: false, crlf: false }, &[]).unwrap();
        prop_assert_eq!(found.apply(&format!("{before}OLD{after}")), format!("{before}{new}{after}"));
    }

    #[test]
    fn what_is_outside_the_places_is_untouched(text in text(), old in text(), new in text(), all: bool) {
        prop_assume!(!old.is_empty());
        if let Ok(found) = find(&text, Request { old: &old, new: &new, all, crlf: false }, &[]) {
            let result = found.apply(&text);
            prop_assert!(all || found.places.len() == 1);
            let (mut in_text, mut in_result) = (0, 0);
            for place in &found.places {
                prop_assert!(place.range.start >= in_text);
                let kept = place.range.start - in_text;
                prop_assert_eq!(&text[in_text..place.range.start], &result[in_result..in_result + kept]);
                in_text = place.range.end;
                in_result += kept + place.text.len();
            }
            prop_assert_eq!(&text[in_text..], &result[in_result..]);
        }
    }

    #[test]
    fn a_piece_of_the_text_is_found_exactly(text in text(), from in 0..40_usize, length in 1..20_usize) {
        let chars: Vec<char> = text.chars().collect();
        let from = from % chars.len().max(1);
        let old: String = chars.iter().skip(from).take(length).collect();
        if old.is_empty() {
            return Ok(());
        }
        match find(&text, Request { old: &old, new: "N", all: false, crlf: false }, &[]) {
            // Old text that begins in the middle of a CRLF means the whole line break; another step
            // finds it.
            _ if old.starts_with('\n') => {}
            Ok(found) => prop_assert_eq!((found.step, &text[found.places[0].range.clone()]), (Step::Exact, old.as_str())),
            Err(miss) => {
                let exact = matches!(miss, EditMismatch::Ambiguous { step: Step::Exact, .. });
                prop_assert!(exact);
            }
        }
    }
}
