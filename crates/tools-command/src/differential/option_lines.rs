//! Lines in which a program starts a marker, with options taken from the description of the
//! program. The same seed gives the same lines.

use std::collections::BTreeSet;

use super::generator::Numbers;
use crate::registry::{find, spec::Syntax};

/// A program that runs another one.
pub(super) struct Runner {
    pub(super) name: &'static str,
    /// Alternatives of the line. Options replace `‹O›`, and the marker replaces `‹M›`.
    forms: &'static [&'static str],
    /// Options that are not tried, separated by blanks.
    without: &'static str,
}

/// Options that name a running process; excluded so that the test touches nothing outside it.
const PROCESSES: &str = "-p --pid -P --pgid -u --uid";

const fn runner(name: &'static str, forms: &'static [&'static str], without: &'static str) -> Runner {
    Runner { name, forms, without }
}

/// Programs that most machines have and that are harmless in an empty folder.
pub(super) const RUNNERS: &[Runner] = &[
    runner("awk", &["awk ‹O› 'BEGIN { system(\"‹M›\") }'", "awk ‹O› 'BEGIN { print | \"‹M›\" }'", "awk ‹O› 1 x"], ""),
    runner("bash", &["bash ‹O› -c ‹M›", "bash -c ‹O› ‹M›", "echo ‹M› | bash ‹O›", "bash ‹O› x"], "-i -l --login"),
    runner("choom", &["choom -n 5 ‹O› ‹M›", "choom ‹O› -n 5 -- ‹M›"], PROCESSES),
    runner("chrt", &["chrt -o ‹O› 0 ‹M›", "chrt ‹O› 1 ‹M›"], PROCESSES),
    runner("dash", &["dash ‹O› -c ‹M›", "echo ‹M› | dash ‹O›"], "-i -l"),
    runner("ed", &["echo '!‹M›' | ed ‹O›", "ed ‹O› '!‹M›'", "ed ‹O› x"], ""),
    runner(
        "env",
        &["env ‹O› ‹M›", "env ‹O› A=1 ‹M› x", "env ‹O› -S '‹M› x'", "env ‹O› bash -c ‹M›", "env ‹O› env ‹O› ‹M›"],
        "",
    ),
    runner(
        "find",
        &["find . ‹O› -exec ‹M› {} \\;", "find ‹O› . -execdir ‹M› {} +", "find . -ok ‹M› \\; ‹O›", "find . ‹O›"],
        "",
    ),
    runner("flock", &["flock ‹O› lock ‹M›", "flock lock ‹O› -c ‹M›", "flock ‹O› lock -c ‹M›"], ""),
    runner(
        "git",
        &[
            "git ‹O› -c alias.a='!‹M›' a", "git -c alias.a='!‹M›' ‹O› a",
            "git ‹O› -c core.pager=‹M› --paginate help -a", "git ‹O› diff --no-index ‹O› x folder",
            "git ‹O› grep --no-index ‹O› x", "git ‹O› init", "git ‹O› ls-remote .",
        ],
        "",
    ),
    runner("ionice", &["ionice ‹O› ‹M›", "ionice -c 3 ‹O› ‹M›"], PROCESSES),
    runner("make", &["make ‹O› --eval='a: ; ‹M›' a", "make -f - ‹O› <<< 'a: ; @‹M›'", "make ‹O› x"], ""),
    runner("mawk", &["mawk ‹O› 'BEGIN { system(\"‹M›\") }'"], ""),
    runner("nice", &["nice ‹O› ‹M›", "nice -n 5 ‹O› ‹M› x", "nice ‹O› nice ‹O› ‹M›"], ""),
    runner("nohup", &["nohup ‹O› ‹M›", "nohup ‹O› nice ‹O› ‹M›"], ""),
    runner("perl", &["perl ‹O› -e 'system q(‹M›)'", "perl -e 'exec q(‹M›)' ‹O›", "perl ‹O› x"], ""),
    runner("prlimit", &["prlimit ‹O› ‹M›", "prlimit --nofile=64 ‹O› ‹M›"], PROCESSES),
    runner("python3", &["python3 ‹O› -c 'import os; os.system(\"‹M›\")'", "python3 ‹O› x"], "-i"),
    runner("script", &["script -q ‹O› -c ‹M› log", "script ‹O› log"], ""),
    runner("sed", &["echo a | sed ‹O› '1e ‹M›'", "echo ‹M› | sed ‹O› e", "sed ‹O› p x"], ""),
    runner("setarch", &["setarch x86_64 ‹O› ‹M›", "setarch ‹O› ‹M›"], PROCESSES),
    runner("setsid", &["setsid -w ‹O› ‹M›", "setsid ‹O› ‹M›"], ""),
    runner("sh", &["sh ‹O› -c ‹M›", "echo ‹M› | sh ‹O›"], "-i -l"),
    runner("sort", &["sort ‹O› x"], ""),
    runner("split", &["split --filter=‹M› ‹O› x", "split ‹O› x"], ""),
    runner("stdbuf", &["stdbuf -oL ‹O› ‹M›", "stdbuf ‹O› ‹M›"], ""),
    runner(
        "tar",
        &[
            "tar -cf x.tar ‹O› x",
            "tar ‹O› -cf x.tar --checkpoint=1 --checkpoint-action=exec=‹M› x",
            "tar -cf x.tar x && tar -xf x.tar ‹O› --to-command=‹M›",
            "tar ‹O› -cf x.tar -I ‹M› x",
        ],
        "",
    ),
    runner("taskset", &["taskset 1 ‹O› ‹M›", "taskset ‹O› 1 ‹M›", "taskset -c ‹O› 0 ‹M›"], PROCESSES),
    runner("timeout", &["timeout ‹O› 5 ‹M›", "timeout -k 1 ‹O› 5 ‹M› x"], ""),
    runner(
        "xargs",
        &["echo x | xargs ‹O› ‹M›", "echo ‹M› | xargs ‹O›", "echo ‹M› | xargs ‹O› env"],
        "-p --interactive",
    ),
];

/// Values for options.
const VALUES: &[&str] = &["1", "0", "5", ".", "x", "KILL", "L", "a=b", "none", "lock", "folder", "{}"];
/// Options that are in no description.
const ODD: &[&str] = &["--odd", "-Q", "--no-such=1", "-zq"];
/// Maximum number of options in a line.
const MAX_OPTIONS: usize = 4;

/// A random line in which the runner starts `marker`.
pub(super) fn option_line(numbers: &mut Numbers, runner: &Runner, marker: &str) -> String {
    let syntaxes: Vec<Syntax> = find(runner.name)
        .map(|program| {
            let inner = program.subcommands.iter().filter(|inner| {
                inner.spellings().flatten().any(|name| runner.forms.iter().any(|form| form.contains(name)))
            });
            std::iter::once(program.syntax()).chain(inner.map(|inner| inner.syntax)).collect()
        })
        .unwrap_or_default();
    let without: BTreeSet<&str> = runner.without.split_ascii_whitespace().collect();
    let spelled = |list: fn(&Syntax) -> &'static str| -> Vec<&'static str> {
        let groups = syntaxes.iter().flat_map(|syntax| list(syntax).split_ascii_whitespace());
        let groups = groups.filter(|group| !group.split('|').any(|one| without.contains(one)));
        groups.flat_map(|group| group.split('|')).filter(|one| one.starts_with('-') && *one != "-*").collect()
    };
    let flags = spelled(|syntax| syntax.flags);
    let valued: Vec<&str> = spelled(|syntax| syntax.valued).into_iter().chain(spelled(|syntax| syntax.last)).collect();
    let optional = spelled(|syntax| syntax.optional);
    let form = runner.forms[numbers.below(runner.forms.len())];
    let mut line = String::new();
    for (at, part) in form.split("‹O›").enumerate() {
        if at > 0 {
            line.push_str(&options(numbers, [&flags, &valued, &optional], marker));
        }
        line.push_str(part);
    }
    let line = line.replace("‹M›", marker);
    if numbers.below(5) == 0 { pieced(numbers, &line) } else { line }
}

/// The line with one of its options built by expansions.
fn pieced(numbers: &mut Numbers, line: &str) -> String {
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let is_plain = |word: &str| word.len() > 2 && word.is_ascii() && !word.contains(['\'', '"', '$', '\\', '(', '{']);
    let found: Vec<usize> = words
        .iter()
        .enumerate()
        .filter(|(_, word)| word.starts_with('-') && is_plain(word))
        .map(|(at, _)| at)
        .collect();
    if found.is_empty() {
        return line.to_owned();
    }
    let word = &mut words[found[numbers.below(found.len())]];
    let cut = 1 + numbers.below(word.len() - 1);
    let (start, rest) = word.split_at(cut);
    *word = match numbers.below(7) {
        0 => format!("$(echo {word})"),
        1 => format!("\"$(printf %s {word})\""),
        2 => format!("{start}$(echo {rest})"),
        3 => format!("{start}{{{rest},}}"),
        4 => format!("{start}${{unset:-{rest}}}"),
        5 => format!("x$(echo ' {word}')"),
        _ => {
            return format!(
                "p() {{ local q=$1; {} ; }}; p {rest}",
                line.replacen(word.as_str(), &format!("{start}$q"), 1)
            );
        }
    };
    words.join(" ")
}

fn options(numbers: &mut Numbers, [flags, valued, optional]: [&[&str]; 3], marker: &str) -> String {
    let mut written = Vec::new();
    for _ in 0..numbers.below(MAX_OPTIONS + 1) {
        written.push(match numbers.below(20) {
            0 => ODD[numbers.below(ODD.len())].to_owned(),
            1..=9 if !flags.is_empty() => flag(numbers, flags),
            10..=17 if !valued.is_empty() => with_value(numbers, valued, marker, false),
            18.. if !optional.is_empty() => with_value(numbers, optional, marker, true),
            _ => continue,
        });
    }
    if numbers.below(8) == 0 {
        written.push("--".to_owned());
    }
    written.join(" ")
}

fn flag(numbers: &mut Numbers, flags: &[&str]) -> String {
    let at = numbers.below(flags.len());
    let one = filled_in(numbers, flags[at]);
    if is_short(&one) && numbers.below(3) == 0 {
        // Two short options in a cluster.
        let other = flags[numbers.below(flags.len())];
        if is_short(other) {
            return format!("{one}{}", &other[1..]);
        }
    }
    one
}

fn with_value(numbers: &mut Numbers, valued: &[&str], marker: &str, is_optional: bool) -> String {
    let at = numbers.below(valued.len());
    let one = filled_in(numbers, valued[at]);
    let value = match numbers.below(4) {
        0 => marker,
        _ => VALUES[numbers.below(VALUES.len())],
    };
    let is_long = one.starts_with("--");
    match numbers.below(3) {
        0 if !is_optional => format!("{one} {value}"),
        1 if is_optional => one,
        _ if is_long => format!("{one}={value}"),
        2 if one.len() > 2 => format!("{one}={value}"),
        _ => format!("{one}{value}"),
    }
}

/// The option with a value in place of `*` and a number in place of `#`; some long names are
/// abbreviated.
fn filled_in(numbers: &mut Numbers, option: &str) -> String {
    let option = option.replace('*', VALUES[numbers.below(VALUES.len())]).replace('#', "1");
    if option.starts_with("--") && option.len() > 6 && option.is_ascii() && numbers.below(4) == 0 {
        let kept = 4 + numbers.below(option.len() - 4);
        return option[..kept].to_owned();
    }
    option
}

fn is_short(option: &str) -> bool {
    option.len() == 2 && option.as_bytes()[1].is_ascii_alphabetic()
}
