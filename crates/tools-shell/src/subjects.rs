//! Lists the subjects of a command line that gates judge: the whole line, each command, the files
//! and hosts that programs and redirections name, and opaque parts.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use tools_command::{Analysis, Command, Effect, Value};
use tools_core::{Access, NamedBy, Subject};
use tools_sandbox::kernel::resolve_by_words;

/// The subjects of a line that runs in a folder.
pub(crate) fn subjects(line: &str, found: &Analysis, workdir: &Path) -> Vec<Subject> {
    let mut subjects = Subjects::default();
    let line = line.trim();
    if !matches!(found.commands.as_slice(), [only] if only.line == line) {
        subjects.list.push(whole(line));
    }
    for command in &found.commands {
        let argv = command.args.iter().map(|arg| arg.text.clone()).collect();
        let (line, program) = called(command, workdir);
        subjects.list.push(Subject::Command { line, program, argv, via: command.via.clone() });
        for subject in command.effects.iter().filter_map(|effect| of_effect(effect, command)) {
            subjects.add(subject);
        }
    }
    for (files, access) in [(&found.reads, Access::Read), (&found.writes, Access::Write)] {
        for file in files {
            redirection(&mut subjects, file, access, workdir);
        }
    }
    let host = |host: &Value| Subject::Opaque { why: format!("connects to {}", host.text) };
    let mut subjects = subjects.list;
    subjects.extend(found.connects.iter().map(host));
    subjects.extend(found.opaque.iter().map(|why| Subject::Opaque { why: why.clone() }));
    subjects
}

/// The text of a command and its program. A program path with `..` is resolved, since `./*` must
/// not match `./../../usr/bin/ssh`.
fn called(command: &Command, workdir: &Path) -> (String, String) {
    let (line, program) = (command.line.as_str(), command.program.text.as_str());
    let is_up = program.split('/').skip_while(|step| *step == "..").any(|step| step == "..");
    if !command.program.is_exact || !is_up {
        return (line.to_owned(), program.to_owned());
    }
    let straight = match (&command.folder, program.starts_with('/')) {
        (None, false) => straight(program),
        (folder, _) => {
            let path = resolved(&Path::new(folder.as_deref().unwrap_or_default()).join(program), Access::Delete);
            let inside = path.strip_prefix(workdir).map(|inside| format!("./{}", inside.display()));
            inside.unwrap_or_else(|_| path.display().to_string())
        }
    };
    let args: String = command.args.iter().flat_map(|arg| [" ", arg.text.as_str()]).collect();
    let rest = line.strip_prefix(program).map_or(args, str::to_owned);
    (format!("{straight}{rest}"), straight)
}

/// Adds the file of a redirection. A written file whose name is known only at run time always asks.
fn redirection(subjects: &mut Subjects, file: &Value, access: Access, workdir: &Path) {
    if file.is_exact && !file.has_pattern {
        let path = Path::new(&file.text);
        if !is_plain_device(path) {
            let path = resolve_by_words(&workdir.join(path));
            subjects.add(Subject::path_named_by(NamedBy::Redirection, path, access));
        }
        return;
    }
    if let Some(subject) = of_path(file, access, workdir.to_str(), NamedBy::Redirection) {
        subjects.add(subject);
    }
    if access == Access::Write {
        let why = format!("a file that is written is known only when it runs: {}", file.text);
        subjects.add(Subject::Opaque { why });
    }
}

fn whole(line: &str) -> Subject {
    Subject::Command { line: line.to_owned(), program: String::new(), argv: Vec::new(), via: Vec::new() }
}

/// Subjects in the order found.
#[derive(Default)]
struct Subjects {
    list: Vec<Subject>,
    /// The added subjects, for a fast check: a line may name thousands of files.
    added: HashSet<Subject>,
}

impl Subjects {
    /// Adds a subject once, however many commands name it.
    fn add(&mut self, subject: Subject) {
        if self.added.insert(subject.clone()) {
            self.list.push(subject);
        }
    }
}

/// The subject of an effect; `None` if it is reported elsewhere.
fn of_effect(effect: &Effect, command: &Command) -> Option<Subject> {
    match effect {
        Effect::Host(host) => Some(Subject::Host { host: host.text.clone(), by: NamedBy::Program }),
        // `-` is the standard input or output.
        Effect::Path { path, .. } if path.is_exact && (path.text == "-" || path.text.is_empty()) => None,
        Effect::Path { path, access, .. } => of_path(path, *access, command.folder.as_deref(), NamedBy::Program),
        _ => None,
    }
}

/// A named file, relative to the folder of its command; `None` for a device that is not a file. A
/// file with an unknown name may be any file.
fn of_path(path: &Value, access: Access, folder: Option<&str>, by: NamedBy) -> Option<Subject> {
    let is_known = path.is_exact && !path.has_pattern && (folder.is_some() || path.text.starts_with('/'));
    if is_known {
        let path = Path::new(folder.unwrap_or_default()).join(&path.text);
        return (!is_plain_device(&path)).then(|| Subject::path_named_by(by, resolved(&path, access), access));
    }
    let known = if path.is_exact || path.has_pattern { escaped(path) } else { partly_known(&path.text) };
    let pattern = match folder {
        _ if known.starts_with('/') || known.starts_with("**") => known,
        Some(folder) => format!("{}/{known}", escape(folder.trim_end_matches('/'))),
        None => format!("**/{known}"),
    };
    Some(Subject::Paths { pattern, access, by })
}

/// The resolved path; for a removed link, the link itself.
fn resolved(path: &Path, access: Access) -> PathBuf {
    match (access, path.parent(), path.file_name()) {
        (Access::Delete, Some(folder), Some(name)) => resolve_by_words(folder).join(name),
        _ => resolve_by_words(path),
    }
}

/// The pattern of a word whose value is certain except for the file names that it matches.
fn escaped(path: &Value) -> String {
    let pattern = path.text.chars().fold(String::new(), |mut pattern, character| {
        match character {
            '*' | '?' | '[' if path.has_pattern => pattern.push('*'),
            '\\' => pattern.push_str("\\\\"),
            '*' => pattern.push_str("\\*"),
            other => pattern.push(other),
        }
        pattern
    });
    straight(&pattern)
}

/// The pattern of a word with variables and substitutions, as written: its quotes are not part of
/// the name.
fn partly_known(text: &str) -> String {
    let open = |c: char| matches!(c, '$' | '`' | '{' | '*' | '?' | '[');
    let mut head = String::new();
    let mut characters = text.chars().take_while(|c| !open(*c));
    while let Some(character) = characters.next() {
        match character {
            '"' | '\'' => {}
            '\\' => head.extend(characters.next()),
            other => head.push(other),
        }
    }
    // The owner of the home is not known here.
    let head = if head.starts_with('~') {
        format!("**/{}", escape(head.split_once('/').map_or("", |(_, rest)| rest)))
    } else {
        escape(&head)
    };
    // The text after the last variable is known if it begins with a separator.
    let text = text.trim_end_matches('"');
    let tail = text.rfind(open).map_or("", |at| &text[at..]);
    let tail = tail.find(['/', '.']).map_or("", |at| &tail[at..]);
    let is_plain = !tail.contains(['}', ')', '`', '"', '\'', '\\']);
    straight(&format!("{head}**{}", if is_plain { escape(tail) } else { String::new() }))
}

/// A pattern without `.` and empty steps. With `..`, the parent folder is unknown, so any folder
/// matches.
fn straight(pattern: &str) -> String {
    let steps: Vec<&str> = pattern.split('/').collect();
    let above = steps.iter().rposition(|step| *step == "..").map(|at| at + 1);
    let end = if pattern.ends_with('/') { "/" } else { "" };
    let root = match above {
        Some(_) => "**/",
        None if pattern.starts_with('/') => "/",
        None => "",
    };
    let below = steps[above.unwrap_or_default()..].iter().filter(|step| !matches!(**step, "" | "."));
    let below: Vec<&str> = below.copied().collect();
    if below.is_empty() {
        return "**".to_owned();
    }
    format!("{root}{}{end}", below.join("/"))
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('*', "\\*")
}

fn is_plain_device(path: &Path) -> bool {
    ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty", "/dev/zero"]
        .iter()
        .any(|device| Path::new(device) == path)
}

#[cfg(test)]
mod tests {
    use tools_command::{Surroundings, analyse};

    use super::*;

    fn named(line: &str) -> Vec<String> {
        let around = Surroundings { home: "/h".to_owned(), workdir: "/nowhere/w".to_owned() };
        let found = analyse(line, &around);
        let told = subjects(line, &found, Path::new("/nowhere/w")).into_iter().filter_map(|subject| match subject {
            Subject::Path { path, access, .. } => Some(format!("{access:?} {}", path.display())),
            Subject::Paths { pattern, access, .. } => Some(format!("{access:?}? {pattern}")),
            _ => None,
        });
        told.collect()
    }

    #[test]
    fn a_program_whose_path_goes_up_is_judged_by_where_it_leads() {
        let check = |line: &str, expected: &str| {
            let around = Surroundings { home: "/h".to_owned(), workdir: "/nowhere/w".to_owned() };
            let told = subjects(line, &analyse(line, &around), Path::new("/nowhere/w"));
            let found = told.iter().find_map(|subject| match subject {
                Subject::Command { line, program, .. } if !program.is_empty() => Some(line.as_str()),
                _ => None,
            });
            assert_eq!(found, Some(expected), "{line}");
        };
        check("./../../usr/bin/ssh host id", "/usr/bin/ssh host id");
        check(".venv/bin/../../../../usr/bin/curl x", "/usr/bin/curl x");
        check("sub/../x 'a b'", "./x 'a b'");
        check("./x y", "./x y");
        check("../x y", "../x y");
    }

    #[test]
    fn files_that_programs_name_are_subjects() {
        let check = |line: &str, expected: &[&str]| assert_eq!(named(line), expected, "{line}");
        check("rm a ./b", &["Delete /nowhere/w/a", "Delete /nowhere/w/b"]);
        check("cd sub && rm ../x", &["Delete /nowhere/w/x"]);
        check("mv a /etc/b.x", &["Write /etc/b.x", "Delete /nowhere/w/a"]);
        // A name without an extension may be that of a folder.
        check("mv a /etc/b", &["Write /etc/b", "Delete /nowhere/w/a", "Write /etc/b/a"]);
        check("rm ~/x", &["Delete /h/x"]);
        check("rm src/*.o", &["Delete? /nowhere/w/src/*.o"]);
        check("rm \"$d\"/.envrc", &["Delete? **/.envrc"]);
        check("rm pre$x", &["Delete? /nowhere/w/pre**"]);
        check("cd $x; rm y", &["Delete? **/y"]);
        // A subshell leaves the folder as it is, and any `cd` may fail.
        check("(cd /tmp); rm y", &["Delete /nowhere/w/y"]);
        check("for i in 1 2; do (cd sub && rm y); done; rm z", &["Delete /nowhere/w/sub/y", "Delete /nowhere/w/z"]);
        check("for i in 1 2; do rm y; cd sub; done", &["Delete /nowhere/w/y", "Delete? **/y"]);
        check("cd none; cd ..; rm w/y", &["Delete /nowhere/w/w/y", "Delete /nowhere/w/y"]);
        check("f() { cd sub; }; rm y", &["Delete /nowhere/w/sub/y", "Delete? **/y"]);
        check("sh -c 'cd /tmp'; rm y/$x", &["Delete? /tmp/y/**", "Delete? /nowhere/w/y/**"]);
        check("cd sub; echo x > y", &["Write /nowhere/w/sub/y", "Write /nowhere/w/y"]);
        check("cd /tmp && rm y && cd sub && rm z", &["Delete /tmp/y", "Delete /tmp/sub/z"]);
        // Quotes are not part of a name, and `.` steps hide none.
        check("touch .en\"vrc$x\"", &["Write? /nowhere/w/.envrc**"]);
        check("touch .en'v'rc$x", &["Write? /nowhere/w/.envrc**"]);
        check("touch .en\\vrc$x", &["Write? /nowhere/w/.envrc**"]);
        check("touch ./.envrc$x", &["Write? /nowhere/w/.envrc**"]);
        check("touch a//b/./c$x", &["Write? /nowhere/w/a/b/c**"]);
        check("touch a/../.env$x", &["Write? **/.env**"]);
        check("touch $x/../.envrc", &["Write? **/.envrc"]);
        check("touch $x/./.envrc", &["Write? **/.envrc"]);
        check("rm ~/a/b$x", &["Delete? **/a/b**"]);
        check("rm a/../*.o", &["Delete? **/*.o"]);
        check("touch a/../../.env$x", &["Write? **/.env**"]);
        check("touch a/\"$x\"", &["Write? /nowhere/w/a/**"]);
        check("touch a/$x/..", &["Write? **"]);
        check("rm $x", &["Delete? **"]);
        check("date | tee \"$x\"", &["Write? **"]);
        check("xargs touch < names", &["Write? **", "Read /nowhere/w/names"]);
        check("timeout 5 rm a; rm a", &["Delete /nowhere/w/a"]);
        check("truncate -s 0 /dev/null", &[]);
    }
}
