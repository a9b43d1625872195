//! No line of `sqlite3` writes a file that the analysis does not report. Lines combine options, dot
//! commands, statements and forms of names, and run with the real program.

use tools_core::Access;

use super::figures::{Figures, LeastShares, Plan};
use super::generator::{Rules, line_of};
use super::oracle::Oracle;
use crate::{Analysis, Effect, plain_path};

const PLAN: Plan = Plan { lines: 800, batch: 100, parts: 1, seed: 20_261_128, sample: 4 };
const LEAST: LeastShares = LeastShares { ran: 12, clear: 50 };

/// The grammar of the lines: each name with its alternatives.
const RULES: Rules = &[
    (
        "line",
        &[
            "sqlite3 ‹options›‹own› ‹q:first› ‹q:any› ‹q:last›",
            "sqlite3 ‹own› ‹options›‹q:first› ‹q:any› ‹q:last›",
            "sqlite3 ‹options›-cmd ‹q:any› ‹own› ‹q:last›",
            "sqlite3 ‹options›‹own› <<< ‹q:input›",
            "sqlite3 ‹options›‹q:name› ‹q:change›",
            "sqlite3 ‹options›‹q:name› <<< ‹q:change›",
            "sqlite3 ‹packed›",
            "sqlite3 ‹own› ‹q:first› ‹q:session› '.sess s attach t' ‹q:change› ‹q:changeset›",
            "sqlite3 ‹options›‹q:name› ‹q:import›",
            "sqlite3 ‹options›‹own› ‹q:any› ‹q:any› ‹q:last›",
        ],
    ),
    (
        "options",
        &[
            "", "", "", "-json ", "--json ", "-pagecache 0 0 ", "-lookaside 0 0 ", "--lookaside 1 2 ", "-bail ",
            "-append ", "-nofollow ", "-zip ", "-deserialize ", "-readonly ", "-vfs unix-none ", "-safe ",
            "-separator '|' ", "-newline x ", "-nullvalue -x ", "-maxsize 9 ", "-mmap 9 ", "-heap 9 ", "-memtrace ",
            "-nonce x ", "-batch ", "-echo ", "-unsafe-testing ", "-stats ", "-init /dev/null ",
        ],
    ),
    ("own", &["d", "d", ":memory:", "''", "file:d", "'file:d?mode=memory'"]),
    ("first", &["create table t(a)", "create table t(a); insert into t values(1)", ".mode list"]),
    ("last", &["select 1; create table t(b); select y", "select 1", "create table t(b); insert into t values(1)"]),
    (
        "any",
        &["‹dot›", "‹dot›", "‹before›‹statement›", "‹before›‹statement›", "‹dot›\n‹statement›", "‹statement›\n‹dot›"],
    ),
    (
        "input",
        &[
            "‹ahead›‹dot›\n‹last›;", "‹ahead›‹statement›;", "‹ahead›‹before›‹statement›;",
            "‹dot›\n‹statement›;\n‹dot›\n‹last›",
        ],
    ),
    (
        "ahead",
        &["", "create table t(a);\n", ".print it's\n", "# it's\n", ".mode list\n", "select 1\n/\n", "select 1\ngo\n"],
    ),
    (
        "before",
        &[
            "", "", "select 'it''s';", "select \"it's\";", "select [it's];", "select `'`;", "select '--';", "/*'*/",
            "select 1 -- '\n;", "select '/*';", "/*a*/", ";;", "\n", "--\n", "select 1 as attach;", "\u{feff}",
            "select x'27';", "select '\\';", "select \"/*\";",
        ],
    ),
    ("gap", &[" ", " ", "\n", "\t", "/**/", "/*x*/ ", "--x\n", "/*'*/", "--'\n", " /*;*/ ", "/***/"]),
    (
        "statement",
        &[
            "attach‹gap›‹quoted›‹gap›as‹gap›y;‹inner›",
            "attach‹gap›database‹gap›‹quoted›‹gap›as‹gap›y;‹inner›",
            "ATTACH‹quoted›as y;‹inner›",
            "vacuum‹gap›into‹gap›‹quoted›",
            "vacuum‹gap›main‹gap›into‹gap›‹quoted›",
            "vacuum \"main\"into‹quoted›",
            "select ‹writefile›‹gap›('‹path›',1)",
            "create‹gap›virtual‹gap›table‹gap›temp.z‹gap›using‹gap›‹zipfile›('‹path›');insert into z(name,data) values('a','b')",
            "create table if not exists t(a)",
            "select 1",
            "pragma temp_store_directory",
        ],
    ),
    (
        "inner",
        &["create table y.t(a)", "create table y.t(a)", "pragma y.user_version=3", "create table y.t as select 1"],
    ),
    ("writefile", &["writefile", "writefile", "WriteFile", "\"writefile\"", "[writefile]", "`writefile`"]),
    ("zipfile", &["zipfile", "Zipfile", "\"zipfile\"", "[zipfile]", "'zipfile'", "`zipfile`"]),
    (
        "quoted",
        &[
            "'‹name›'", "'‹name›'", "\"‹name›\"", "[‹name›]", "`‹name›`", "('‹name›')", "''||'‹name›'", "'‹name›'||''",
            "trim('‹name›')", "+'‹name›'", "'‹name›' collate nocase", "('folder/'||'‹M›')",
            "replace('folder-‹M›','-','/')",
        ],
    ),
    ("name", &["‹path›", "‹path›", "file:‹path›", "file:‹path›", "‹uri›"]),
    ("path", &["folder/‹M›", "./folder/‹M›", "folder/../folder//‹M›"]),
    (
        "uri",
        &[
            "file:‹path›?mode=rwc", "file:‹path›?mode=memory", "file:‹path›?mode=memory&mode=rwc", "file:‹path›#x",
            "file:‹path›?mode=ro&%6dode=rwc", "file:‹path›?mode=ro", "file:‹path›?cache=shared#?mode=memory",
            "file:folder%2f‹M›", "file:folder%2F‹M›?", "file:%66older/‹M›", "file:‹path›%00x",
            "file:‹path›?vfs=unix-none", "file:./%66older/../folder/‹M›", "file:‹path›?mode=ro&mode=rwc",
        ],
    ),
    (
        "dot",
        &[
            ".‹printed› ‹argument›", ".‹printed› ‹argument›", " .‹printed› ‹argument›", ". ‹printed› ‹argument›",
            ".\"output\" ‹argument›", ".'once' ‹argument›", ".output\n‹argument›", ".\u{b}output\t‹argument›",
            ".‹copied› ‹named›", ".‹copied› ‹named›", ".‹copied› ‹named›", ".ar -cf ‹argument› x",
            ".archive --create --file ‹argument› x", ".param set @x \"writefile‹gap›('‹path›',1)\"", ".param init",
            ".mode box", ".schema", ".separator '|' x", ".tables t", ".dump", ".mode list ‹path›", ".print ‹path›",
            ".read x", ".tra --plain ‹argument›", ".trace ‹argument›", ".log ‹argument›", ".excel", ".te x",
        ],
    ),
    (
        "printed",
        &[
            "output", "once", "outp", "out", "on", "o", "once --bom", "output -bom", "once -x", "output --plain",
            "log", "t", "tr",
        ],
    ),
    (
        "copied",
        &[
            "backup", "backup main", "backup --append", "bac", "save", "sav", "save main", "backup -async", "clone",
            "cl", "c", "open --new", "open -new", "open", "op", "open --nofollow", "open --maxsize 9", "open --append",
            "restore", "open --readonly",
        ],
    ),
    ("argument", &["‹path›", "‹path›", "'‹path›'", "\"‹path›\"", "folder\\057‹M›", "\"folder\\057‹M›\"", "'‹path›' x"]),
    ("named", &["‹argument›", "‹name›", "'‹name›'", "\"‹name›\"", "file:folder\\057‹M›"]),
    (
        "change",
        &[
            "create table t(a)", "create table u(a)", "insert into t values(1)", "‹gap›create‹gap›table t(a)",
            "pragma user_version=1", "pragma main.user_version(1)", "pragma [user_version]=1",
            "pragma journal_mode=wal", "insert into zip(name,data) values('a','b')", "begin;create table t(a);commit",
            "savepoint x;create table t(a);release x", "with x as (select 1) insert into t select * from x",
            "create table t(a); analyze", "/**/create table t(a)", "select 1;create table t(a)",
            "select \"'\";create table t(a);select \"'\"", ".mode list\ncreate table t(a)",
        ],
    ),
    ("import", &[".import x t", ".import --csv x t", ".imp -skip 0 x t", ".i x t", ".selftest --init"]),
    ("session", &[".session open main s", ".sess open main s"]),
    (
        "changeset",
        &[".session s changeset ‹argument›", ".session s patchset ‹argument›", ".sessi s changeset ‹argument›"],
    ),
    (
        "packed",
        &[
            "-Acf ‹path› x", "-A -cf ‹path› x", "--Acf ‹path› x", "‹path› -Ac x", "-Ac --file ‹path› x",
            "‹path› -A -c x", "-zip ‹path› -Ac x",
        ],
    ),
];

/// Whether the analysis asks about a line, or reports that it writes its file.
fn is_seen(found: &Analysis, marker: &str) -> bool {
    let place = format!("folder/{marker}");
    let is_told = |effect: &Effect| match effect {
        Effect::Path { path, access, .. } => {
            let written = plain_path(std::path::Path::new(&path.text)).to_string_lossy() == place;
            *access != Access::Read && (written || !path.is_exact)
        }
        effect => matches!(effect, Effect::Is { .. }),
    };
    !found.opaque.is_empty() || found.commands.iter().any(|command| command.effects.iter().any(is_told))
}

#[test]
fn no_line_of_sqlite_writes_a_file_unseen() {
    let oracle = Oracle::with_programs(&["sqlite3", "sh"]).filter(|oracle| oracle.has("sqlite3"));
    let Some(oracle) = oracle else {
        eprintln!("skipped: there is no `sqlite3`, or no `timeout` or `setsid` that ends a line which hangs");
        return;
    };
    let plan = PLAN.or_as_set();
    let mut figures = Figures::default();
    for lines in plan.batches(0, |numbers, marker| line_of(RULES, numbers, marker)) {
        figures.add(&lines, plan.sample, is_seen, |lines| oracle.written(lines));
    }
    figures.check(&plan, LEAST);
}
