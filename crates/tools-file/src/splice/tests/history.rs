//! Tests the steps on a generated history: changes to real source code, split into hunks as in
//! `git diff`. Each is requested with slightly wrong line endings, blanks, tabs or indentation, or
//! with an outdated old text, as a model might do.

use std::path::{Path, PathBuf};

use similar::{Algorithm, TextDiff};

use super::super::*;

/// One change: a file and the requested edit.
struct Hunk {
    file: String,
    old: String,
    new: String,
    /// The file after the change.
    after: String,
}

/// Results of the requests.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    asked: usize,
    right: usize,
    wrong: Vec<String>,
    refused: usize,
}

impl Tally {
    /// Counts one result; `same` compares it with the expected one.
    fn add(&mut self, file: &str, old: &str, new: &str, same: impl Fn(&str) -> bool) {
        self.asked += 1;
        match find(file, Request { old, new, all: false, crlf: false }, &[]) {
            Ok(found) => match found.apply(file) {
                result if same(&result) => self.right += 1,
                result => self.wrong.push(format!("{:?}\n{old}\n---\n{new}\n---\n{result}", found.step)),
            },
            Err(_) => self.refused += 1,
        }
    }
}

struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % end as u64).unwrap()
    }
}

/// The source files of this workspace that are indented by four spaces, each with a seed from its
/// name.
fn sources() -> Vec<(u64, String)> {
    let mut pending = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("..")];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(directory) = pending.pop() {
        for path in std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() && !path.ends_with("target") {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    let name = |path: &Path| {
        let names = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().as_os_str().as_encoded_bytes();
        names.iter().fold(0_u64, |name, &byte| name.wrapping_mul(31).wrapping_add(byte.into()))
    };
    let texts = files.iter().filter_map(|path| Some((name(path), std::fs::read_to_string(path).ok()?)));
    texts
        .filter(|(_, text)| {
            // Without indentation, tabs cannot be distinguished from spaces.
            let is_indented = text.lines().filter(|line| line.starts_with("    ")).count() > 10;
            let is_plain = !text.contains(['\t', '\r']) && !text.contains(" \n");
            (60..260).contains(&text.lines().count()) && is_indented && is_plain
        })
        .collect()
}

/// The file after typical work: lines changed, added, removed, wrapped in a block.
fn worked_on(file: &str, chance: &mut Chance) -> String {
    let mut result = String::new();
    let mut lines = file.lines().peekable();
    while let Some(line) = lines.next() {
        let indent = indentation(line);
        let written = match chance.below(70) {
            0 if line.trim().len() > 8 => line.replacen(['a', 'e', 'o'], "_renamed_", 1),
            1 => continue,
            2 => format!("{line}\n{indent}let added = {};", chance.below(1000)),
            3 if line.ends_with(';') => format!("{indent}if ready {{\n{indent}    {}\n{indent}}}", line.trim()),
            4 => format!("{indent}// a remark on what follows\n{line}"),
            5 if lines.peek().is_some_and(|next| !next.trim().is_empty()) => format!("{line}\n"),
            _ => line.to_owned(),
        };
        result.push_str(&written);
        result.push('\n');
    }
    result
}

/// Number of hunks that is enough.
const ENOUGH: usize = 1200;

/// The changes as hunks with three lines of context, or more until the context is unique.
fn hunks() -> Vec<Hunk> {
    let mut all = Vec::new();
    for (name, file) in sources() {
        if all.len() >= ENOUGH {
            break;
        }
        // Seeded by the name, so that the changes of a file do not depend on earlier files.
        let mut chance = Chance(name);
        let worked = worked_on(&file, &mut chance);
        let (before, after): (Vec<&str>, Vec<&str>) =
            (file.split_inclusive('\n').collect(), worked.split_inclusive('\n').collect());
        let trimmed: Vec<&str> = before.iter().map(|line| line.trim()).collect();
        let changes = TextDiff::configure().algorithm(Algorithm::Myers).diff_lines(&file, &worked);
        for group in changes.grouped_ops(3) {
            let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
            let (mut old, mut new) =
                (first.old_range().start..last.old_range().end, first.new_range().start..last.new_range().end);
            let is_unique = |old: &Range<usize>| {
                let wanted = &trimmed[old.clone()];
                trimmed.windows(wanted.len()).filter(|window| *window == wanted).count() == 1
            };
            while !is_unique(&old) && old.start > 0 && new.start > 0 {
                (old.start, new.start) = (old.start - 1, new.start - 1);
            }
            let (old_text, new_text) = (before[old.clone()].concat(), after[new].concat());
            // Nobody requests an edit of brackets alone.
            if !is_unique(&old) || old_text == new_text || worded(&old_text).is_empty() {
                continue;
            }
            let after = [before[..old.start].concat(), new_text.clone(), before[old.end..].concat()].concat();
            all.push(Hunk { file: file.clone(), old: old_text, new: new_text, after });
        }
    }
    all
}

fn crlf(text: &str) -> String {
    text.replace('\n', "\r\n")
}

/// Each line with other leading blanks.
fn reindented(text: &str, indent: impl Fn(usize) -> String) -> String {
    let line = |line: &str| match line.trim_start_matches(' ') {
        "\n" => line.to_owned(),
        rest => indent(line.len() - rest.len()) + rest,
    };
    text.split_inclusive('\n').map(line).collect()
}

fn tabs(text: &str) -> String {
    reindented(text, |spaces| "\t".repeat(spaces / 4) + &" ".repeat(spaces % 4))
}

/// Adds blanks at the end of every other line.
fn blanks(text: &str) -> String {
    let line = |(n, line): (usize, &str)| match line.strip_suffix('\n') {
        Some(line) if n % 2 == 0 => format!("{line}  \n"),
        _ => line.to_owned(),
    };
    text.split_inclusive('\n').enumerate().map(line).collect()
}

fn indented(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("    "))
}

fn without_blanks(text: &str) -> String {
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// No result may change text outside of its hunk.
fn check(name: &str, tally: &Tally) {
    assert_eq!(tally.wrong.first(), None, "{name}: {} in a wrong place", tally.wrong.len());
    assert!(tally.right * 100 >= tally.asked * 99, "{name}: {} right, {} refused", tally.right, tally.refused);
}

#[test]
fn harmless_differences_are_bridged_in_the_right_place_and_stale_text_is_refused() {
    let hunks = hunks();
    assert!(hunks.len() >= 1000, "{} hunks", hunks.len());
    let mut tallies: [(&str, Tally); 9] = [
        "exact",
        "the file has CRLF",
        "the request has CRLF",
        "the file has trailing blanks",
        "the request has trailing blanks",
        "the file has tabs",
        "the request has tabs",
        "the request is shifted to the right",
        "the request is shifted to the left",
    ]
    .map(|name| (name, Tally::default()));
    let (mut moved, mut stale) = (Tally::default(), Tally::default());
    for (n, Hunk { file, old, new, after }) in hunks.iter().enumerate() {
        let mut add = |kind: usize, file: &str, old: &str, new: &str, after: &str| {
            tallies[kind].1.add(file, old, new, |result| result == after);
        };
        add(0, file, old, new, after);
        add(1, &crlf(file), old, new, &crlf(after));
        add(2, file, &crlf(old), &crlf(new), after);
        add(4, file, &blanks(old), new, after);
        // Without any indentation in the old text, the match is exact, so the new text is written
        // as sent.
        if indented(old) {
            add(5, &tabs(file), old, new, &tabs(after));
            add(6, file, &tabs(old), &tabs(new), after);
        }
        let by = 4 * (1 + n % 3);
        let shifted = |text: &str| reindented(text, |spaces| " ".repeat(spaces + by));
        add(7, file, &shifted(old), &shifted(new), after);
        let least =
            |text: &str| text.lines().filter(|line| !line.trim().is_empty()).map(|line| indentation(line).len()).min();
        let by = least(old).unwrap_or_default().min(least(new).unwrap_or_default());
        let shifted = |text: &str| reindented(text, |spaces| " ".repeat(spaces - by));
        add(8, file, &shifted(old), &shifted(new), after);
        // Replaced lines lose their trailing blanks; all others keep them.
        let (spread, wanted) = (blanks(file), without_blanks(after));
        let kept = |result: &str| {
            let untouched = spread.lines().zip(result.lines()).take_while(|(a, b)| a == b).count();
            without_blanks(result) == wanted && untouched * 2 + 1 >= old_start(file, old)
        };
        tallies[3].1.add(&spread, old, new, kept);
        let above = "// seven lines\n".repeat(7);
        moved.add(&format!("{above}{file}"), old, new, |result| result == format!("{above}{after}"));
        stale.add(&changed(file, old, n), old, new, |_| false);
    }
    for (name, tally) in &tallies {
        check(name, tally);
    }
    check("moved", &moved);
    assert_eq!((stale.refused, stale.wrong.first()), (stale.asked, None));
    let right: usize = tallies.iter().map(|(_, tally)| tally.right).sum();
    let asked: usize = tallies.iter().map(|(_, tally)| tally.asked).sum();
    println!(
        "{} hunks: {} of {} harmless ones applied, {} stale refused",
        hunks.len(),
        right + moved.right,
        asked + moved.asked,
        stale.refused
    );
}

/// Number of the line at which the hunk begins, from 0.
fn old_start(file: &str, old: &str) -> usize {
    file[..file.find(old).unwrap()].lines().count()
}

/// Numbers of the lines with more than brackets.
fn worded(text: &str) -> Vec<usize> {
    text.lines().enumerate().filter(|(_, line)| line.trim().len() > 3).map(|(n, _)| n).collect()
}

/// The file after someone else changed a line of the hunk.
fn changed(file: &str, old: &str, n: usize) -> String {
    let (lines, worded): (Vec<&str>, _) = (old.split_inclusive('\n').collect(), worded(old));
    let at = worded[n % worded.len()];
    let line = lines[at].trim_end();
    let new = format!("{}{} // changed\n", indentation(line), line.trim().replacen(char::is_alphanumeric, "Z", 1));
    let lines: Vec<&str> =
        lines.iter().enumerate().map(|(n, line)| if n == at { new.as_str() } else { line }).collect();
    file.replacen(old, &lines.concat(), 1)
}
