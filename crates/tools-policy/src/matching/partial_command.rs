//! Decides whether a pattern could match a command with words that are known only when it runs.
//! Alternatives and classes of a pattern are read generously: too many matches only ask, too few
//! would let calls pass.

use std::{borrow::Cow, path::Path};

use tools_command::spellings;
use tools_sandbox::first_group;

use super::forms::lower;
use super::pattern::escape;

/// Maximum number of alternatives of a pattern; more are read as `*`.
const MAX_ALTERNATIVES: usize = 64;
/// Maximum number of forms of a name that are distinguished.
const MAX_FORMS: usize = 16;

/// The known words of a command, with placeholders for unknown text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PartialCommand {
    pieces: Vec<Piece>,
    /// Other forms of the same command.
    others: Vec<Vec<Piece>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Is(char),
    /// Any one character.
    One,
    /// Any one character except `/` and a dot.
    Undotted,
    /// Any number of characters.
    Any,
    /// Any number of characters except `/`.
    Within,
}

impl PartialCommand {
    /// A command with arguments from elsewhere (`$@`) or with replaced ones (`{}`); `None` if it
    /// has none.
    pub(crate) fn of(program: &str, arguments: &[String]) -> Option<Self> {
        if !arguments.iter().any(|argument| is_unknown(argument) || argument.contains("{}")) {
            return None;
        }
        let program = program.rsplit('/').next().unwrap_or_default();
        let written: Vec<String> = std::iter::once(program.to_owned()).chain(arguments.iter().cloned()).collect();
        let others = spellings(program, arguments).generous;
        Some(Self { pieces: of_words(&written), others: others.iter().map(|words| of_words(words)).collect() })
    }

    /// Files whose names are partly known: see [`tools_core::Subject::Paths`].
    pub(crate) fn of_paths(pattern: &str, workdir: &Path) -> Self {
        let workdir = workdir.to_str().map(|workdir| format!("{}/", workdir.trim_end_matches('/')));
        // Below the working directory, both forms of a path are known.
        let relative =
            workdir.and_then(|workdir| pattern.strip_prefix(&escape(&workdir)).map(|rest| format!("./{rest}")));
        let mut forms = partly(pattern);
        forms.extend(relative.iter().flat_map(|relative| partly(relative)));
        Self { pieces: forms.swap_remove(0), others: forms }
    }

    /// Whether a glob on paths may match one of the files or a folder above it. If no folder is
    /// known, any folder could be above it, so only the files themselves are compared.
    pub(crate) fn may_be(&self, glob: &str) -> bool {
        // `**` also matches zero folders.
        let is_met = |glob: &str, form: &[Piece]| {
            meet(&pieces(glob), form) || (glob.contains("/**/") && meet(&pieces(&glob.replace("/**/", "/")), form))
        };
        let is_meant = |glob: &str, form: &[Piece]| alternatives(glob).iter().any(|glob| is_met(glob, form));
        let below = format!("{}/**", glob.trim_end_matches("/**"));
        self.forms().any(|form| is_meant(glob, form) || (form.first() != Some(&Piece::Any) && is_meant(&below, form)))
    }

    /// Whether the pattern names the program and would match with some arguments.
    pub(crate) fn may_match(&self, glob: &str) -> bool {
        let is_meant = |glob: &[Piece]| self.forms().any(|form| meet(glob, form));
        let globs = alternatives(glob);
        globs.iter().map(|glob| pieces(glob)).any(|glob| glob.first() != Some(&Piece::Any) && is_meant(&glob))
    }

    /// Like [`Self::may_match`], but the pattern must also contain, word by word, all known words
    /// before the unknown ones.
    pub(crate) fn continues_to(&self, glob: &str) -> bool {
        let continues = |glob: &[Piece], form: &[Piece]| {
            let known = form.iter().take_while(|piece| **piece != Piece::Any).count();
            glob.get(..known).is_some_and(|head| head == &form[..known]) && meet(glob, form)
        };
        let globs = alternatives(glob);
        globs.iter().map(|glob| pieces(glob)).any(|glob| self.forms().any(|form| continues(&glob, form)))
    }

    fn forms(&self) -> impl Iterator<Item = &[Piece]> {
        std::iter::once(&self.pieces).chain(&self.others).map(Vec::as_slice)
    }
}

/// Whether an argument is known only at run time and may be any number of words.
fn is_unknown(argument: &str) -> bool {
    argument.strip_prefix('"').unwrap_or(argument).starts_with(['$', '`'])
}

/// The known words of a command; the name of the program in lower case.
fn of_words(words: &[String]) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        found.extend((at > 0).then_some(Piece::Is(' ')));
        if at == 0 {
            found.extend(known(word).map(folded));
        } else if is_unknown(word) {
            found.push(Piece::Any);
        } else {
            for (at, part) in word.split("{}").enumerate() {
                found.extend((at > 0).then_some(Piece::Any));
                found.extend(known(part));
            }
        }
    }
    found
}

fn known(text: &str) -> impl Iterator<Item = Piece> + '_ {
    text.chars().map(Piece::Is)
}

/// The name of a program, folded like the globs of rules that ask or deny.
fn folded(piece: Piece) -> Piece {
    match piece {
        Piece::Is(character) => Piece::Is(lower(character)),
        other => other,
    }
}

/// The patterns that a pattern with `{a,b}` expands to.
fn alternatives(glob: &str) -> Vec<Cow<'_, str>> {
    let mut done = Vec::new();
    let mut open = vec![Cow::Borrowed(glob)];
    while let Some(glob) = open.pop() {
        let Ok(Some(group)) = first_group(&glob) else {
            done.push(glob);
            continue;
        };
        if done.len() + open.len() + group.parts.len() > MAX_ALTERNATIVES {
            done.push(format!("{}*", group.before).into());
            continue;
        }
        open.extend(group.each().map(Cow::Owned).collect::<Vec<_>>());
    }
    done
}

fn pieces(glob: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut characters = glob.chars();
    while let Some(character) = characters.next() {
        found.push(match character {
            '*' => Piece::Any,
            '?' => Piece::One,
            '[' => {
                let mut is_first = true;
                for inner in characters.by_ref() {
                    if inner == ']' && !is_first {
                        break;
                    }
                    is_first = is_first && matches!(inner, '!' | '^');
                }
                Piece::One
            }
            '\\' => characters.next().map_or(Piece::One, Piece::Is),
            other => Piece::Is(other),
        });
    }
    found
}

/// The pieces of a partly known name, in each of its forms: `*` stays within one folder, `**` does
/// not.
fn partly(pattern: &str) -> Vec<Vec<Piece>> {
    // A pattern of the shell does not match a leading dot; patterns of other programs cross
    // folders.
    let is_of_shell = !pattern.contains("**");
    let mut forms: Vec<Vec<Piece>> = vec![Vec::new()];
    let mut characters = pattern.chars().peekable();
    let mut last = None;
    while let Some(character) = characters.next() {
        let begins = matches!(last, None | Some('/')) && forms.len() < MAX_FORMS;
        if character == '*' && is_of_shell && begins {
            let is_some = matches!(characters.peek(), None | Some('/' | '.'));
            let without = if is_some { Vec::new() } else { forms.clone() };
            for form in &mut forms {
                form.extend([Piece::Undotted, Piece::Within]);
            }
            forms.extend(without);
        } else {
            let is_second = character == '*' && last == Some('*');
            let piece = match character {
                '*' if is_second => Piece::Any,
                '*' => Piece::Within,
                '\\' => characters.next().map_or(Piece::One, Piece::Is),
                other => Piece::Is(other),
            };
            for form in &mut forms {
                form.truncate(form.len() - usize::from(is_second && form.last() == Some(&Piece::Within)));
                form.push(piece);
            }
        }
        last = Some(character).filter(|character| *character != '\\');
    }
    forms
}

/// Whether a text exists that both patterns match.
fn meet(a: &[Piece], b: &[Piece]) -> bool {
    // `row[j]`: whether the part of `a` read so far matches the first `j` of `b`.
    let mut row = vec![false; b.len() + 1];
    row[0] = true;
    for (at, piece) in b.iter().enumerate() {
        row[at + 1] = row[at] && matches!(piece, Piece::Any | Piece::Within);
    }
    for one in a {
        let mut next = vec![false; b.len() + 1];
        next[0] = row[0] && matches!(one, Piece::Any | Piece::Within);
        for (at, other) in b.iter().enumerate() {
            next[at + 1] = match (one, other) {
                (Piece::Within, Piece::Is('/')) => row[at + 1],
                (Piece::Is('/'), Piece::Within) => next[at],
                (Piece::Any | Piece::Within, _) | (_, Piece::Any | Piece::Within) => row[at + 1] || next[at],
                (Piece::Undotted, Piece::Is('.' | '/')) | (Piece::Is('.' | '/'), Piece::Undotted) => false,
                (Piece::Undotted | Piece::One, _) | (_, Piece::Undotted | Piece::One) => row[at],
                (one, other) => row[at] && one == other,
            };
        }
        row = next;
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(line: &str) -> PartialCommand {
        let mut words = line.split(' ').map(str::to_owned);
        let program = words.next().unwrap();
        PartialCommand::of(&program, &words.collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn a_pattern_may_match_what_is_known_only_when_it_runs() {
        // Whether it may match, and whether it also contains all known words.
        let check = |line: &str, glob: &str, expected: (bool, bool)| {
            let open = open(line);
            assert_eq!((open.may_match(glob), open.continues_to(glob)), expected, "{line} / {glob}");
        };
        check("curl $@", "curl *", (true, true));
        check("git push $@", "git push --force*", (true, true));
        check("/usr/bin/git push $@", "git push --force*", (true, true));
        check("git push {}", "git push --force", (true, true));
        check("git push {} origin", "git push --force", (false, false));
        check("git push {} origin", "git push --force origin", (true, true));
        check("git push -{} x", "git push -f*", (true, true));
        check("git push $@", "git * --force*", (true, false));
        check("git add $@", "git push --force*", (false, false));
        check("git add $@", "git push*", (false, false));
        check("git $@", "git push*", (true, true));
        check("grep foo $@", "*secret*", (false, false));
        check("grep foo $@", "{curl,wget} *", (false, false));
        check("wget $@", "{curl,wget} http*", (true, true));
        check("git push $@", "git push -[uv]f", (true, true));
        check("wc -l $@", "wc -c*", (false, false));
        check("GIT -C $@", "git -C *", (true, true));
        check("git -C $@", "git -c *", (false, false));
        check("git push $x", "git push --force*", (true, true));
        check("git -C . push $x", "git push --force*", (true, true));
        check("git add $x", "git push --force*", (false, false));
        assert_eq!(PartialCommand::of("git", &["push".to_owned(), "x$y".to_owned()]), None);
    }

    #[test]
    fn a_pattern_may_match_files_whose_names_are_known_in_part() {
        let check = |known: &str, glob: &str, expected: bool| {
            assert_eq!(PartialCommand::of_paths(known, Path::new("/w")).may_be(glob), expected, "{known} / {glob}");
        };
        check("/w/pri*/x", "./private", true);
        check("/w/src/*.rs", "./src/main.rs", true);
        check("/w/src/*.rs", "./private", false);
        check("/w/*", "./private/x", false);
        check("/w/*", "./private", true);
        check("**", "./private", true);
        check("**/x", "/**/.envrc", false);
        check("**/.env*", "/**/.envrc", true);
        check(r"/w/a\*b", "./a*b", true);
        // `**` may match zero folders, and patterns of the shell match no leading dot.
        check("/w/.env*", "./**/.*", true);
        check("/w/.git/hook*/x", "./**/.*", true);
        check("/w/*", "./**/.*", false);
        check("/w/img/*", "./**/.*", false);
        check("/w/*/*.png", "./**/.*", false);
        check("/w/img/*envrc", "./**/.*", false);
        check("/w/img/*envrc", "./**/envrc", true);
        check("/w/img/*a*/.x", "./**/.*", true);
        check("/w/**/*rc", "./**/.*", true);
    }

    #[test]
    fn too_many_alternatives_are_read_as_anything() {
        let glob = format!("git push {}x", "{a,b,c}".repeat(9));
        assert!(open("git push $@").may_match(&glob) && !open("wc $@").may_match(&glob));
    }
}
