//! `listing`: shortens long file lists without losing a name: trims the details of `ls -l` and
//! folds paths by directory.

use std::{collections::BTreeMap, fmt::Write as _, sync::LazyLock};

use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{
    Facts, Reducer, Strategy,
    trees::{Trees, is_drawn},
};
use crate::{emit::Emitter, lines::regex};

/// Parameters of `listing`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Listing {
    /// Maximum number of lines of a list that is left as it is.
    pub max_lines: usize,
}

impl Default for Listing {
    fn default() -> Self {
        Self { max_lines: 60 }
    }
}

impl Strategy for Listing {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        Box::new(Machine { limit: self.max_lines, ..Machine::default() })
    }
}

/// Maximum bytes held; a full buffer is folded by itself.
const MAX_HELD: usize = 4 << 20;
/// Maximum number of slashes in a path; it bounds recursion.
const MAX_DEPTH: usize = 64;
/// Minimum number of detailed entries to shorten.
const MIN_ENTRIES: usize = 3;
/// Maximum number of entries shown with sizes; above it only names are shown.
const MAX_SIZED_ENTRIES: usize = 400;
/// Approximate length of a line of names.
const WIDTH: usize = 160;

#[derive(Default)]
struct Machine {
    limit: usize,
    held: Vec<String>,
    bytes: usize,
    found: bool,
}

static LONG: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        // `find -ls` has two numbers in front, `tar -tv` a slash between the owners.
        r"^(?: *\d+ +\d+ +)?([-dlbcps])([rwxsStT-]{9})[+.@]? +(?:\d+ +)?(\S+ +\S+|\S+/\S+) +(\d[\d.,]*[KMGTP]?|\d+, *\d+) +",
        r"(?:\w{3} +\d+ +[\d:]+|\d+ \w{3} +[\d:]+|\d{4}-\d\d-\d\d \d\d:\d\d(?::[\d.]+ [+-]\d{4})?) (.+)$"
    ))
});

impl Machine {
    fn flush(&mut self, out: &mut Emitter<'_>) {
        let lines = std::mem::take(&mut self.held);
        self.bytes = 0;
        if lines.iter().any(|line| is_drawn(line)) {
            self.found = true;
            let mut trees = Trees::default();
            for line in &lines {
                trees.line(line, out);
            }
            trees.finish(out);
            return;
        }
        let long = lines.iter().filter(|line| LONG.is_match(line)).count();
        if long >= MIN_ENTRIES && long * 2 >= lines.len() && lines.len() <= MAX_SIZED_ENTRIES {
            self.found = true;
            return with_sizes(&lines, out);
        }
        if lines.len() <= self.limit {
            return out.keep_all(&lines);
        }
        if lines.len() > self.limit * 2
            && lines.iter().filter(|line| changed(line).is_some()).count() * 10 >= lines.len() * 8
        {
            self.found = true;
            return by_change(&lines, out);
        }
        let paths = lines.iter().filter(|line| is_path(line)).count();
        if long * 10 >= lines.len() * 8 {
            self.found = true;
            names_only(&lines, out);
        } else if paths * 10 >= lines.len() * 8 && lines.len() > self.limit * 2 {
            self.found = true;
            lines.iter().filter(|line| is_path(line)).for_each(|line| out.fold(line));
            folded(lines.iter().map(String::as_str).filter(|line| is_path(line)), "", out);
            lines.iter().filter(|line| !is_path(line)).for_each(|line| out.keep(line));
        } else {
            out.keep_all(&lines);
        }
    }
}

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        self.bytes += line.len() + 1;
        self.held.push(line.to_owned());
        if self.bytes > MAX_HELD {
            self.flush(out);
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.flush(out);
        self.found.then_some(FilterConfidence::Full)
    }
}

/// Writes several names on a line.
struct Names<'a, 'b> {
    line: String,
    indent: usize,
    out: &'a mut Emitter<'b>,
}

impl Names<'_, '_> {
    fn push(&mut self, name: &str) {
        if self.line.len() > self.indent {
            if self.line.len() + name.len() > WIDTH {
                self.end();
            } else {
                self.line.push_str("  ");
            }
        }
        if self.line.is_empty() {
            let _ = write!(self.line, "{:1$}", "", self.indent);
        }
        self.line.push_str(name);
    }

    fn end(&mut self) {
        if !self.line.is_empty() {
            self.out.write(&self.line);
            self.line.clear();
        }
    }
}

/// Modes that are not shown.
const USUAL: &[&str] = &["rw-r--r--", "rw-rw-r--", "rwxr-xr-x", "rwxrwxr-x", "rwxrwxrwx"];

/// Writes entries with sizes. Unusual modes are shown, and links with their targets.
fn with_sizes(lines: &[String], out: &mut Emitter<'_>) {
    let first = lines.iter().find_map(|line| LONG.captures(line));
    let owner = first.as_ref().map(|parts| parts[3].to_owned()).unwrap_or_default();
    out.write("[name size, without times; `/` directory, `*` executable]");
    let mut names = Names { line: String::new(), indent: 0, out };
    for line in lines {
        let Some(parts) = LONG.captures(line) else {
            // Headings of folders and the space that their files take, which the user asked for.
            names.end();
            names.out.keep(line);
            continue;
        };
        names.out.fold(line);
        let (kind, mode, name) = (&parts[1], &parts[2], parts.get(5).map_or("", |name| name.as_str()));
        if kind == "d" && (name == "." || name == "..") {
            continue;
        }
        let (path, target) = name.split_once(" -> ").map_or((name, ""), |(path, _)| (path, &name[path.len()..]));
        // Archives and searches print paths. Each stays whole so that a search for it succeeds.
        let mut entry = format!("{}{target}", path.trim_end_matches('/'));
        match kind {
            "d" => entry.push('/'),
            "l" => {}
            _ => {
                if mode.contains('x') {
                    entry.push('*');
                }
                let _ = write!(entry, " {}", &parts[4]);
            }
        }
        if !USUAL.contains(&mode) || !matches!(kind, "-" | "d" | "l") {
            let _ = write!(entry, " {kind}{mode}");
        }
        if parts[3] != owner {
            // Without the blanks between the two.
            let owner: Vec<&str> = parts[3].split_ascii_whitespace().collect();
            let _ = write!(entry, " {}", owner.join(" "));
        }
        names.push(&entry);
    }
    names.end();
}

fn names_only(lines: &[String], out: &mut Emitter<'_>) {
    let entries = lines.iter().filter(|line| LONG.is_match(line)).count();
    out.write(&format!("[{entries} entries, names only; `/` marks a directory]"));
    let mut names = Names { line: String::new(), indent: 0, out };
    for line in lines {
        let Some(parts) = LONG.captures(line) else {
            names.end();
            names.out.keep(line);
            continue;
        };
        names.out.fold(line);
        let name = &parts[5];
        match &parts[1] {
            "d" if name == "." || name == ".." => {}
            "d" => names.push(&format!("{name}/")),
            "l" => names.push(name.split(" -> ").next().unwrap_or(name)),
            _ => names.push(name),
        }
    }
    names.end();
}

/// Whether a line is a path, not a search hit in it.
pub(crate) fn is_path(line: &str) -> bool {
    !line.starts_with(' ') && !line.contains([':', '\t']) && (1..=MAX_DEPTH).contains(&line.matches('/').count())
}

/// The letter and the path of a changed file: `M\tsrc/a.rs`. `None` for a rename, which has two.
fn changed(line: &str) -> Option<(char, &str)> {
    let (letter, path) = line.split_once('\t')?;
    let mut letters = letter.chars();
    let letter = letters.next().filter(char::is_ascii_uppercase)?;
    (letters.next().is_none() && !path.is_empty() && !path.contains('\t')).then_some((letter, path))
}

/// Writes changed files by letter and directory.
fn by_change(lines: &[String], out: &mut Emitter<'_>) {
    let files: Vec<(char, &str)> = lines.iter().filter_map(|line| changed(line)).collect();
    lines.iter().filter(|line| changed(line).is_some()).for_each(|line| out.fold(line));
    let mut letters: Vec<char> = files.iter().map(|(letter, _)| *letter).collect();
    letters.sort_unstable();
    letters.dedup();
    for letter in letters {
        let paths = files.iter().filter(|(of, _)| *of == letter).map(|(_, path)| *path);
        folded(paths, &format!(" with {letter}"), out);
    }
    lines.iter().filter(|line| changed(line).is_none()).for_each(|line| out.keep(line));
}

#[derive(Default)]
struct Folder<'a> {
    folders: BTreeMap<&'a str, Folder<'a>>,
    files: Vec<&'a str>,
}

/// Writes paths by directory, under a heading that contains `done`: what was done with them.
pub(crate) fn folded<'a>(paths: impl Iterator<Item = &'a str>, done: &str, out: &mut Emitter<'_>) {
    let mut root = Folder::default();
    let mut count = 0;
    for line in paths {
        count += 1;
        let (parents, name) = line.trim_end_matches('/').rsplit_once('/').map_or(("", line), |parts| parts);
        let mut folder = &mut root;
        if !parents.is_empty() || line.starts_with('/') {
            for part in parents.split('/') {
                folder = folder.folders.entry(part).or_default();
            }
        }
        if line.ends_with('/') {
            folder.folders.entry(name).or_default();
        } else {
            folder.files.push(name);
        }
    }
    out.write(&format!("[{count} paths{done}, by directory]"));
    show(&root, "", 0, out);
}

/// Writes a folder's files on its own line if they fit, then its folders, indented by one.
fn show(folder: &Folder<'_>, path: &str, depth: usize, out: &mut Emitter<'_>) {
    let files: Vec<&str> = folder.files.iter().copied().filter(|name| !folder.folders.contains_key(name)).collect();
    // A folder that contains only one folder is written together with it.
    if files.is_empty()
        && folder.folders.len() == 1
        && let Some((name, only)) = folder.folders.first_key_value()
    {
        return show(only, &format!("{path}{name}/"), depth, out);
    }
    let indent = depth.min(40);
    let inner = if path.is_empty() { indent } else { indent + 1 };
    let mut names = Names { line: format!("{:indent$}{path}", ""), indent: inner, out };
    if !path.is_empty() && !files.is_empty() {
        names.line.push_str(" :");
    }
    for name in files {
        names.push(name);
    }
    names.end();
    for (name, below) in &folder.folders {
        show(below, &format!("{name}/"), inner, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Exit, FilterPipeline};

    #[test]
    fn paths_are_told_from_other_lines() {
        assert!(is_path("./a/b c.txt"));
        for line in ["find: ‘/root’: Permission denied", "", "README.md", " 12K ./a"] {
            assert!(!is_path(line), "{line}");
        }
    }

    #[test]
    fn what_a_folder_takes_stays_under_its_name() {
        let entry = |name: &str| format!("-rw-r--r-- 1 root root  120 Nov 23 18:44 {name}\n");
        let folder = |path: &str, total: u32| {
            format!("{path}:\ntotal {total}\n{}{}{}", entry("alpha.txt"), entry("beta.txt"), entry("gamma.txt"))
        };
        let text = format!("{}\n{}", folder(".", 12), folder("./sub", 16));
        let shown = FilterPipeline::builtin().filter("ls -lR", Exit::Code(0), text.as_bytes()).text;
        assert_eq!(
            shown,
            "[name size, without times; `/` directory, `*` executable]\n.:\ntotal 12\nalpha.txt 120  beta.txt 120  gamma.txt 120\n\
             \n./sub:\ntotal 16\nalpha.txt 120  beta.txt 120  gamma.txt 120\n"
        );
    }

    #[test]
    fn changed_files_are_listed_by_letter() {
        let names = ["ash", "birch", "cedar", "elm", "fir", "hazel"];
        let line = |at: usize| {
            let letter = if at % 50 == 7 { 'D' } else { 'M' };
            format!(
                "{letter}\tcrates/trees/src/{}/{}_{}.rs\n",
                names[at % 3],
                names[at % 6],
                names[at / 6 % 6].repeat(1 + at / 36)
            )
        };
        let renamed = "R089\tcrates/trees/src/old.rs\tcrates/trees/src/new.rs\n";
        let list = |lines: usize| (0..lines).map(line).collect::<String>() + renamed;
        let shown = |text: &str| {
            FilterPipeline::builtin().filter("git diff --name-status HEAD~9", Exit::Code(0), text.as_bytes()).text
        };
        let long = shown(&list(150));
        assert!(
            long.contains("[147 paths with M, by directory]") && long.contains("[3 paths with D, by directory]"),
            "{long}"
        );
        assert!(long.ends_with(renamed), "{long}");
        for at in 0..150 {
            let line = line(at);
            let name = line.trim_end().rsplit('/').next().unwrap_or_default();
            assert!(long.split([' ', '\n']).any(|word| word == name), "{name}: {long}");
        }
        assert_eq!(shown(&list(50)), list(50));
    }

    #[test]
    fn archives_and_searches_name_whole_paths() {
        let table = [
            (
                "tar tvf a.tar",
                "drwxr-xr-x root/root         0 2026-11-25 18:27 src/\n-rw-r--r-- root/root      1234 2026-11-25 18:27 src/alpha.rs\n\
                 -rwxr-xr-x root/root        56 2026-11-25 18:27 src/beta.sh\nlrwxrwxrwx root/root         0 2026-11-25 18:27 src/gamma -> ../b/c\n",
                "src/  src/alpha.rs 1234  src/beta.sh* 56  src/gamma -> ../b/c\n",
            ),
            (
                "find src -ls",
                "  1234567      4 -rw-r--r--   1 root     root         3051 Nov 25 18:27 src/alpha.rs\n  \
                 1234568     12 -rw-r--r--   1 root     root        10053 Nov 25 18:27 src/beta.rs\n  \
                 1234569      4 -rw-------   1 root     root          155 Nov 25 18:27 src/b/gamma.rs\n",
                "src/alpha.rs 3051  src/beta.rs 10053  src/b/gamma.rs 155 -rw-------\n",
            ),
        ];
        for (command, text, expected) in table {
            let shown = FilterPipeline::builtin().filter(command, Exit::Code(0), text.as_bytes()).text;
            let (heading, entries) = shown.split_once('\n').unwrap();
            assert_eq!((heading, entries), ("[name size, without times; `/` directory, `*` executable]", expected));
        }
    }

    #[test]
    fn some_hundred_entries_have_their_sizes() {
        let entry = |n: usize| {
            format!(
                "-rw-r--r-- 1 root root {} Nov 23 18:44 {}file.txt",
                7000 + n,
                ["a", "b", "c"][n % 3].repeat(n / 3 + 1)
            )
        };
        let text = (0..100).map(entry).collect::<Vec<_>>().join("\n");
        let shown = FilterPipeline::builtin().filter("ls -l", Exit::Code(0), text.as_bytes()).text;
        assert!((0..100).all(|n| shown.contains(&format!("file.txt {}", 7000 + n))), "{shown}");
    }
}
