//! The folders in which a command may run. A `cd` before it may fail, or may be part of a loop, a
//! pipe or a function, so the last `cd` alone does not tell.

use std::path::{Component, Path};

use super::command::Value;
use super::line::Reader;
use crate::grammar::{Parsed, Place, Scope, ScopeKind, Simple};
use crate::plain_path;

/// Maximum number of folders to follow. A line with more of them may be in any folder.
const MAX_FOLDERS: usize = 8;

/// How certain it is that a `cd` leaves the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaves {
    /// It may fail, or not run at all.
    Perhaps,
    /// It may fail, but the commands after it in its chain then do not run.
    InChain,
    /// It cannot fail.
    Certainly,
}

/// Folders in which a command may run besides the folder that the last `cd` names.
#[derive(Debug, Clone, Default)]
pub(super) struct PossibleFolders {
    now: Folders,
    /// The chains of the command that is judged.
    chains: Vec<u32>,
    /// The target of the last change of folder; `None` is a path that is not known.
    pub(super) target: Option<String>,
    moves: Moves,
    /// Whether the command that is judged may run again, or later than it is read.
    is_repeated: bool,
    /// Whether a `cd` in the command changes the folder of the next pass of a loop.
    is_in_loop: bool,
    /// Whether repeated commands may run in any folder.
    moves_anywhere: bool,
}

#[derive(Debug, Clone, Default)]
struct Folders {
    /// Each with the chain in which it has certainly been left.
    known: Vec<(String, Option<u32>)>,
    /// Whether it may be any folder.
    is_any: bool,
}

/// How a line changes folders.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moves {
    changes_folder: bool,
    changes_in_loop: bool,
    /// Whether commands run later than they are read: functions, traps.
    has_deferred: bool,
}

impl Moves {
    /// Whether a change of folder may come before a command that is read earlier.
    pub(super) fn is_unordered(self) -> bool {
        self.changes_in_loop || self.changes_folder && self.has_deferred
    }
}

/// The scopes of a text, while its commands are read in order.
pub(super) struct Scopes<'a> {
    parsed: &'a Parsed,
    /// Ends of the subshells around the command, with the folders outside of them.
    subshells: Vec<(usize, Option<String>, Folders)>,
    is_repeated: bool,
    is_in_loop: bool,
}

impl PossibleFolders {
    /// The changes of folder that were found so far.
    pub(super) fn moves(&self) -> Moves {
        self.moves
    }

    /// Sets the changes of folder that a first reading of the line found.
    pub(super) fn expect(&mut self, moves: Moves) {
        self.moves_anywhere = moves.is_unordered();
    }

    /// Notes that the line leaves a folder for the last target; `None` is an unknown folder.
    pub(super) fn leave(&mut self, folder: Option<String>, leaves: Leaves) {
        self.moves.changes_folder = true;
        self.moves.changes_in_loop |= self.is_in_loop;
        let entered = |folder: &str| {
            let target = self.target.as_deref().unwrap_or_default();
            plain_path(&Path::new(folder).join(target)).to_string_lossy().into_owned()
        };
        let shifted: Vec<_> = self.now.known.iter().map(|(folder, chain)| (entered(folder), *chain)).collect();
        self.now.is_any |= folder.is_none() || self.is_anywhere();
        if leaves == Leaves::Certainly {
            self.now.known = shifted;
            return;
        }
        let chain = self.chains.last().copied().filter(|_| leaves == Leaves::InChain);
        for one in folder.map(|folder| (folder, chain)).into_iter().chain(shifted) {
            if self.now.known.contains(&one) {
                continue;
            }
            self.now.is_any |= self.now.known.len() == MAX_FOLDERS;
            if !self.now.is_any {
                self.now.known.push(one);
            }
        }
    }

    fn is_anywhere(&self) -> bool {
        self.moves_anywhere && self.is_repeated
    }

    fn known(&self) -> impl Iterator<Item = &str> {
        let is_left = |chain: &Option<u32>| chain.is_some_and(|chain| self.chains.contains(&chain));
        self.now.known.iter().filter(move |(_, chain)| !is_left(chain)).map(|(folder, _)| folder.as_str())
    }
}

impl Reader<'_> {
    pub(super) fn scopes<'a>(&self, parsed: &'a Parsed) -> Scopes<'a> {
        let PossibleFolders { is_repeated, is_in_loop, .. } = self.possible;
        Scopes { parsed, subshells: Vec::new(), is_repeated, is_in_loop }
    }

    /// Prepares for the command with this index. The end of a subshell restores the folder.
    pub(super) fn go_to(&mut self, scopes: &mut Scopes<'_>, at: usize, command: &Simple) {
        self.end_subshells(scopes, at);
        let around: Vec<&Scope> = scopes.parsed.scopes.iter().filter(|scope| scope.commands.contains(&at)).collect();
        let is_loop = |scope: &&Scope| scope.kind == ScopeKind::Loop;
        for scope in around.iter().rev().filter(|scope| !is_loop(scope) && scope.commands.start == at) {
            scopes.subshells.push((scope.commands.end, self.folder.clone(), self.possible.now.clone()));
        }
        let is_in_function = scopes.parsed.functions.iter().any(|function| function.body.contains(&at));
        let is_deferred = is_in_function || command.is_trap();
        let possible = &mut self.possible;
        possible.moves.has_deferred |= is_deferred;
        possible.is_repeated = scopes.is_repeated || is_deferred || around.iter().any(is_loop);
        possible.is_in_loop = around.first().map_or(scopes.is_in_loop, is_loop);
        if self.depth == 1 {
            possible.chains.clone_from(&command.chains);
        }
    }

    /// How certain it is that a command that changes the folder does so.
    pub(super) fn leaves(&self, simple: &Simple, words: &[Value], is_known: bool) -> Leaves {
        let is_builtin = |word: &Value| word.text == "cd" && word.is_exact && !self.functions.contains(&word.text);
        let target = self.possible.target.as_deref().unwrap_or_default();
        // The parents of a folder that was entered exist.
        let is_above = is_known && Path::new(target).components().all(|part| part == Component::ParentDir);
        match simple.place {
            _ if self.depth != 1 || !words.first().is_some_and(is_builtin) => Leaves::Perhaps,
            Place::Unknown => Leaves::Perhaps,
            Place::Always if is_above && !target.is_empty() => Leaves::Certainly,
            Place::Always | Place::InChain => Leaves::InChain,
        }
    }

    /// Ends the subshells that do not contain the command with this index.
    pub(super) fn end_subshells(&mut self, scopes: &mut Scopes<'_>, at: usize) {
        while let Some((_, folder, now)) = scopes.subshells.pop_if(|(end, ..)| *end <= at) {
            self.folder = folder;
            self.possible.now = now;
        }
        self.possible.is_repeated = scopes.is_repeated;
        self.possible.is_in_loop = scopes.is_in_loop;
    }

    /// The files of the workspace that a relative path names in the other possible folders. Empty
    /// if `folder` is not known: the path may then be in any folder anyway.
    pub(super) fn otherwise(&self, path: &Value, folder: Option<&str>) -> Vec<Value> {
        let text = if path.is_exact { path.text.as_str() } else { path.text.trim_start_matches(['"', '\'']) };
        // A path that begins with a variable may be absolute.
        let is_open = !path.is_exact && (text.is_empty() || text.starts_with(['$', '`', '<', '>']));
        if folder.is_none() || is_open || text.starts_with(['/', '~']) {
            return Vec::new();
        }
        let within = |path: &str| Path::new(path).starts_with(&self.surroundings.workdir);
        let place = |folder: &str| match path.placed(Some(folder)) {
            placed if path.is_exact => Some(placed).filter(|path| within(&path.text)),
            open => within(folder).then(|| Value { text: format!("{folder}/{}", path.text), ..open }),
        };
        let any = || Value { text: format!("$PWD/{}", path.text), is_exact: false, ..path.clone() };
        let known = self.possible.known().filter_map(place);
        let is_any = self.possible.now.is_any || self.possible.is_anywhere();
        known.chain(is_any.then(any)).collect()
    }

    /// The paths that a path names in a folder and in those where the line may be instead.
    pub(super) fn everywhere(&self, path: &Value, folder: Option<&str>) -> Vec<Value> {
        std::iter::once(path.placed(folder)).chain(self.otherwise(path, folder)).collect()
    }
}
