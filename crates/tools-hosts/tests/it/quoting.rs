//! Quoted text against bash: whatever it holds, one word comes out that is this text.

use std::process::Command;

use proptest::prelude::*;
use tools_hosts::hook::quoted;

/// What bash hands a program for the word, byte by byte.
fn read_by_bash(words: &[String]) -> Vec<u8> {
    let line = format!("printf '%s\\0' {}", words.join(" "));
    Command::new("bash").args(["--norc", "--noprofile", "-c", &line]).output().expect("bash runs").stdout
}

fn texts() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        "[ -~]{0,12}",
        Just("'".to_owned()),
        Just("\"".to_owned()),
        Just("\\".to_owned()),
        Just("\n".to_owned()),
        Just("$(id)".to_owned()),
        Just("`id`".to_owned()),
        Just("!!".to_owned()),
        Just("é\u{202e}".to_owned()),
        "\\PC{0,4}",
    ];
    prop::collection::vec(pieces, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn bash_reads_every_text_back_as_it_was(texts in prop::collection::vec(texts(), 1..40)) {
        let words: Vec<String> = texts.iter().filter_map(|text| quoted(text)).collect();
        prop_assume!(words.len() == texts.len());
        let expected: Vec<u8> = texts.iter().flat_map(|text| text.bytes().chain([0])).collect();
        prop_assert_eq!(read_by_bash(&words), expected);
    }
}

#[test]
fn a_text_that_no_word_can_hold_is_none() {
    assert_eq!(quoted("a\0b"), None);
    assert_eq!(quoted("").as_deref(), Some("''"));
}
