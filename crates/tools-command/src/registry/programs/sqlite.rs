//! `sqlite3` and similar programs: databases that are files, and the dot commands of their shells.

use std::sync::LazyLock;

use regex::Regex;
use tools_core::Access;

use super::databases::{LOADS, RUNS, escaped, lost};
use crate::reader::{Input, Value};
use crate::registry::prelude::*;
use crate::sql;

const NAMES: &str = "a database client with a file that its name or its text does not tell";
const ARCHIVES: &str = "a database client that packs or unpacks files";

pub(super) static ALL: &[Program] = &[Program {
    family: &["sqlite3", "sqlite", "litecli", "duckdb"],
    flags: "-append -ascii -bail -batch -box -column -csv -deserialize -echo -header -noheader -help -html -interactive -json -line -list -markdown -memtrace -nofollow -quote -readonly -safe -stats -table -tabs -unsigned -version -no-stdin -jsonlines -zip -ifexists -unsafe-testing",
    valued: "-cmd -init -heap -lookaside -maxsize -mmap -newline -nonce -nullvalue -pagecache -pcachetrace -separator -sorterref -vfs -escape -unredacted -ui -s -c -f",
    optional: "-A*|--A*",
    rules: &[
        always(By(lost)),
        always(By(escaped)),
        always(By(dotted)),
        when(Has("-init -f"), Hides(LOADS)),
        when(Has("-A*"), Hides(ARCHIVES)),
        always(By(attached)),
        always(By(opened)),
    ],
    examples: &[
        ("sqlite3 x '.shell id'", Expect::Opaque(RUNS)),
        ("sqlite3 :memory: '.sh rm -rf x'", Expect::Runs("rm -rf x")),
        ("sqlite3 :memory: '.read |rm -rf x'", Expect::Runs("rm -rf x")),
        ("sqlite3 :memory: '.o |rm -rf x'", Expect::Opaque(RUNS)),
        ("sqlite3 :memory: -cmd '.system id'", Expect::Opaque(RUNS)),
        ("sqlite3 x.db < y", Expect::Opaque("what it reads")),
        ("sqlite3 -init x y", Expect::Opaque(LOADS)),
        ("sqlite3 x '.output .envrc'", Expect::Writes(".envrc")),
        ("sqlite3 x '.once .envrc' 'select 1'", Expect::Writes(".envrc")),
        ("sqlite3 x '.backup .envrc'", Expect::Writes(".envrc")),
        ("sqlite3 x \"select writefile('y', z)\"", Expect::Opaque(RUNS)),
        ("sqlite3 a.db 'DROP TABLE t'", Expect::Asks("removes what is in a database")),
        ("sqlite3 private/x .dump", Expect::Reads("private/x")),
        ("sqlite3 .envrc 'create table x (y)'", Expect::Writes(".envrc")),
        ("sqlite3 :memory: '.open .envrc' 'create table x (y)'", Expect::Writes(".envrc")),
        ("sqlite3 x.db \"attach '.envrc' as y\"", Expect::Writes(".envrc")),
        ("sqlite3 x.db \"vacuum into '.envrc'\"", Expect::Writes(".envrc")),
        ("sqlite3 file:.envrc 'create table x (y)'", Expect::Writes(".envrc")),
        ("sqlite3 'file://localhost/x/%79?mode=rwc#z' 'drop table x'", Expect::Writes("/x/y")),
        ("sqlite3 file:private/x .dump", Expect::Reads("private/x")),
        ("sqlite3 file://x/y .dump", Expect::Opaque(NAMES)),
        ("sqlite3 -lookaside 0 0 .envrc 'pragma user_version = 2'", Expect::Writes(".envrc")),
        ("sqlite3 -pagecache 0 0 x < y", Expect::Opaque("what it reads")),
        ("sqlite3 -Axf x", Expect::Opaque(ARCHIVES)),
        ("sqlite3 x --A -x", Expect::Opaque(ARCHIVES)),
        ("sqlite3 x \"/*a*/attach/*b*/'file:.envrc'as y\"", Expect::Writes(".envrc")),
        ("sqlite3 x 'attach \".envrc\" as y'", Expect::Writes(".envrc")),
        ("sqlite3 x 'attach [.envrc] as y'", Expect::Writes(".envrc")),
        ("sqlite3 x \"attach '.env' || 'rc' as y\"", Expect::Opaque(NAMES)),
        ("sqlite3 x \"attach x'6b' as y\"", Expect::Opaque(NAMES)),
        ("sqlite3 x \"vacuum into 'file:.envrc'\"", Expect::Writes(".envrc")),
        ("sqlite3 x \"vacuum into char(46)\"", Expect::Opaque(NAMES)),
        ("sqlite3 x \"create virtual table y using zipfile('z')\"", Expect::Opaque(NAMES)),
        ("sqlite3 x \"select * from fsdir('.')\"", Expect::Opaque(NAMES)),
        ("sqlite3 x '.session y changeset .envrc'", Expect::Writes(".envrc")),
        ("sqlite3 x '. \"output\" .envrc'", Expect::Writes(".envrc")),
        ("sqlite3 x '.once -x'", Expect::Opaque(RUNS)),
        ("sqlite3 x '.once --bom .envrc'", Expect::Writes(".envrc")),
        ("sqlite3 x '.output .env\\162c'", Expect::Writes(".env\\162c")),
        ("sqlite3 x '.save file:.envrc'", Expect::Writes(".envrc")),
        ("sqlite3 x '.restore y.db'", Expect::Asks("removes what is in a database")),
        ("sqlite3 .envrc '.import -skip 1 private/x y'", Expect::Writes(".envrc")),
        ("sqlite3 x '.import -skip 1 private/x y'", Expect::Reads("private/x")),
        ("sqlite3 x '.read y'", Expect::Opaque(LOADS)),
        ("sqlite3 x '.testcase y'", Expect::Writes("testcase-out.txt")),
        ("sqlite3 x '.frob y'", Expect::Opaque(NAMES)),
        ("sqlite3 x '.param set @y \"edit (1)\"'", Expect::Opaque(RUNS)),
        ("sqlite3 x.db '.cd .git' '.output config'", Expect::Opaque("another folder")),
        ("duckdb -c \"COPY t TO '.envrc'\"", Expect::Writes(".envrc")),
        ("duckdb -c \"copy (select 1) to '.envrc' (format csv)\"", Expect::Writes(".envrc")),
        ("duckdb -c \"export database '.git'\"", Expect::Writes(".git")),
        ("duckdb -c \"load './x.so'\"", Expect::Opaque(LOADS)),
        ("duckdb -c 'install x from community'", Expect::Opaque(LOADS)),
        ("duckdb -c \"select * from read_csv('private/x')\"", Expect::Reads("private/x")),
        ("duckdb -c \"select * from 'private/x.parquet'\"", Expect::Reads("private/x.parquet")),
    ],
    plain_lines: &[
        "sqlite3 x.db <<< 'select 1'",
        "duckdb -c 'select count(*) from t'",
        "sqlite3 x.db .schema",
        "sqlite3 x.db '.schema users'",
        "sqlite3 app.db \"select 'drop table'\"",
        "sqlite3 -json app.db 'select 1'",
        "sqlite3 app.db '.mode box' '.separator |' 'select 1'",
        "sqlite3 app.db \"insert into t values ('please attach it, then vacuum into')\"",
        "sqlite3 app.db 'create virtual table t using fts5(x)'",
        "sqlite3 app.db '.sch t' '.head on'",
        "sqlite3 ./app.db .tables",
        "sqlite3 app.db <<< $'.once x.csv\\nselect 1;'",
    ],
    ..Program::SINGLE
}];

/// Effect of a dot command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DotCommand {
    /// No effect on files.
    Plain,
    /// It writes to the files in its arguments, or to a program.
    Prints,
    /// It writes this file.
    Notes(&'static str),
    /// It writes its last argument as a database.
    Copies,
    /// The commands after it work on another database.
    Opens,
    /// It replaces the contents with another database.
    Restores,
    /// It imports a file into a table.
    Imports,
    /// It runs the commands in a file.
    Reads,
    /// Two of its subcommands write a file.
    Session,
    /// It evaluates an expression.
    Evaluates,
    /// It runs a line in a shell.
    Runs,
    /// It cannot be seen through if it has arguments.
    Hidden(&'static str),
    /// It cannot be seen through.
    Hides(&'static str),
}

/// The dot commands: the effect of each, its names, and its options that name a file, with `=` if a
/// value follows.
const DOTS: &[(DotCommand, &str, &str)] = &[
    (
        DotCommand::Plain,
        "auth bail binary changes check columns connection constant crlf crnl databases dbinfo dbtotxt \
         decimal_sep display_colors dump echo eqp exit expert explain fullschema headers help highlight \
         highlight_colors highlight_errors indexes indices intck keyword large_number_rendering last limit lint \
         maxrows maxwidth mode multiline nonce nullvalue print progress prompt quit recover rows scanstats schema \
         separator sha3sum show singleline stats tables thousand_sep timeout timer version vfsinfo vfslist vfsname \
         width",
        "",
    ),
    (DotCommand::Prints, "output once", "bom plain"),
    (DotCommand::Prints, "log", ""),
    (DotCommand::Prints, "trace", "expanded plain normalized stmt profile row close"),
    (DotCommand::Notes("testcase-out.txt"), "testcase", ""),
    (DotCommand::Copies, "backup save", "append async"),
    (DotCommand::Copies, "clone", ""),
    (DotCommand::Opens, "open", "append deserialize hexdb ifexist maxsize= new nofollow readonly zip"),
    (DotCommand::Restores, "restore", ""),
    (DotCommand::Imports, "import", "ascii csv skip= schema= v"),
    (DotCommand::Reads, "read", ""),
    (DotCommand::Session, "session", ""),
    (DotCommand::Evaluates, "parameter", ""),
    (DotCommand::Runs, "shell system", ""),
    (DotCommand::Hides(RUNS), "edit excel pager www", ""),
    (DotCommand::Hides(LOADS), "selftest", ""),
    (DotCommand::Hidden(LOADS), "load", ""),
    (DotCommand::Hidden(ARCHIVES), "archive", ""),
    (DotCommand::Hidden("a database client that works in another folder"), "cd", ""),
    (DotCommand::Hidden(NAMES), "dbconfig filectrl imposter iotrace testctrl unmodule", ""),
];

/// The possible meanings of a dot command. It may be abbreviated as long as it is unambiguous,
/// which depends on the version.
fn meanings(word: &str) -> Vec<(DotCommand, &'static str)> {
    let word = word.to_lowercase();
    let of = |is: fn(&str, &str) -> bool| {
        let named = DOTS.iter().filter(|(_, names, _)| names.split_ascii_whitespace().any(|name| is(name, &word)));
        named.map(|(dot, _, options)| (*dot, *options)).collect::<Vec<_>>()
    };
    let exact = of(|name, word| name == word);
    let found = if exact.is_empty() { of(|name, word| name.starts_with(word)) } else { exact };
    if found.is_empty() { vec![(DotCommand::Hides(NAMES), "")] } else { found }
}

/// The dot commands: each possible meaning, its options and its arguments.
fn dot_commands(parsed: &Parsed<'_>) -> Vec<(DotCommand, &'static str, Vec<Value>)> {
    // An argument is one command even if it has several lines, but some versions read it line by
    // line.
    let lines = texts(parsed).into_iter().flat_map(|(text, is_argument)| {
        let line = |line: &str| Value { text: line.to_owned(), ..text.clone() };
        let by_lines: Vec<Value> = text.text.lines().map(line).collect();
        let is_whole = is_argument && by_lines.len() > 1;
        is_whole.then_some(text).into_iter().chain(by_lines)
    });
    let commands = lines.filter_map(|line| {
        let text = line.text.trim_start().strip_prefix('.')?.to_owned();
        let mut words = words(&Value { text, ..line });
        let meanings = (!words.is_empty()).then(|| meanings(&words.remove(0).text))?;
        Some(meanings.into_iter().map(move |(dot, options)| (dot, options, words.clone())))
    });
    commands.flatten().collect()
}

/// The words of a dot command. An escape may stand for any letter.
fn words(line: &Value) -> Vec<Value> {
    static WORD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?s)'(?P<plain>[^']*)'?|"(?P<quoted>(?:\\.|[^"\\])*)\\?"?|(?P<bare>[^\s]+)"#)
            .expect("the pattern is a constant")
    });
    let word = |found: regex::Captures<'_>| {
        let plain = found.name("plain");
        let text = plain.or(found.name("quoted")).or(found.name("bare")).map_or("", |text| text.as_str());
        let is_exact = line.is_exact && (plain.is_some() || !text.contains('\\'));
        Value { text: text.to_owned(), is_exact, has_pattern: false }
    };
    WORD.captures_iter(&line.text).map(word).collect()
}

/// The texts that the database shell reads: its arguments other than the database, and its input,
/// each with whether it is an argument. Unknown texts lose their quotes.
fn texts(parsed: &Parsed<'_>) -> Vec<(Value, bool)> {
    let file = operands(parsed).first().copied();
    let mut texts = Vec::new();
    for (_, arg) in parsed.command.args.iter().enumerate().filter(|(at, _)| Some(*at) != file) {
        let quotes = |c: char| !arg.is_exact && matches!(c, '"' | '\'');
        texts.push((Value { text: arg.text.trim_start_matches(quotes).to_owned(), ..arg.clone() }, true));
    }
    if let Input::Text(text) = &parsed.command.input {
        texts.push((Value::exact(text.clone()), false));
    }
    texts
}

/// Effects of the dot commands.
fn dotted(parsed: &Parsed<'_>) -> Vec<Effect> {
    let reads = parsed.command.input == Input::Unknown && operands(parsed).len() < 2 && !parsed.has("-c -no-stdin");
    let mut found = Vec::from_iter(reads.then(|| Effect::hidden("a database client that runs what it reads")));
    // SQL may begin at more positions than are examined.
    let is_long = texts(parsed).iter().any(|(text, _)| sql::starts(&text.text).count() > sql::MOST_STARTS);
    found.extend(is_long.then(|| Effect::hidden(NAMES)));
    let commands = dot_commands(parsed);
    found.extend(commands.iter().flat_map(|(dot, options, words)| done(*dot, options, words, parsed)));
    found
}

/// Effects of one dot command with its arguments.
fn done(dot: DotCommand, options: &str, words: &[Value], parsed: &Parsed<'_>) -> Vec<Effect> {
    match dot {
        DotCommand::Plain => return Vec::new(),
        DotCommand::Hidden(_) if words.is_empty() => return Vec::new(),
        DotCommand::Hidden(why) | DotCommand::Hides(why) => return vec![Effect::hidden(why)],
        DotCommand::Evaluates => {
            let calls = words.iter().any(|word| word.text.contains('(') || !word.is_exact);
            return calls.then(|| Effect::hidden(RUNS)).into_iter().collect();
        }
        DotCommand::Runs => {
            return vec![Effect::hidden(RUNS), Effect::Line(Value::exact(joined(words)))];
        }
        _ => {}
    }
    if let Some(pipe) = words.iter().position(|word| word.text.starts_with('|')) {
        return vec![Effect::hidden(RUNS), Effect::Line(Value::exact(joined(&words[pipe..])[1..].trim()))];
    }
    let (mut files, mut given) = (Vec::new(), Vec::new());
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let Some(option) = word.text.strip_prefix('-') else {
            files.push(word);
            continue;
        };
        let option = option.strip_prefix('-').unwrap_or(option);
        match options.split(' ').find(|known| !option.is_empty() && known.trim_end_matches('=') == option) {
            Some(known) if known.ends_with('=') => _ = rest.next(),
            Some(known) => given.push(known),
            None => return vec![Effect::hidden(RUNS)],
        }
    }
    let databases = |files: &[&Value], access| files.iter().filter_map(|file| database(parsed, file, access)).collect();
    let last = files.last().copied();
    match dot {
        DotCommand::Prints => {
            let written = files.into_iter().filter(|file| !matches!(file.text.as_str(), "off" | "stdout" | "stderr"));
            written.map(|file| Effect::path(file.clone(), Access::Write)).collect()
        }
        DotCommand::Notes(file) => vec![Effect::path(Value::exact(file), Access::Write)],
        DotCommand::Copies => databases(last.as_slice(), Access::Write),
        DotCommand::Opens if given.contains(&"readonly") => databases(&files, Access::Read),
        DotCommand::Opens => databases(&files, Access::Write),
        DotCommand::Restores => {
            let mut found: Vec<Effect> = databases(last.as_slice(), Access::Read);
            found.push(Effect::says(Consequence::DeletesForOthers, "removes what is in a database"));
            found
        }
        DotCommand::Imports => {
            files.first().map(|file| Effect::path((*file).clone(), Access::Read)).into_iter().collect()
        }
        DotCommand::Reads => {
            let read = files.into_iter().map(|file| Effect::path(file.clone(), Access::Read));
            read.chain([Effect::hidden(LOADS)]).collect()
        }
        DotCommand::Session
            if files.iter().any(|word| !word.is_exact || ["changeset", "patchset"].contains(&word.text.as_str())) =>
        {
            last.map(|file| Effect::path(file.clone(), Access::Write)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn joined(words: &[Value]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Positions of the operands. The option reader takes the second value of a two-value option for an
/// operand; it is left out.
fn operands(parsed: &Parsed<'_>) -> Vec<usize> {
    let is_second = |at: usize| parsed.given("-lookaside -pagecache").any(|given| given.at + 2 == at);
    parsed.operands.iter().copied().filter(|at| !is_second(*at)).collect()
}

/// The database that is opened, which is written if a statement changes it.
fn opened(parsed: &Parsed<'_>) -> Vec<Effect> {
    let imports = |(dot, ..): &(DotCommand, _, _)| matches!(dot, DotCommand::Imports | DotCommand::Restores);
    let changes = || sql::statements(parsed.command).iter().any(|text| sql::changes(text));
    let is_written = !parsed.has("-readonly") && (changes() || dot_commands(parsed).iter().any(imports));
    let access = if is_written { Access::Write } else { Access::Read };
    let file = operands(parsed).first().and_then(|at| database(parsed, &parsed.command.args[*at], access));
    file.into_iter().collect()
}

/// Further files that statements name.
fn attached(parsed: &Parsed<'_>) -> Vec<Effect> {
    let mut found = Vec::new();
    for (text, _) in texts(parsed) {
        found.extend(sql::databases(&text.text).into_iter().filter_map(|name| match name {
            Some(name) => database(parsed, &Value { text: name, ..text.clone() }, Access::Write),
            None => Some(Effect::hidden(NAMES)),
        }));
        // Only DuckDB reads text in dollar quotes and escapes in quotes.
        let is_other = parsed.command.name() == "duckdb"
            && text.is_exact
            && ["$$", "\\'"].iter().any(|one| text.text.contains(one));
        found.extend((is_other || sql::has_foreign_tables(&text.text)).then(|| Effect::hidden(NAMES)));
    }
    found
}

/// Effect on the file that a database name denotes; the name may be a URI.
fn database(parsed: &Parsed<'_>, name: &Value, access: Access) -> Option<Effect> {
    let text = name.text.trim_start_matches(|c| !name.is_exact && matches!(c, '"' | '\''));
    let is_remote = parsed.command.name() == "duckdb" && text.contains("://");
    let Some(uri) = text.strip_prefix("file:") else {
        let is_file = !matches!(text, "" | ":memory:") && !is_remote;
        return is_file.then(|| Effect::path(name.clone(), access));
    };
    let (uri, _) = uri.split_once('#').unwrap_or((uri, ""));
    let (path, settings) = uri.split_once('?').unwrap_or((uri, ""));
    let modes: Vec<&str> = settings.split('&').filter_map(|one| one.strip_prefix("mode=")).collect();
    // Of several modes the last one counts, and the name of a setting may contain escapes.
    let access = match modes.as_slice() {
        _ if settings.contains('%') => Access::Write,
        ["memory"] => return None,
        ["ro"] => Access::Read,
        [] | [_] => access,
        _ => Access::Write,
    };
    let path = match path.strip_prefix("//") {
        Some(behind) => behind.strip_prefix("localhost").unwrap_or(behind),
        None => path,
    };
    let is_here = !uri.starts_with("//") || path.starts_with('/');
    let path = unescaped(path).filter(|_| name.is_exact && is_here);
    Some(path.map_or(Effect::hidden(NAMES), |path| Effect::path(Value::exact(path), access)))
}

/// The path of a URI without its escapes, up to a NUL.
fn unescaped(path: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let [first, behind @ ..] = rest {
        let digits = behind.get(..2).filter(|two| *first == b'%' && two.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &behind[2..] } else { behind };
    }
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8(bytes[..end].to_vec()).ok()
}
