//! Files that a program obeys by their names, if the line itself fills them before it runs the
//! program. The names are in the descriptions of the programs.

use std::path::Path;

use tools_core::Access;

use super::command::{Command, ELSEWHERE, PLACEHOLDER, Value};
use super::line::{Reader, last_part};
use crate::code::{Language, Loads};
use crate::effect::Effect;
use crate::excerpt::shorten;
use crate::grammar::parse_word;
use crate::plain_path;
use crate::registry::Program;

/// A path that the line fills, from the root as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FilledPath {
    /// A file, and the last part of its path.
    File(Value, Name),
    /// A folder in which files of any name are created.
    Folder(Value),
}

/// The last part of a path: a whole name, or the beginning and end of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    start: String,
    /// End of the name; `None` if `start` is the whole name.
    end: Option<String>,
}

impl Reader<'_> {
    /// The paths that a command fills. Files built from the sources of the workspace, and files
    /// changed in place, do not count.
    pub(super) fn filled_by(&self, command: &Command, program: &Program, effects: &[Effect]) -> Vec<FilledPath> {
        let folder = command.folder.as_deref();
        let unpacked = effects.iter().filter_map(|effect| match effect {
            Effect::Unpacks(into) => Some(into),
            _ => None,
        });
        let unpacked = unpacked.flat_map(|into| self.everywhere(into, folder));
        let written = command.effects.iter().filter_map(|effect| match effect {
            Effect::Path { path, access: Access::Write, .. } => Some(path.placed(folder)),
            _ => None,
        });
        let written = written.filter(|_| !program.builds && !program.edits);
        unpacked.map(FilledPath::Folder).chain(self.filled_files(written)).collect()
    }

    /// The files that the line fills. A file with an unknown name counts if the line chooses the
    /// name.
    pub(super) fn filled_files(&self, files: impl IntoIterator<Item = Value>) -> Vec<FilledPath> {
        let named = files
            .into_iter()
            .filter(|file| !file.text.contains(PLACEHOLDER) && file.text != ELSEWHERE)
            .map(|file| (Name::of(&file), file));
        let counted = named.filter(|(name, file)| {
            !name.is_unknown() || parse_word(&file.text).is_none_or(|word| self.holds_verb(&word))
        });
        counted.map(|(name, file)| FilledPath::File(file, name)).collect()
    }

    /// Objects where this line fills a file that a program obeys.
    pub(super) fn obeys(&mut self, effect: &Effect, command: &Command) {
        if let Some(why) = self.obeyed_objection(effect, command) {
            self.opaque(&why);
        }
    }

    /// Reason to object to the files that a program obeys; `None` if this line fills none of them.
    pub(super) fn obeyed_objection(&self, effect: &Effect, command: &Command) -> Option<String> {
        let Effect::Obeys { names, folder, .. } = effect else { return None };
        // A change in place counts too if the file lists everything that the program does.
        let is_changed = |name: &str| !name.contains('/') && (self.is_written(name) || self.is_touched(name, command));
        let changed = effect.scripts().into_iter().find(|file| file.is_exact && is_changed(&file.text));
        let filled = || {
            let folders = self.everywhere(folder, self.folder.as_deref());
            let wanted: Vec<Wanted> = names.split_ascii_whitespace().map(Wanted::new).collect();
            let is_obeyed = |path: &&FilledPath| {
                let here = |folder: &Value| path.is_obeyed(&wanted, is_placed(folder).then_some(&folder.text));
                folders.iter().any(here)
            };
            self.filled_paths.iter().find(is_obeyed).map(|path| match path {
                FilledPath::File(file, _) => objection(last_part(&file.text), command),
                FilledPath::Folder(_) => format!("`{}` may obey what this very line puts there", command.name()),
            })
        };
        changed.map(|file| objection(&file.text, command)).or_else(filled)
    }

    /// Whether the line fills exactly this file, or a folder that contains it.
    pub(super) fn is_filled(&self, file: &Value) -> bool {
        let files = self.everywhere(file, self.folder.as_deref());
        let is_it = |file: &Value, path: &FilledPath| match path {
            FilledPath::File(own, _) => own.text == file.text,
            FilledPath::Folder(folder) => {
                let is_known = is_placed(folder);
                let folder = if is_known { &folder.text } else { &self.surroundings.workdir };
                Path::new(&file.text).starts_with(plain_path(Path::new(folder)))
            }
        };
        files.iter().any(|file| is_placed(file) && self.filled_paths.iter().any(|path| is_it(file, path)))
    }

    /// Objects to code that may load a module that this line fills.
    pub(super) fn loads(&mut self, language: Language, code: &str) {
        let Some(loads) = Loads::of(language, code) else { return };
        let loaded = self.filled_paths.iter().find_map(|path| match path {
            FilledPath::File(file, _) => loads.may_be(&file.text).then_some(file),
            FilledPath::Folder(_) => None,
        });
        if let Some(file) = loaded {
            let why = format!("code that may load `{}`, which is written by this very line", shorten(&file.text));
            self.opaque(&why);
        }
    }
}

/// A file that a program obeys.
struct Wanted {
    /// Whether the program looks for it in all folders below.
    is_below: bool,
    name: Name,
    /// The folders around it, innermost first.
    folders: Vec<Name>,
}

impl Wanted {
    fn new(path: &str) -> Self {
        let below = path.strip_prefix("**/");
        let mut parts = below.unwrap_or(path).rsplit('/').map(Name::pattern);
        let name = parts.next().unwrap_or_else(|| Name::whole(""));
        Self { is_below: below.is_some(), name, folders: parts.collect() }
    }
}

impl FilledPath {
    /// Whether the path may be a file that a program obeys in a folder: there, in a folder above,
    /// or anywhere below.
    fn is_obeyed(&self, wanted: &[Wanted], here: Option<&str>) -> bool {
        match self {
            Self::Folder(folder) => match here {
                Some(here) if is_placed(folder) => Path::new(here).starts_with(plain_path(Path::new(&folder.text))),
                _ => true,
            },
            Self::File(file, name) => wanted
                .iter()
                .any(|wanted| name.may_be(&wanted.name) && (!is_placed(file) || is_there(&file.text, wanted, here))),
        }
    }
}

/// Whether a program looks for the file in the folder where the file is.
fn is_there(file: &str, wanted: &Wanted, here: Option<&str>) -> bool {
    let mut parts = file.rsplit('/');
    parts.next();
    let is_around = |folder: &Name| parts.next().is_some_and(|part| Name::whole(part).may_be(folder));
    if !wanted.folders.iter().all(is_around) {
        return false;
    }
    let above: Vec<&str> = parts.rev().collect();
    let above = plain_path(Path::new(&format!("/{}", above.join("/"))));
    here.is_none_or(|here| Path::new(here).starts_with(&above) || wanted.is_below && above.starts_with(here))
}

fn objection(name: &str, command: &Command) -> String {
    format!("`{}`, which `{}` obeys, is written by this very line", shorten(name), command.name())
}

/// Whether the folder of a path is known.
fn is_placed(path: &Value) -> bool {
    path.is_exact && path.text.starts_with('/')
}

impl Name {
    /// A known name.
    fn whole(text: &str) -> Self {
        Self { start: text.to_owned(), end: None }
    }

    /// A name in which a `*` matches any text.
    fn pattern(text: &str) -> Self {
        match text.split_once('*') {
            Some((start, end)) => Self { start: start.to_owned(), end: Some(end.to_owned()) },
            None => Self::whole(text),
        }
    }

    /// The last part of a path, as far as it is known.
    fn of(path: &Value) -> Self {
        let text = path.text.replace(['"', '\''], "");
        let is_open = |c: char| "$`*?[]{}()".contains(c);
        let Some(first) = text.find(is_open).filter(|_| !path.is_exact || path.has_pattern) else {
            return Self::whole(last_part(&text));
        };
        let last = text.rfind(is_open).unwrap_or(first);
        let mut end = &text[last + 1..];
        if text[last..].starts_with('$') {
            end = end.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        }
        if let Some((_, name)) = end.rsplit_once('/') {
            return Self::whole(name);
        }
        let start = text[..first].rsplit('/').next().unwrap_or_default();
        Self { start: start.to_owned(), end: Some(end.to_owned()) }
    }

    /// Whether nothing of the name is known.
    fn is_unknown(&self) -> bool {
        self.start.is_empty() && self.end.as_deref() == Some("")
    }

    /// Whether both may be the same name.
    fn may_be(&self, other: &Self) -> bool {
        let holds = |name: &str, start: &str, end: &str| {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        };
        let (own, others) = (self.start.as_str(), other.start.as_str());
        match (&self.end, &other.end) {
            (None, None) => own == others,
            (None, Some(end)) => holds(own, others, end),
            (Some(end), None) => holds(others, own, end),
            (Some(own_end), Some(end)) => {
                let is_start = own.starts_with(others) || others.starts_with(own);
                is_start && (own_end.ends_with(end) || end.ends_with(own_end.as_str()))
            }
        }
    }
}
