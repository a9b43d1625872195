//! Generates bash scripts for comparing readers of bash. They are harmless to run: no program in
//! them exists, every loop ends after one round, and only `out` in the current folder is written.

use proptest::prelude::*;

/// The program `t0`, with a line continuation in its name.
pub(super) const JOINED_PROGRAM: &str = "t\\\n0";

/// A program that does not exist; names with `t` succeed, names with `f` fail.
fn program() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[tf][0-9]",
        1 => "[tf]\\\\[0-9]",
        1 => "\"[tf]\"[0-9]",
        1 => "[tf]''[0-9]",
        1 => "\\$'[tf][0-9]'",
        1 => Just("$'\\x74\\60'".to_owned()),
        1 => Just(JOINED_PROGRAM.to_owned()),
    ]
}

/// A word after a program, which may contain `inner`.
fn word(inner: impl Strategy<Value = String> + Clone + 'static) -> impl Strategy<Value = String> {
    let data = prop::sample::select(vec![
        "a", "'$(t1)'", "\\$\\(t2\\)", "\"\\`t3\\`\"", "a#b", "'#'", "$x", "\"$@\"", "{a,b}", "*", "$'it\\'s'",
        "$((1+2))", "\"a; t4\"", "'a | t5'", "\"'\"", "'\"'", "${x%%a}", "${#x}", "$#", "\\\\", "''", "x=1", "~",
        "[t1]", "!", "$\"a\"",
    ]);
    let holds = prop_oneof![
        inner.clone().prop_map(|text| format!("$({text})")),
        inner.clone().prop_map(|text| format!("$( {text}\n)")),
        inner.clone().prop_map(|text| format!("\"$({text})\"")),
        inner.clone().prop_map(|text| format!("\"a'$({text})'\"")),
        inner.clone().prop_map(|text| format!("${{x:-$({text})}}")),
        inner.clone().prop_map(|text| format!("\"${{x:-'$({text})'}}\"")),
        inner.clone().prop_map(|text| format!("$((1 + $({text}; echo 1)))")),
        inner.clone().prop_map(|text| format!("<({text})")),
        inner.clone().prop_map(|text| format!("{{a,$({text})}}")),
        inner.clone().prop_map(|text| format!("a$({text} # it's a comment )\n)b")),
        inner
            .clone()
            .prop_filter("backticks nest only when escaped", |text| is_plain(text))
            .prop_map(|text| format!("`{text}`")),
        inner
            .prop_filter("backticks nest only when escaped", |text| is_plain(text))
            .prop_map(|text| format!("\"`{text}`\"")),
    ];
    prop_oneof![3 => data.prop_map(str::to_owned), 2 => holds]
}

fn is_plain(text: &str) -> bool {
    !text.contains(['`', '\\', '"', '#'])
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn simple(inner: impl Strategy<Value = String> + Clone + 'static) -> impl Strategy<Value = String> {
    let before = prop::sample::select(vec![
        "", "", "", "", "X=1 ", "! ", "command ", "time ", "time -p ", "builtin command ", "X=1 Y='a b' ",
        ">/dev/null ", "2>&1 ",
    ]);
    let after = prop::sample::select(vec![
        "", "", "", "", " >out", " 2>/dev/null", " </dev/null", " 2>&1", " &>out", " >|out", " {v}>out",
    ]);
    let words = prop::collection::vec(word(inner.clone()), 0..3)
        .prop_map(|words| words.iter().fold(String::new(), |line, word| format!("{line} {word}")));
    prop_oneof![
        8 => (before, program(), words, after).prop_map(|(before, program, words, after)| format!("{before}{program}{words}{after}")),
        1 => (program(), inner.clone()).prop_map(|(program, inner)| format!("{program} <<E a\nline $({inner}) 'it\nE\n")),
        1 => (program(), inner.clone()).prop_map(|(program, inner)| format!("{program} <<-'E' | t7\n\t$({inner}\n\tE\n")),
        1 => (program(), word(inner.clone())).prop_map(|(program, word)| format!("{program} <<< {word}")),
        1 => inner.clone().prop_map(|inner| format!("eval {}", quoted(&inner))),
        1 => inner.clone().prop_map(|inner| format!("X=$({inner})")),
        1 => inner.clone().prop_map(|inner| format!("x=(1 $({inner}) \"b c\")")),
        1 => inner.prop_map(|inner| format!("[[ -n $({inner}) && a =~ (a|b) ]]")),
    ]
}

fn compound(inner: impl Strategy<Value = String> + Clone + 'static) -> impl Strategy<Value = String> {
    let two = (inner.clone(), inner.clone());
    let three = (inner.clone(), inner.clone(), inner.clone());
    let between =
        prop::sample::select(vec!["\n", " && ", " || ", " | ", " |& ", "; ", " &\n", " # $(t9)\n", " && \\\n"]);
    prop_oneof![
        4 => (inner.clone(), between, inner.clone()).prop_map(|(a, by, b)| format!("{a}{by}{b}")),
        1 => inner.clone().prop_map(|a| format!("{{ {a}\n}}")),
        1 => inner.clone().prop_map(|a| format!("( {a}\n)")),
        1 => three.clone().prop_map(|(a, b, c)| format!("if {a}\nthen {b}\nelse {c}\nfi")),
        1 => two.clone().prop_map(|(a, b)| format!("if {a}\nthen :; elif {b}\nthen t8; fi")),
        1 => two.clone().prop_map(|(a, b)| format!("while {a}\ndo {b}\nbreak\ndone")),
        1 => two.clone().prop_map(|(a, b)| format!("until {a}\ndo {b}\nbreak\ndone >out")),
        1 => two.clone().prop_map(|(a, b)| format!("for i in a $({a})\ndo {b}\ndone")),
        1 => inner.clone().prop_map(|a| format!("for ((i=0; i<1; i++)); do {a}\ndone")),
        1 => three.prop_map(|(a, b, c)| format!("case $({a}) in (a|b) {b}\n;; *) {c}\n;;& x) t6;; esac")),
        1 => inner.clone().prop_map(|a| format!("g0() {{ {a}\n}}; g0")),
        1 => two.prop_map(|(a, b)| format!("function g1 {{ {a}\n}} >out\ng1 | {b}")),
        1 => inner.prop_map(|a| format!("coproc {{ {a}\n}}\n")),
    ]
}

/// A whole script.
pub(super) fn script() -> impl Strategy<Value = String> {
    program()
        .boxed()
        .prop_recursive(4, 24, 3, |inner| prop_oneof![3 => simple(inner.clone()), 2 => compound(inner)].boxed())
}

/// A script with pieces removed or inserted.
pub(super) fn broken() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "", ";", "&", "|", "(", ")", "{", "}", "\"", "'", "`", "$(", "${", "((", "))", "fi", "done", "do", "then",
        "esac", ";;", "<<E", "\n", "\\", "[[", "]]", "$'", "<(", "!", "#", "$((", "=(", "case x in",
    ]);
    (script(), prop::collection::vec((any::<prop::sample::Index>(), 0_usize..3, piece), 1..3)).prop_map(
        |(script, cuts)| {
            let mut text: Vec<char> = script.chars().collect();
            for (at, taken, piece) in cuts {
                let at = at.index(text.len() + 1);
                let end = (at + taken).min(text.len());
                text.splice(at..end, format!(" {piece} ").chars());
            }
            text.into_iter().collect()
        },
    )
}
