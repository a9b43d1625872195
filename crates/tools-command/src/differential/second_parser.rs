//! The analysis finds every command that tree-sitter's bash grammar finds.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tree_sitter::{Node, Parser};

use super::scripts::script;
use crate::{Surroundings, analyse};

/// The names of commands that are plain words; empty for a text that tree-sitter does not fully
/// parse.
fn heads(text: &str, parser: &mut Parser) -> BTreeSet<String> {
    let Some(tree) = parser.parse(text, None).filter(|tree| !tree.root_node().has_error()) else {
        return BTreeSet::new();
    };
    let mut heads = BTreeSet::new();
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        if node.kind() == "command_name" {
            heads.extend(plain_word(node, text));
        }
        let mut cursor = node.walk();
        open.extend(node.children(&mut cursor));
    }
    heads
}

fn plain_word(name: Node<'_>, text: &str) -> Option<String> {
    let word = name.child(0).filter(|child| child.kind() == "word")?;
    let word = word.utf8_text(text.as_bytes()).ok()?;
    word.bytes().all(|byte| byte.is_ascii_alphanumeric()).then(|| word.to_owned())
}

#[test]
fn a_command_that_a_second_parser_finds_is_listed_or_the_line_is_opaque() {
    let parser = std::cell::RefCell::new(Parser::new());
    parser.borrow_mut().set_language(&tree_sitter_bash::LANGUAGE.into()).expect("the grammar of bash");
    let compared = std::cell::Cell::new(0_usize);
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    runner
        .run(&script(), |script| {
            // tree-sitter ends a word at a line continuation, and reads `time`, `coproc` and `!` as
            // programs.
            let script = script
                .replace("\\\n", "")
                .replace("time -p ", "")
                .replace("time ", "")
                .replace("coproc ", "")
                .replace("! ", "");
            let found = analyse(&script, &Surroundings::default());
            // It also confuses expressions in here-documents with subshells, and reads quotes in
            // `"${…}"` that are plain text.
            let is_misread = script.contains("$((") || script.contains("\"${x:-'");
            if found.opaque.is_empty() && !is_misread {
                let listed: BTreeSet<String> =
                    found.commands.iter().map(|command| command.program.text.clone()).collect();
                let theirs = heads(&script, &mut parser.borrow_mut());
                compared.set(compared.get() + theirs.len());
                let missed: Vec<&String> = theirs.difference(&listed).collect();
                prop_assert!(missed.is_empty(), "{missed:?} is not among {listed:?}:\n{script}");
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert!(compared.get() > 100, "the second parser read next to nothing");
}
