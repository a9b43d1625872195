//! Arguments in a declared command line, read by bash itself: each is one word, to the byte.

#![expect(clippy::disallowed_methods, reason = "bash says what it reads")]

use std::{collections::BTreeMap, process::Command};

use proptest::prelude::*;
use serde_json::json;
use tools_core::JsonObject;
use tools_skills::Skill;
use tools_testkit::Workspace;

/// The words that bash makes of a line.
fn words(line: &str) -> Vec<Vec<u8>> {
    let told = Command::new("bash").args(["-c", &format!("printf '%s\\0' {line}")]).output().expect("bash runs");
    assert!(told.status.success() && told.stderr.is_empty(), "{line}: {told:?}");
    told.stdout.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect::<Vec<_>>()
}

fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "'", "\"", "\\", "$(", ")", "`", ";", "|", "&", "\n", " ", "$HOME", "*", "?", "~", "{a}", "{b=x}", "#", "!",
        "<", ">", "=", "-", "a", "ß", "\u{202e}", "(", "}", "\t", "\r",
    ]);
    prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn an_argument_is_one_word_whatever_is_in_it(a in hostile(), b in hostile()) {
        let workspace = Workspace::new();
        // Places beside text and beside each other; what stands within quotation marks is text.
        let front = "name: x\ndescription: d\nmetadata:\n  tool.show: \"first {a} p{b} 'x{c}' {a}{b}\"";
        let path = workspace.file("x/SKILL.md", format!("---\n{front}\n---\n"));
        let skill = Skill::read(path.parent().expect("a folder")).unwrap();
        prop_assert!(skill.warnings.is_empty(), "{:?}", skill.warnings);
        let args: BTreeMap<&str, &str> = [("a", a.as_str()), ("b", b.as_str())].into();
        let params: JsonObject = json!(args).as_object().cloned().unwrap_or_default();
        let line = skill.tools[0].line(&params).unwrap();
        let expected = ["first", &a, &format!("p{b}"), "x{c}", &format!("{a}{b}"), ""];
        prop_assert_eq!(words(&line), expected.map(|word| word.as_bytes().to_vec()));
    }
}
