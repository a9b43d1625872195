//! Computes the forms in which commands, addresses and paths are compared with globs, and the globs
//! of patterns.

use std::{borrow::Cow, path::Path};

use tools_command::{decides_what_runs, spellings};
use tools_core::Verdict;

use super::pattern::{Patterns, escape};

/// A command or address in the forms that rules are compared with.
#[derive(Debug, Default)]
pub(crate) struct Forms<'a> {
    /// As typed.
    pub(crate) typed: Cow<'a, str>,
    /// Equivalent forms, for every rule: without leading assignments that do not affect what runs,
    /// and without options before the subcommand.
    pub(crate) same: Vec<Cow<'a, str>>,
    /// Possible further meanings, for rules that ask or deny.
    pub(crate) others: Vec<Cow<'a, str>>,
}

impl<'a> Forms<'a> {
    /// Creates the forms of a text that has only one.
    pub(crate) fn of_text(text: &'a str) -> Self {
        Self { typed: spaced(text), same: vec![], others: vec![] }
    }

    /// Whether an allow pattern matches.
    pub(crate) fn matches(&self, patterns: &Patterns) -> bool {
        patterns.first(&self.typed).is_some()
    }

    /// The forms of a command: as typed, as words, as words without the program's folder, and
    /// without options before its subcommand.
    pub(crate) fn of_command(line: &'a str, program: &str, arguments: &[String]) -> Self {
        let typed = spaced(line);
        let (mut same, mut others) = (vec![], vec![]);
        if !program.is_empty() {
            // Most commands are typed exactly as their words; this is checked without joining the
            // words.
            if !is_words(line, program, arguments) {
                let as_called = words(program, arguments);
                if as_called != typed {
                    others.push(as_called.into());
                }
            }
            let found = spellings(program, arguments);
            others.extend(found.generous.iter().map(|words| Cow::Owned(spaced_words(words))));
            others
                .extend((1..=found.leading).filter_map(|count| without_words(&typed, program, count)).map(Cow::Owned));
            // Words with blanks or quotes in them change their meaning when joined.
            let is_plain = |word: &String| !word.contains([' ', '\t', '\n', '\'', '"', '*', '?', '[']);
            let plain = found.same.filter(|words| words.iter().all(is_plain));
            let help = found.help.filter(|words| words.iter().all(is_plain));
            same.extend(plain.into_iter().chain(help).map(|words| Cow::Owned(spaced_words(&words))));
        }
        same.extend(without_assignments(line).map(spaced));
        Self { typed, same, others }
    }
}

/// Whether a line equals its words joined by single blanks.
fn is_words(line: &str, program: &str, arguments: &[String]) -> bool {
    let Some(mut rest) = line.strip_prefix(program) else { return false };
    for argument in arguments {
        match rest.strip_prefix(' ').and_then(|rest| rest.strip_prefix(argument.as_str())) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    rest.is_empty()
}

/// A path in the forms that rules are compared with.
#[derive(Debug)]
pub(crate) struct PathForms {
    absolute: String,
    /// The path below the working directory, beginning with `./`; `.` is the directory itself.
    relative: Option<String>,
}

impl PathForms {
    pub(crate) fn new(path: &Path, workdir: &Path) -> Self {
        let relative = path.strip_prefix(workdir).ok().map(|rest| {
            let rest = rest.to_string_lossy();
            if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") }
        });
        Self { absolute: path.to_string_lossy().into_owned(), relative }
    }

    /// Whether an allow pattern matches.
    pub(crate) fn matches(&self, patterns: &Patterns) -> bool {
        self.texts().any(|text| patterns.first(text).is_some())
    }

    /// The path below the working directory, beginning with `./`.
    pub(crate) fn relative(&self) -> Option<&str> {
        self.relative.as_deref()
    }

    pub(crate) fn is_inside(&self) -> bool {
        self.relative.is_some()
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.absolute.as_str()).chain(self.relative.as_deref())
    }
}

/// A path and the folders above it.
pub(crate) fn upwards(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| {
        path.rsplit_once('/').map(|(above, _)| above).filter(|above| !above.is_empty())
    })
}

/// The typed line without the first `count` words after the program.
fn without_words(line: &str, program: &str, count: usize) -> Option<String> {
    let mut rest = line.strip_prefix(program)?.trim_start();
    for _ in 0..count {
        rest = rest.split_once(' ')?.1;
    }
    Some(format!("{} {rest}", program.rsplit('/').next().unwrap_or_default()))
}

fn spaced_words(words: &[String]) -> String {
    words.split_first().map(|(program, arguments)| self::words(program, arguments)).unwrap_or_default()
}

fn words(program: &str, arguments: &[String]) -> String {
    let length = program.len() + arguments.iter().map(|argument| argument.len() + 1).sum::<usize>();
    let mut words = String::with_capacity(length);
    words.push_str(program);
    for argument in arguments {
        words.push(' ');
        words.push_str(argument);
    }
    match spaced(&words) {
        Cow::Borrowed(spaced) if spaced.len() == words.len() => words,
        spaced => spaced.into_owned(),
    }
}

/// A text with single blanks. Line breaks stay: they separate commands.
pub(crate) fn spaced(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    if is_spaced(text) {
        return Cow::Borrowed(text);
    }
    let mut spaced = String::with_capacity(text.len());
    let mut blank = false;
    for character in text.chars() {
        if matches!(character, ' ' | '\t') {
            blank = true;
            continue;
        }
        if std::mem::take(&mut blank) {
            spaced.push(' ');
        }
        spaced.push(character);
    }
    Cow::Owned(spaced)
}

/// The command with the program's name in lower case, for rules that ask or deny; `None` if nothing
/// changes. The rest keeps its case, because `-c` is not `-C`.
pub(crate) fn with_program_folded(text: &str) -> Option<String> {
    fold_head(text, text.find([' ', '\n']).unwrap_or(text.len()))
}

/// The glob with the program's name in lower case, for texts folded the same way; `None` if nothing
/// changes.
pub(crate) fn glob_with_program_folded(glob: &str) -> Option<String> {
    fold_head(glob, glob.find([' ', '\n', '*', '?', '[', '{', '\\']).unwrap_or(glob.len()))
}

fn fold_head(text: &str, end: usize) -> Option<String> {
    let (head, rest) = text.split_at(end);
    if head.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return None;
    }
    let folded: String = head.chars().map(lower).collect();
    (folded != head).then(|| folded + rest)
}

/// A character in lower case: always one character and independent of its neighbours, so that a
/// match in a part of a text also holds in the whole text.
pub(super) fn lower(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_lowercase();
    }
    if character == 'ς' {
        return 'σ';
    }
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => character,
    }
}

/// Whether a trimmed text already has single blanks.
fn is_spaced(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Neither loop ends early, so that the compiler can process many bytes at once.
    let tabs = bytes.iter().fold(0, |any, byte| any | u8::from(*byte == b'\t'));
    let blank = |byte: u8| u8::from(byte == b' ');
    let doubled = bytes.windows(2).fold(0, |any, pair| any | (blank(pair[0]) & blank(pair[1])));
    tabs | doubled == 0
}

/// The glob of a pattern on commands and addresses.
pub(crate) fn command_glob(pattern: &str) -> String {
    // `**` means the same as `*` here, but would be read as folders.
    let spaced = with_host_folded(spaced(pattern));
    if !spaced.contains("**") {
        return spaced.into_owned();
    }
    let mut glob = String::new();
    let mut characters = spaced.chars();
    let mut star = false;
    while let Some(character) = characters.next() {
        if character == '*' && star {
            continue;
        }
        star = character == '*';
        glob.push(character);
        if character == '\\' {
            glob.extend(characters.next());
        }
    }
    glob
}

/// A pattern on addresses with scheme and host in lower case, like every compared address.
fn with_host_folded(pattern: Cow<'_, str>) -> Cow<'_, str> {
    let Some(host) = pattern.find("://").filter(|at| !pattern[..*at].contains(' ')).map(|at| at + 3) else {
        return pattern;
    };
    let end = pattern[host..].find('/').map_or(pattern.len(), |at| host + at);
    fold_head(&pattern, end).map_or(pattern, Cow::Owned)
}

/// The glob of a pattern on paths, for the absolute form, which begins with `/`, or the relative
/// form, which begins with `.`.
pub(crate) fn path_glob(pattern: &str, action: Verdict, home: Option<&Path>) -> String {
    let pattern = pattern.trim();
    let pattern = match pattern.strip_suffix('/') {
        Some(folder) if !folder.is_empty() => format!("{folder}/**"),
        _ => pattern.to_owned(),
    };
    // In rules that ask or deny, a folder covers itself and everything below it: see `first_path`.
    let pattern = match pattern.strip_suffix("/**") {
        Some(folder) if action != Verdict::Allow && !folder.is_empty() && folder != "**" => folder.to_owned(),
        _ => pattern,
    };
    if pattern == "/" {
        return "/**".to_owned();
    }
    if pattern.starts_with('/') {
        return pattern;
    }
    if let Some(below) = pattern.strip_prefix('~')
        && (below.is_empty() || below.starts_with('/'))
        && let Some(home) = home
    {
        return escape(&home.to_string_lossy()) + below;
    }
    let anywhere = pattern.strip_prefix("**/").or_else(|| (!pattern.contains('/')).then_some(pattern.as_str()));
    match anywhere {
        Some(".") => ".".to_owned(),
        Some(name) if action == Verdict::Allow => format!("./**/{name}"),
        Some(name) => format!("/**/{name}"),
        None => format!("./{}", pattern.strip_prefix("./").unwrap_or(&pattern)),
    }
}

/// The command after assignments of plain words to harmless variables; `None` if there are none.
fn without_assignments(line: &str) -> Option<&str> {
    let whole = line.trim_start();
    let mut rest = whole;
    while let Some((name, value)) = rest.split_once('=') {
        let Some((value, after)) = plain_value(value) else { break };
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name || decides_what_runs(name, value) {
            break;
        }
        rest = after.trim_start_matches([' ', '\t']);
    }
    (rest.len() < whole.len() && !rest.is_empty()).then_some(rest)
}

/// Splits off a value without expansions, perhaps in quotes; returns it and the rest.
fn plain_value(text: &str) -> Option<(&str, &str)> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.,:/=+".contains(c);
    let (value, after) = match text.strip_prefix(['"', '\'']) {
        Some(quoted) => quoted.split_once(&text[..1]).filter(|(_, after)| after.starts_with([' ', '\t']))?,
        None => text.split_at(text.find([' ', '\t'])?),
    };
    let is_quoted = text.starts_with(['"', '\'']);
    value.chars().all(|c| is_plain(c) || is_quoted && c == ' ').then_some((value, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_whose_blanks_are_right_is_not_copied_and_words_are_told_in_place() {
        let check = |text: &str, expected: &str| {
            let found = spaced(text);
            assert_eq!(
                (found.as_ref(), matches!(found, Cow::Borrowed(_))),
                (expected, text.trim() == expected),
                "{text}"
            );
        };
        check(" cargo test ", "cargo test");
        check("cargo  test", "cargo test");
        check("Cargo\ttest\nLs", "Cargo test\nLs");
        check("ls ä Ä", "ls ä Ä");
        let words = |line: &str| is_words(line, "ls", &["-l".to_owned(), "a b".to_owned()]);
        assert!(
            words("ls -l a b") && !words("ls -l 'a b'") && !words("ls -l") && !words("ls -l a b c") && !words("lsx")
        );
    }

    #[test]
    fn case_counts_in_paths_and_behind_the_name_of_a_program() {
        let path = |pattern: &str, name: &str, expected: bool| {
            for action in [Verdict::Allow, Verdict::Deny] {
                let glob = path_glob(pattern, action, None);
                let patterns = Patterns::compile(&[(0, glob)], crate::matching::SeparatorRule::Folders).unwrap();
                let forms = PathForms::new(&Path::new("/w").join(name), Path::new("/w"));
                assert_eq!(forms.matches(&patterns), expected, "{pattern}: {name}");
            }
        };
        path("docs/*", "docs/x", true);
        path("docs/*", "DOCS/x", false);
        path("Docs/*", "docs/x", false);
        path("?.txt", "İ.txt", true);
        path("[İ].txt", "İ.txt", true);
        path("[i].txt", "I.txt", false);
        let folded = |text: &str, expected: Option<&str>| assert_eq!(with_program_folded(text).as_deref(), expected);
        folded("rm -R x", None);
        folded("RM -R x", Some("rm -R x"));
        folded("ΣΟΦΟΣ A", Some("σοφοσ A"));
        folded("Rscript", Some("rscript"));
        folded("a\nB", None);
        let globbed =
            |glob: &str, expected: Option<&str>| assert_eq!(glob_with_program_folded(glob).as_deref(), expected);
        globbed("git -C *", None);
        globbed("Git{ , * }-C", Some("git{ , * }-C"));
        globbed("*SECRET*", None);
        let glob = |pattern: &str, expected: &str| assert_eq!(command_glob(pattern), expected);
        glob("HTTPS://Docs.RS/Path/*", "https://docs.rs/Path/*");
        glob("curl  https://Docs.RS", "curl https://Docs.RS");
        glob("Rm **", "Rm *");
    }

    #[test]
    fn only_harmless_assignments_of_plain_words_are_passed_over() {
        let check = |line: &str, expected: Option<&str>| assert_eq!(without_assignments(line), expected, "{line}");
        check("CI=1 npm test", Some("npm test"));
        check(" RUST_BACKTRACE=full  RUST_LOG=a=debug,b cargo test", Some("cargo test"));
        check("CI=1 LD_PRELOAD=x ls", Some("LD_PRELOAD=x ls"));
        check("LD_PRELOAD=x ls", None);
        check("CI=$(id) ls", None);
        check("CI='a b' RUSTFLAGS=\"-D warnings -C debuginfo=0\" cargo test", Some("cargo test"));
        check("RUSTFLAGS='-C linker=x' cargo test", None);
        check("CI='a$b' ls", None);
        check("CI=\"a b' ls", None);
        check("CI='a'b ls", None);
        check("CI=1", None);
        check("CI=1 ", None);
        check("ls CI=1", None);
        check("PATH=/x CI=1 ls", None);
    }
}
