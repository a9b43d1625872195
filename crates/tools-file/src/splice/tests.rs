//! The ladder of an edit: tables, and what holds for all texts.

use proptest::prelude::*;

use super::*;

mod history;

fn apply(text: &str, old: &str, new: &str) -> Result<(Step, String), Miss> {
    find(text, Request { old, new, all: false }).map(|found| (found.step, found.apply(text)))
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
        assert!(matches!(apply(text, old, new), Err(Miss::NotFound { .. })), "{text:?}");
    }
}

#[test]
fn two_places_are_never_guessed_between() {
    let check = |text: &str, old: &str, step: Step, lines: &[usize]| {
        let expected = Miss::Ambiguous { step, lines: lines.to_vec(), total: lines.len() };
        assert_eq!(apply(text, old, "new"), Err(expected));
    };
    check("foo\nbar\nfoo\n", "foo", Step::Exact, &[1, 3]);
    check("aaa\n", "aa", Step::Exact, &[1, 1]);
    check("a\r\nb\r\na\r\nb\r\n", "a\nb", Step::LineEndings, &[1, 3]);
    check("x \ny\nx  \ny\n", "x\ny", Step::TrailingBlanks, &[1, 3]);
    check(" p\n q\n\n  p\n  q\n", "p\nq", Step::Indentation, &[1, 4]);
    // An exact match is meant even where a loose one would be found as well.
    assert!(apply("x\ny\nx \ny\n", "x\ny", "z").is_ok());
}

#[test]
fn all_places_are_replaced_when_all_are_meant() {
    let all = |text: &str, old: &str, new: &str| {
        find(text, Request { old, new, all: true }).map(|f| (f.places.len(), f.apply(text)))
    };
    assert_eq!(all("foo bar foo", "foo", "x"), Ok((2, "x bar x".to_owned())));
    assert_eq!(all("aaaa", "aa", "b"), Ok((2, "bb".to_owned())));
    assert_eq!(all("aaa", "aa", "b"), Ok((1, "ba".to_owned())));
}

#[test]
fn a_miss_says_what_is_nearest_and_why() {
    let near = |text: &str, old: &str, new: &str| match apply(text, old, new) {
        Err(Miss::NotFound { near, applied, numbered }) => (near, applied, numbered),
        other => panic!("{other:?}"),
    };
    let (found, applied, numbered) = near("one\nlet value  = 1;\nthree\n", "let value = 1;", "let x = 2;");
    assert_eq!(found, Some(Near { first: 2, lines: vec!["let value  = 1;".into()], why: " (differs only in blanks)" }));
    assert_eq!((applied, numbered), (None, false));
    assert_eq!(near("say “hi there”\n", "say \"hi there\"", "x").0.unwrap().why, " (differs only in quotes or dashes)");
    assert_eq!(near("Hello World\n", "hello world", "x").0.unwrap().why, " (differs only in case)");
    assert_eq!(near("a\nnewvalue\nc\n", "oldvalue", "newvalue").1, Some(2));
    assert!(near("foo\nbar\n", "     1\tfoo", "FOO").2);
    assert_eq!(near("completely\nunrelated\n", "zzz", "y").0, None);
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
    fn what_is_outside_the_places_is_untouched(text in text(), old in text(), new in text(), all: bool) {
        prop_assume!(!old.is_empty());
        if let Ok(found) = find(&text, Request { old: &old, new: &new, all }) {
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
        match find(&text, Request { old: &old, new: "N", all: false }) {
            // One that begins in the middle of a CRLF means the whole line break; another step finds that.
            _ if old.starts_with('\n') => {}
            Ok(found) => prop_assert_eq!((found.step, &text[found.places[0].range.clone()]), (Step::Exact, old.as_str())),
            Err(miss) => {
                let exact = matches!(miss, Miss::Ambiguous { step: Step::Exact, .. });
                prop_assert!(exact);
            }
        }
    }
}
