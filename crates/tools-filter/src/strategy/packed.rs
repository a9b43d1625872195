//! Folds by directory the files that an archiver or copier names one per line: `inflating: a/b`,
//! `adding: a/b (deflated 3%)`, the list of `rsync`. No name is left out.

use std::collections::HashSet;

use tools_core::FilterConfidence;

use super::{
    Reducer,
    listing::{folded, is_path},
};
use crate::emit::Emitter;

/// Minimum number of files to fold.
const MIN_FILES: usize = 12;
/// Maximum number of files folded together.
const MAX_FILES: usize = 10_000;

/// Words that an archiver prints before a file name.
const VERBS: &[&str] = &["inflating", "extracting", "creating", "adding", "linking", "exploding"];

#[derive(Default)]
pub(crate) struct PackedFiles {
    held: Vec<String>,
    /// Whether the following lines are files that `rsync` transfers.
    is_transfer: bool,
    found: bool,
}

/// The file that a line of an archiver names.
fn packed(line: &str) -> Option<&str> {
    let (verb, rest) = line.trim_start().split_once(": ")?;
    let file = rest.trim();
    let file = file.rsplit_once(" (").filter(|(_, how)| how.ends_with("%)")).map_or(file, |(file, _)| file);
    let is_file = !file.is_empty() && (is_path(file) || !file.contains(['/', ':', ' ']));
    (VERBS.contains(&verb) && is_file).then_some(file)
}

/// Whether the paths are in so many folders that folding would not be shorter.
fn are_scattered(paths: &[String]) -> bool {
    let folder = |path: &String| path.trim_end_matches('/').rsplit_once('/').map(|(folder, _)| folder.to_owned());
    paths.iter().map(folder).collect::<HashSet<_>>().len() * 2 > paths.len()
}

impl PackedFiles {
    fn file<'a>(&self, line: &'a str) -> Option<&'a str> {
        if self.is_transfer { Some(line).filter(|line| is_path(line)) } else { packed(line) }
    }

    fn flush(&mut self, out: &mut Emitter<'_>) {
        let held = std::mem::take(&mut self.held);
        if held.len() < MIN_FILES || (self.is_transfer && are_scattered(&held)) {
            return held.iter().for_each(|line| out.keep(line));
        }
        self.found = true;
        for line in &held {
            out.fold(line);
        }
        let verb = held[0].split_once(": ").filter(|_| !self.is_transfer).map_or("", |(verb, _)| verb.trim_start());
        let done = if verb.is_empty() { String::new() } else { format!(" {verb}") };
        folded(held.iter().filter_map(|line| self.file(line)), &done, out);
    }
}

impl Reducer for PackedFiles {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if self.held.len() < MAX_FILES && self.file(line).is_some() {
            return self.held.push(line.to_owned());
        }
        self.flush(out);
        let begins = matches!(line, "sending incremental file list" | "receiving incremental file list");
        self.is_transfer = begins || (self.is_transfer && self.file(line).is_some());
        out.keep(line);
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.flush(out);
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    #[test]
    fn packed_files_are_named_by_directory() {
        let names = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "ibis", "jay", "koi", "lynx"];
        let lines = |line: &dyn Fn(&str) -> String| names.map(line).concat();
        let unpacked = lines(&|name| format!("  inflating: zoo/{name}/error.c\n"));
        let packed = lines(&|name| format!("  adding: zoo/{name}/error.c (deflated 12%)\n"));
        let below = lines(&|name| format!(" {name}/ :  error.c\n"));
        let sent = lines(&|name| format!("zoo/in/{name}.c\n"));
        let in_one = "ant.c  bee.c  cat.c  dog.c  eel.c  fox.c  gnu.c  hen.c  ibis.c  jay.c  koi.c  lynx.c";
        let table = [
            (
                "unzip a.zip",
                format!("Archive:  a.zip\n{unpacked}"),
                format!("Archive:  a.zip\n[12 paths inflating, by directory]\nzoo/\n{below}"),
            ),
            ("zip -r a.zip zoo", packed, format!("[12 paths adding, by directory]\nzoo/\n{below}")),
            (
                "rsync -av a b",
                format!("sending incremental file list\n{sent}"),
                format!("sending incremental file list\n[12 paths, by directory]\nzoo/in/ :  {in_one}\n"),
            ),
        ];
        for (command, text, expected) in table {
            assert_eq!(FilterPipeline::builtin().filter(command, Exit::Code(0), text.as_bytes()).text, expected);
        }
    }
}
