//! What is noted of a call while it runs: what it is about to change, before it does. So a call
//! whose process was killed has a record too, and can be undone.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tools_core::{ProcessNotes, take_notes_left_behind};

use crate::attributes::Attributes;
use crate::hash::Hash;
use crate::running::Caller;
use crate::seen::{FolderState, Item, joined};
use crate::state::{Name, State};

/// How the files of notes end.
const EXTENSION: &str = "call";
/// States that are noted of one call. Of more than these it is not known what it changed.
const MAX_STATES: usize = 100_000;

/// One note, a line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Note {
    /// The call begins; the number is the one of the last record.
    Begins(Caller, u64),
    /// This is about to change, `true` with all that lies below it.
    Changes(Name, bool),
    /// What lay at a path, where anything did.
    Was(Name, Box<State>),
    /// From here on not everything was noted.
    Unknown,
}

/// The notes on one call that is running. They are gone when it ends.
#[derive(Debug)]
pub(crate) struct CallNotes {
    notes: ProcessNotes,
    states: usize,
    /// Folders whose own state is noted.
    folders: BTreeSet<PathBuf>,
    is_complete: bool,
}

/// Something that lay in a folder before a call.
#[derive(Debug)]
pub(crate) struct Was<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) item: &'a Item,
    /// Under which its content is kept.
    pub(crate) hash: Option<Hash>,
    pub(crate) attributes: Attributes,
}

/// What is known of a call whose process was killed.
#[derive(Debug)]
pub(crate) struct LeftCall {
    pub(crate) caller: Caller,
    /// The last record when it began.
    pub(crate) since: u64,
    /// The paths that it changed, `true` with all that lies below.
    pub(crate) paths: BTreeMap<PathBuf, bool>,
    /// What lay there, and below.
    pub(crate) before: BTreeMap<PathBuf, State>,
    /// Whether these are all.
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

    /// Notes that something at `path` is about to change, and what lies there.
    pub(crate) fn change<'a>(
        &mut self,
        seen: &FolderState,
        path: &Path,
        with_all_below: bool,
        there: impl Iterator<Item = Was<'a>>,
    ) {
        let mut lines = vec![Note::Changes(Name(path.to_owned()), with_all_below)];
        lines.extend(self.around(seen, path));
        for Was { folder, item, hash, attributes } in there {
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

    /// The note on the folder around a path, whose times change with it; `None` when it was made
    /// before.
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
            let was = there.map(|(folder, item)| Was { folder, item, hash: item.hash, attributes: attributes(item) });
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
            // Better no notes than some: what is missing would not be undone.
            self.notes.clear();
            self.is_complete = false;
        }
    }
}

/// Hands each call that was running in a process that was killed to `take`, and forgets it when
/// that returns `true`.
pub(crate) fn take_left(folder: &Path, mut take: impl FnMut(LeftCall) -> bool) {
    take_notes_left_behind(&running(folder), EXTENSION, |text| parse(text).is_none_or(&mut take));
}

/// The contents that running calls need, of any process, and calls whose process was killed.
pub(crate) fn needed(folder: &Path) -> BTreeSet<Hash> {
    let files = std::fs::read_dir(running(folder)).into_iter().flatten();
    let texts = files.filter_map(|file| std::fs::read(file.ok()?.path()).ok());
    let calls: Vec<LeftCall> = texts.filter_map(|text| parse(&text)).collect();
    let states = calls.iter().flat_map(|call| call.before.values());
    states.filter_map(|state| Hash::parse(state.hash.as_deref()?)).collect()
}

/// Where processes note what they are doing.
pub(crate) fn running(folder: &Path) -> PathBuf {
    folder.join("running")
}

/// `None` for what does not begin with a call. What comes after a line that was cut off is not
/// believed.
fn parse(text: &[u8]) -> Option<LeftCall> {
    let mut notes = serde_json::Deserializer::from_slice(text).into_iter::<Note>();
    let Some(Ok(Note::Begins(caller, since))) = notes.next() else { return None };
    let mut call = LeftCall { caller, since, paths: BTreeMap::new(), before: BTreeMap::new(), is_complete: true };
    for note in notes {
        match note {
            Ok(Note::Changes(path, with_all_below)) => *call.paths.entry(path.0).or_default() |= with_all_below,
            Ok(Note::Was(path, state)) => {
                // The first note of a path tells what lay there before the call.
                call.before.entry(path.0).or_insert(*state);
            }
            Ok(Note::Unknown) => call.is_complete = false,
            // The write that it announces has not happened: it waits for the whole note.
            Err(error) if error.is_eof() => break,
            Ok(Note::Begins(..)) | Err(_) => {
                call.is_complete = false;
                break;
            }
        }
    }
    Some(call)
}

impl LeftCall {
    /// Whether something at this path belongs to what the call changed.
    pub(crate) fn touches(&self, path: &Path) -> bool {
        self.paths.contains_key(path) || path.ancestors().skip(1).any(|above| self.paths.get(above) == Some(&true))
    }
}
