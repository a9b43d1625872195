//! Commands that print a number, which is harmless in an expression.

use std::collections::BTreeSet;

/// The output of a text of commands.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PrintedText {
    /// A number, provided that the program of this name is not a function.
    Number(String),
    /// A part of the values of these variables, on the same condition.
    PartOf(String, BTreeSet<String>),
    Unknown,
}

/// What the last program of a pipeline prints.
pub(super) fn printed(commands: &str) -> PrintedText {
    if commands.contains([';', '&', '\n', '(', '[', '`', '\\']) || commands.contains("||") {
        return PrintedText::Unknown;
    }
    let words: Vec<&str> = commands.rsplit('|').next().unwrap_or_default().split_whitespace().collect();
    let Some((program, args)) = words.split_first() else { return PrintedText::Unknown };
    if *program == "expr" && !commands.contains(['\'', '"']) {
        let names =
            args.iter().filter_map(|word| word.strip_prefix('$')).map(|name| name.trim_matches(['{', '}']).to_owned());
        return PrintedText::PartOf((*program).to_owned(), names.collect());
    }
    if !prints_number(program, args) {
        return PrintedText::Unknown;
    }
    // A variable may hold an option that changes the output: `seq -f`, `stat --format`. A file name
    // behind `<` is not an option.
    let given = args.iter().take_while(|arg| !arg.starts_with('<'));
    let names: BTreeSet<String> = given.flat_map(|arg| variables(arg)).collect();
    if names.is_empty() {
        return PrintedText::Number((*program).to_owned());
    }
    PrintedText::PartOf((*program).to_owned(), names)
}

/// The variables in a word, by the names used there.
fn variables(word: &str) -> impl Iterator<Item = String> + '_ {
    let name = |rest: &str| {
        let rest = rest.trim_start_matches('{');
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        // A parameter that is no name: `$@`, `$1`.
        if end == 0 { rest.chars().take(1).collect() } else { rest[..end].to_owned() }
    };
    word.split('$').skip(1).map(name)
}

fn prints_number(program: &str, args: &[&str]) -> bool {
    let mut operands =
        args.iter().take_while(|arg| **arg != "<").filter(|arg| !arg.starts_with('-') && !arg.starts_with('<'));
    // With several files, file names are printed next to the numbers.
    match (program, args) {
        ("nproc", _)
        | ("id", ["-u" | "-g"])
        | ("getconf", ["_NPROCESSORS_ONLN"])
        | ("tput", ["cols" | "lines" | "colors"])
        | ("stat", ["-c%s" | "-c%Y", ..]) => true,
        ("wc", _) => operands.next().is_none(),
        ("seq", _) => {
            let is_bound = |arg: &&str| {
                let text = arg.trim_matches('"');
                text.starts_with('$')
                    || text.strip_prefix('-').unwrap_or(text).starts_with(|c: char| c.is_ascii_digit())
            };
            args.iter().all(is_bound)
        }
        ("stat", ["-c", format, ..]) => ["%s", "%Y", "%a"].contains(&format.trim_matches(['"', '\''])),
        // The date does not matter: a second format is an error.
        ("date", [before @ .., format]) => {
            let is_format = |word: &str| word.contains('+');
            let format = format.strip_prefix('+').or_else(|| format.trim_matches(['"', '\'']).strip_prefix('+'));
            !before.iter().any(|word| is_format(word) || word.contains('$'))
                && format.is_some_and(|format| {
                    ["%s", "%s%N", "%s.%N", "%s%3N", "%N", "%Y", "%m", "%d", "%H", "%M", "%S", "%Y%m%d", "%u", "%j"]
                        .contains(&format.trim_matches(['"', '\'']))
                })
        }
        ("grep", [option, rest @ ..]) => {
            let files = rest.iter().filter(|arg| !arg.starts_with('-'));
            is_single_file(option, files.count()) && !args.iter().any(|arg| arg.contains('*') && !arg.contains('\''))
        }
        ("git", ["rev-list", rest @ ..]) => rest.contains(&"--count"),
        _ => false,
    }
}

/// Whether `grep` counts in at most one file.
fn is_single_file(option: &str, operands: usize) -> bool {
    let counts = option.starts_with('-') && !option.starts_with("--") && option.contains('c');
    counts && !option.contains(['r', 'R', 'H', 'l', 'L', 'o']) && operands <= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_print_numbers_are_told_from_the_rest() {
        let numbers = [
            "wc -l", "wc -l < a.txt", "ls | wc -l", "seq 1 9", "date +%s", "nproc", "grep -c x a.txt",
            "git rev-list --count HEAD", "stat -c %s a", "date -ud '2003-08-02 17:24:33' +'%s'",
            "date -d yesterday \"+%s\"", "wc -l < $f",
        ];
        for text in numbers {
            assert!(matches!(printed(text), PrintedText::Number(_)), "{text}");
        }
        for text in [
            "cat a", "wc -l a.txt", "wc -l *", "seq -f 'x' 1", "seq -s x 3", "grep -c x *", "grep -rc x .",
            "tput sgr0", "date +%s $x", "date -d \"$x\" +%s", "date -d '+1 day' +%A", "",
        ] {
            assert_eq!(printed(text), PrintedText::Unknown, "{text}");
        }
        for text in ["expr $a + 1", "seq 1 \"$a\"", "seq ${a%x}", "stat -c %s $a", "seq $a$b"] {
            assert!(matches!(printed(text), PrintedText::PartOf(_, names) if names.contains("a")), "{text}");
        }
    }
}
