//! Notes of a running call: what it is about to change, before it does. With them, a call whose
//! process was killed gets a record too, and can be undone.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tools_core::{ProcessNotes, take_notes_left_behind};

use crate::attributes::Attributes;
use crate::folder_state::{FolderState, Item, joined};
use crate::hash::Hash;
use crate::running::Caller;
use crate::state::{Name, State};

/// File extension of notes.
const EXTENSION: &str = "call";
/// Maximum number of states noted of one call. Beyond it, its changes are unknown.
const MAX_STATES: usize = 100_000;

/// One note, a line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Note {
    /// The call begins; the number is that of the last record.
    Begins(Caller, u64),
    /// This path is about to change, with `true` including everything below it.
    Changes(Name, bool),
    /// State of a path before the call, if it existed.
    Was(Name, Box<State>),
    /// From here on, the notes are incomplete.
    Unknown,
}

/// Notes of a running call. They are deleted when it ends.
#[derive(Debug)]
pub(crate) struct CallNotes {
    notes: ProcessNotes,
    states: usize,
    /// Folders whose own state is noted.
    folders: BTreeSet<PathBuf>,
    is_complete: bool,
}

/// Entry of a folder before a call.
#[derive(Debug)]
pub(crate) struct PriorEntry<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) item: &'a Item,
    /// Hash of its stored content.
    pub(crate) hash: Option<Hash>,
    pub(crate) attributes: Attributes,
}

/// Notes of a call whose process was killed.
#[derive(Debug)]
pub(crate) struct UnfinishedCall {
    pub(crate) caller: Caller,
    /// Number of the last record when it began.
    pub(crate) since: u64,
    /// Changed paths, with `true` including everything below.
    pub(crate) paths: BTreeMap<PathBuf, bool>,
    /// States of these paths before the call.
    pub(crate) before: BTreeMap<PathBuf, State>,
    /// Whether the notes are complete.
    pub(crate) is_complete: bool,
}

impl CallNotes {
    /// Notes that a call begins.
    pub(crate) fn begin(folder: &Path, caller: &Caller, since: u64) -> Self {
        let notes = ProcessNotes::in_folder(running(folder), EXTENSION);
        let mut notes = Self { notes, states: 0, folders: BTreeSet::new(), is_complete: true };
        notes.write(&[Note::Begins(caller.clone(), since)]);
        notes
    }

    /// Notes that something at `path` is about to change, and its current state.
    pub(crate) fn change<'a>(
        &mut self,
        seen: &FolderState,
        path: &Path,
        with_all_below: bool,
        there: impl Iterator<Item = PriorEntry<'a>>,
    ) {
        let mut lines = vec![Note::Changes(Name(path.to_owned()), with_all_below)];
        lines.extend(self.around(seen, path));
        for PriorEntry { folder, item, hash, attributes } in there {
            if self.states >= MAX_STATES {
                return self.unknown();
            }
            self.states += 1;
            let relative = joined(folder, Path::new(&item.name));
            let names = seen.names_of(&item.node, &relative).into_iter();
            let names = names.map(|name| Name(joined(&seen.root, &name))).collect();
            let state = State { names, attributes, ..State::of(&item.node, hash) };
            lines.push(Note::Was(Name(joined(&seen.root, &relative)), Box::new(state)));
        }
        self.write(&lines);
    }

    /// The note on the parent folder of a path, whose times change with it; `None` if it was
    /// already noted.
    fn around(&mut self, seen: &FolderState, path: &Path) -> Option<Note> {
        let parent = path.parent().filter(|parent| parent.starts_with(&seen.root))?;
        let node = seen.folder(parent.strip_prefix(&seen.root).ok()?)?;
        let is_new = self.folders.insert(parent.to_owned());
        is_new.then(|| Note::Was(Name(parent.to_owned()), Box::new(State::of(node, None))))
    }

    /// Notes that everything at these paths and below them may change.
    pub(crate) fn change_below(
        &mut self,
        seen: &FolderState,
        paths: &[PathBuf],
        attributes: impl Fn(&Item) -> Attributes,
    ) {
        for path in paths {
            let relative = path.strip_prefix(&seen.root).unwrap_or(path);
            let there =
                seen.items().filter(|(folder, item)| joined(folder, Path::new(&item.name)).starts_with(relative));
            let was =
                there.map(|(folder, item)| PriorEntry { folder, item, hash: item.hash, attributes: attributes(item) });
            self.change(seen, path, true, was);
        }
    }

    /// Notes that from now on something may change without a note.
    pub(crate) fn unknown(&mut self) {
        self.write(&[Note::Unknown]);
        self.is_complete = false;
    }

    fn write(&mut self, lines: &[Note]) {
        if !self.is_complete {
            return;
        }
        let text = lines.iter().try_fold(Vec::new(), |mut text, line| {
            serde_json::to_writer(&mut text, line)?;
            text.push(b'\n');
            io::Result::Ok(text)
        });
        if let Err(error) = text.and_then(|text| self.notes.add(&text)) {
            tracing::debug!(%error, "what a call is about to change is not noted");
            // Incomplete notes are worse than none: missing changes would not be undone.
            self.notes.clear();
            self.is_complete = false;
        }
    }
}

/// Passes each call of a killed process to `take`, and deletes its notes if that returns `true`.
pub(crate) fn take_unfinished(folder: &Path, mut take: impl FnMut(UnfinishedCall) -> bool) {
    take_notes_left_behind(&running(folder), EXTENSION, |text| parse(text).is_none_or(&mut take));
}

/// Contents needed by running calls of any process, and by calls of killed processes.
pub(crate) fn needed(folder: &Path) -> BTreeSet<Hash> {
    let files = std::fs::read_dir(running(folder)).into_iter().flatten();
    let texts = files.filter_map(|file| std::fs::read(file.ok()?.path()).ok());
    let calls: Vec<UnfinishedCall> = texts.filter_map(|text| parse(&text)).collect();
    let states = calls.iter().flat_map(|call| call.before.values());
    states.filter_map(|state| Hash::parse(state.hash.as_deref()?)).collect()
}

/// Folder of the notes of all processes.
pub(crate) fn running(folder: &Path) -> PathBuf {
    folder.join("running")
}

/// Parses notes; `None` if they do not begin with a call. Everything after a truncated line is
/// ignored.
fn parse(text: &[u8]) -> Option<UnfinishedCall> {
    let mut notes = serde_json::Deserializer::from_slice(text).into_iter::<Note>();
    let Some(Ok(Note::Begins(caller, since))) = notes.next() else { return None };
    let mut call = UnfinishedCall { caller, since, paths: BTreeMap::new(), before: BTreeMap::new(), is_complete: true };
    for note in notes {
        match note {
            Ok(Note::Changes(path, with_all_below)) => *call.paths.entry(path.0).or_default() |= with_all_below,
            Ok(Note::Was(path, state)) => {
                // The first note of a path has its state before the call.
                call.before.entry(path.0).or_insert(*state);
            }
            Ok(Note::Unknown) => call.is_complete = false,
            // The announced write has not happened: it waits until the note is complete.
            Err(error) if error.is_eof() => break,
            Ok(Note::Begins(..)) | Err(_) => {
                call.is_complete = false;
                break;
            }
        }
    }
    Some(call)
}

impl UnfinishedCall {
    /// Whether something at this path belongs to the call's changes.
    pub(crate) fn touches(&self, path: &Path) -> bool {
        self.paths.contains_key(path) || path.ancestors().skip(1).any(|above| self.paths.get(above) == Some(&true))
    }
}
