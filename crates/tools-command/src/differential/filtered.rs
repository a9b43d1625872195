//! No `sed` or `awk` script runs a program unseen. Scripts cover every construct, contain the
//! marker somewhere, and run with the real programs of this machine.

use super::figures::{Figures, LeastShares, Plan};
use super::generator::{Rules, line_of};
use super::oracle::Oracle;
use crate::Analysis;

const PLAN: Plan = Plan { lines: 800, batch: 100, parts: 2, seed: 20_261_127, sample: 4 };
const LEAST: LeastShares = LeastShares { ran: 12, clear: 50 };

/// The grammar of the scripts: each name with its alternatives.
const SED_RULES: Rules = &[
    ("line", &["sed ‹options›‹q:script› x", "sed ‹options›‹q:script› x", "sed ‹options›-e ‹q:script› -e ‹q:script› x"]),
    ("options", &["", "", "-n ", "-E ", "-s ", "-z "]),
    ("script", &["‹run›", "‹command›‹by›‹script›", "‹command›‹by›‹script›", "‹command›‹script›", "‹run›‹by›‹script›"]),
    ("by", &[";", "\n", "\n", " ", "}", ";}", "\n}", " #", "{"]),
    (
        "run",
        &[
            "‹address›e ‹M›", "‹address›e ‹M›", "e ‹M› #‹junk›", "e ‹M› #‹junk›", "s‹slashed›‹flags›e",
            "s/.*/‹M›‹junk›/‹flags›e",
        ],
    ),
    (
        "slashed",
        &["/‹regex›/‹M›/", ",‹regex›,‹M›,", "\\.*\\‹M›\\", "].*]‹M›]", "[.*[‹M›[", "|‹regex›|‹M› #‹junk›|", "x.*x‹M›x"],
    ),
    ("flags", &["", "", "g", "1", "I", "M", " ", "pm"]),
    (
        "address",
        &["", "", "1", "$", "1,+2", "0~1", "1,~2", "/x/I", "/‹regex›/", "\\,‹regex›,", "1!!", "\\\\x\\", "\\c‹regex›c"],
    ),
    (
        "regex",
        &[
            "x", ".*", "‹bracket›*", "‹bracket›", "[^/]*x", "x‹bracket›*", "‹junk›", "\\(x\\)‹bracket›*", "\\/*.*",
            "\\\\*.*",
        ],
    ),
    (
        "bracket",
        &[
            "[/x]", "[]/x]", "[^]/]", "[^/]", "[[:alpha:]/]", "[[.].]x/]", "[[=x=]/]", "[\\]x]", "[\\/x]", "[x\\]",
            "[,x]", "[[x]",
        ],
    ),
    ("junk", &["", "[", "]", "/", "\\/", "[/]", "/]", ",", "\\", "s/", "#]/", "]/x/", "\"", "e", "w o", "\\n"]),
    (
        "command",
        &[
            "p", "x;x", "v", "v 4.2", "v‹junk›", ":a", ": a", "ba", "t", "T", "b", "#‹junk›", "#n", "{", "}", "n;",
            "=", "l 5", "s/‹regex›/‹junk›/", "s,‹regex›,‹junk›,g", "s\\x\\y\\", "s[x[y[", "s]x]y]", "s/x/\\\n/",
            "s;x;y;", "s x y ", "s\nx\ny\n", "y/x/y/", "y/[/x/", "y\\x\\y\\", "y,[,/,", "y/]/[/", "y/\\//x/",
            "y/x\\n/yz/", "y;x;[;", "a\\\n‹junk›", "i\\\n‹junk›", "c\\\n‹junk›", "a ‹junk›", "a\\‹junk›",
            "i\\x\\\n‹junk›", "1i\\\n\\‹junk›", "a x\\\n‹junk›", "a\\ \n‹junk›", "a x\\\\", "a\\", "$!{$!N}",
            "/‹regex›/p", "\\,‹regex›,p", "/‹regex›/{p}", "\\\\x\\p", "/x/,/‹regex›/p", "r x", "w o", "R x‹junk›",
            "W o", "s/x/y/w o", "F", "z;s/^/x/", "q5", "/zz/q", "/zz/{b}", "/zz/ba",
        ],
    ),
];

/// The same for `awk`.
const AWK_RULES: Rules = &[
    ("line", &["‹awk› ‹q:program› x"]),
    ("awk", &["gawk", "mawk", "awk"]),
    (
        "program",
        &[
            "BEGIN{‹statements›}‹tail›", "{‹statements›}‹tail›", "‹pattern›{‹statements›}‹tail›",
            "{‹statement›;‹statement›}‹tail›",
        ],
    ),
    ("tail", &["", "", " #‹junk›", "\n/x/", "\n/‹junk›/{y=1/2}"]),
    ("statements", &["‹run›", "‹statement›‹by›‹statements›", "‹statement›‹by›‹statements›", "‹run›‹by›‹statement›"]),
    ("by", &[";", ";", "\n", " ; ", "\n\n"]),
    (
        "run",
        &[
            "print 1 | \"‹M›\"",
            "print \"‹junk›\" | \"‹M›\"",
            "system(\"‹M›\")",
            "\"‹M›\" | getline",
            "x=1 ? 1:system(\"‹M›\")",
            "x=1system(\"‹M›\")",
            "x=1.5 system(\"‹M›\")",
            "print ‹value› | \"‹M›\"",
            "if(‹value›)system(\"‹M›\");else system(\"‹M›\")",
        ],
    ),
    ("pattern", &["", "/x/", "/‹junk›/", "!/‹bracket›/", "‹value›", "1||‹value›"]),
    (
        "statement",
        &[
            "x=‹value›", "y=‹value›", "if(‹value›)‹statement›", "print ‹value›", "‹value›", "for(;0;)‹value›",
            "while(0)‹value›", "do ‹value›; while(0)", "x/=2", "$1/=2", "{}",
        ],
    ),
    (
        "value",
        &[
            "1", "x", "x++", "x--", "x++ / 2", "x-- /2", "1 /2", "NF /2", "length", "length / 2", "length /=/",
            "length /‹junk›/", "$1 / 2", "(1) / 2", "a[1] /2", "/‹junk›/", "/‹bracket›/", "!/‹bracket›/",
            "x ~ /‹junk›/", "\"‹junk›\"", "\"/\"", "\"\\\"/\"", "1 /2/ 3", "(/‹junk›/)", "1 ? /‹junk›/ : 2", "$/x/",
            "x=/=‹junk›/", "-/x/", "x + /‹junk›/", "getline /2", "(getline x) /2",
        ],
    ),
    ("bracket", &["[/\"]", "[]/\"]", "[^]/\"]", "[[:alpha:]/\"]", "[\\]\"]", "[\\/\"]", "[\"[]", "[[\"/]", "\\[\""]),
    (
        "junk",
        &["", "\"", "/", "[", "]", "[/", "/\"", "\\\"", "\\/", "x", "[/]", "|", "; print ", "#", "\\\\", "=", "{", "}"],
    ),
];

fn is_seen(found: &Analysis, marker: &str) -> bool {
    !found.opaque.is_empty() || found.commands.iter().any(|command| command.program.text == marker)
}

fn check(rules: Rules, part: usize) {
    let Some(oracle) = Oracle::with_programs(&["sed", "awk", "gawk", "mawk", "sh"]) else {
        eprintln!("skipped: there is no `timeout` or `setsid` that ends a line which hangs");
        return;
    };
    let plan = PLAN.or_as_set();
    let mut figures = Figures::default();
    for lines in plan.batches(part, |numbers, marker| line_of(rules, numbers, marker)) {
        figures.add(&lines, plan.sample, is_seen, |lines| oracle.started(lines));
    }
    figures.check(&plan, LEAST);
}

#[test]
fn no_script_of_sed_runs_a_program_unseen() {
    check(SED_RULES, 0);
}

#[test]
fn no_program_of_awk_runs_another_unseen() {
    check(AWK_RULES, 1);
}
