//! Which commands the grammar finds in a text, as `bash` would run them.

use super::{Word, parse};

/// The program of each command, sorted; `?` if it is known only at run time, `ERR` for a refused
/// text.
fn heads(text: &str) -> Vec<String> {
    let Ok(parsed) = parse(text) else { return vec!["ERR".to_owned()] };
    let head = |word: &Word| word.literal().unwrap_or_else(|| "?".to_owned());
    let mut heads: Vec<String> = parsed.commands.iter().filter_map(|command| command.words.first()).map(head).collect();
    heads.sort();
    heads
}

#[test]
fn every_command_is_found_and_no_other() {
    let table = [
        ("ls && a || b", "a b ls"),
        ("ls |& a", "a ls"),
        ("{ a; }", "a"),
        ("! a", "a"),
        ("while a; do b; done", "a b"),
        ("for i in $(a); do b $i; done", "a b"),
        ("b `b \\`a\\``", "a b b"),
        ("b \"`a`\"", "a b"),
        ("X=$(a) b", "a b"),
        ("x=(1 $(a))", "a"),
        ("b \"${x:-`a`}\"", "a b"),
        ("b $(( $(a) + 1 ))", "a b"),
        ("b $[ $(a) ]", "a b"),
        ("b > $(a)", "a b"),
        ("b <<E\n$(a) `c`\nE\nd", "a b c d"),
        ("b <<-\tE | a x\n\tfoo\n\tE\nd", "a b d"),
        ("b <<A <<B\na\nA\n$(c)\nB", "b c"),
        ("b <<'E'\n$(a)\nE", "b"),
        ("\\a\\b c", "ab"),
        ("$'\\x61' c", "a"),
        ("\"$c\"x c", "?"),
        ("a # b\nc", "a c"),
        ("a b#c; d", "a d"),
        ("a &>x", "a"),
        ("if a; then { (b) } fi", "a b"),
        ("b $'a\\'b'; a", "a b"),
        ("x='$(no)'; a \"$x\"", "a"),
        ("b \"$(c <<'E'\nit's\nE\na)\"", "a b c"),
        ("b $(b ok # comment )\na)", "a b b"),
        ("b \"$((b a); a)\"", "a b b"),
        ("b $((a) | c)", "a b c"),
        ("b <<E\n${x:-$(a)}\nE", "a b"),
        ("b \"\\$(a)\"", "b"),
        ("b \"${x:-'$(a)'}\"", "a b"),
        ("b ${x:-'$(a)'}", "b"),
        ("b $(c <<'E'\n(\nE\na)", "a b c"),
        ("x[$(a)]=1", "a"),
        ("case $(a) in (x|y) b;; *) c; esac", "a b c"),
        ("[[ -n $(a) && x =~ ^(p|q)$ ]] && b", "a b"),
        ("f() { a; }; f", "a f"),
        ("function f { a; }", "a"),
        ("coproc n { a; }", "a"),
        ("time -p a", "a"),
        ("b \\\n&& a", "a b"),
        ("b 2>&1 >x <y a", "b"),
        ("{x}>y b", "b"),
        ("b <(a) >(c)", "a b c"),
    ];
    for (text, expected) in table {
        assert_eq!(heads(text).join(" "), expected, "{text:?}");
    }
}

#[test]
fn what_bash_refuses_is_refused() {
    let refused = [
        "a $(", "a \"", "a '", "a `", "a &&", "a ||", "a |", "a | | b", "a;; b", ")", "}", "if a", "if a; then b",
        "while a", "for", "case x", "a )", "fi", "a <<E", "x=(", "${", "a $((", "{ a", "( a", "[[ x", "f() ", "a > ",
        "a & & b", "; a",
    ];
    for text in refused {
        assert_eq!(heads(text), ["ERR"], "{text:?}");
    }
}

#[test]
fn deep_nesting_is_refused_and_does_not_end_the_process() {
    for (open, close) in [
        ("$(", ")"),
        ("{ ", "; }"),
        ("(", ")"),
        ("if ", ""),
        ("${x:-", "}"),
        ("a[$(", ")]"),
        ("$((", "))"),
        ("x=$(", ")"),
        ("\"$(", ")\""),
        ("`", "`"),
        ("! ", ""),
    ] {
        let text = format!("{}a{}", open.repeat(5000), close.repeat(5000));
        let _ = parse(&text);
    }
}

#[test]
fn long_texts_of_one_thing_are_read_in_time_that_grows_with_their_length() {
    for piece in [
        "$((", "a[", "x[$y ", "nice -z ", "env ", "{a,b} ", "[ ", "'' ", "$x", "<<E ", "(", "`", "\\\n", "a|", "f(){ ",
        "a;", "!", "#", "\"",
    ] {
        let surroundings = crate::Surroundings::default();
        crate::analyse(&piece.repeat(20_000), &surroundings);
    }
}
