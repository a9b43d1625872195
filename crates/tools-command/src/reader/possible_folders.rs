//! Folders that a line may be in although a `cd` in it says otherwise: the `cd` may fail, or be
//! part of a loop, a pipe or a function.

use std::path::Path;

use super::command::Value;
use super::line::Reader;
use crate::grammar::{Parsed, Scope, ScopeKind, Simple, Word};
use crate::plain_path;

/// Maximum number of folders to follow. Behind more of them the line may be in any folder.
const MAX_FOLDERS: usize = 8;

/// How certain it is that a `cd` leaves the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaves {
    /// It may fail, or not run at all.
    Perhaps,
    /// What is behind it in its chain runs only if it succeeds.
    InChain,
    /// It cannot fail.
    Certainly,
}

/// Folders in which a command may run in place of the one that the line says.
#[derive(Debug, Clone, Default)]
pub(super) struct PossibleFolders {
    now: Folders,
    /// The chains of the command that is judged.
    chains: Vec<u32>,
    moves: Moves,
    /// Whether the command that is judged may run again, or later than it is read.
    is_repeated: bool,
    /// Whether it may change the folder in which a loop goes on.
    is_in_loop: bool,
    /// Whether what is repeated runs in any folder.
    moves_anywhere: bool,
}

#[derive(Debug, Clone, Default)]
struct Folders {
    /// Each with the chain in which it has certainly been left.
    known: Vec<(String, Option<u32>)>,
    /// Whether it may be any folder.
    is_any: bool,
}

/// What a line changes folders for.
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
    all: &'a [Scope],
    /// Ends of the subshells around the command, with the folders outside of them.
    subshells: Vec<(usize, Option<String>, Folders)>,
    is_repeated: bool,
    is_in_loop: bool,
}

impl PossibleFolders {
    /// What moves were met so far.
    pub(super) fn moves(&self) -> Moves {
        self.moves
    }

    /// Tells what moves the line makes, as a first reading found.
    pub(super) fn expect(&mut self, moves: Moves) {
        self.moves_anywhere = moves.is_unordered();
    }

    /// Notes that the line leaves a folder for a target; `None` is a path that is not known.
    pub(super) fn leave(&mut self, folder: Option<String>, target: Option<&str>, leaves: Leaves) {
        self.moves.changes_folder = true;
        self.moves.changes_in_loop |= self.is_in_loop;
        let entered = |folder: &str| {
            let target = target.unwrap_or_default();
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
        Scopes { all: &parsed.scopes, subshells: Vec::new(), is_repeated, is_in_loop }
    }

    /// Goes on to the command at this place. A subshell that has ended leaves the folder as it was.
    pub(super) fn go_to(&mut self, scopes: &mut Scopes<'_>, at: usize, command: &Simple) {
        self.end_subshells(scopes, at);
        let around = scopes.all.iter().filter(|scope| scope.commands.contains(&at));
        let begin = around.clone().rev().filter(|scope| scope.commands.start == at);
        for scope in begin.filter(|scope| scope.kind == ScopeKind::Subshell) {
            scopes.subshells.push((scope.commands.end, self.folder.clone(), self.possible.now.clone()));
        }
        let is_trap = command.words.first().and_then(Word::literal).is_some_and(|program| program == "trap");
        let is_deferred = is_trap || around.clone().any(|scope| scope.kind == ScopeKind::Function);
        let is_repeated = around.clone().any(|scope| scope.kind == ScopeKind::Loop);
        let innermost = around.clone().find(|scope| scope.kind != ScopeKind::Function).map(|scope| scope.kind);
        let possible = &mut self.possible;
        possible.moves.has_deferred |= is_deferred;
        possible.is_repeated = scopes.is_repeated || is_deferred || is_repeated;
        possible.is_in_loop = innermost.map_or(scopes.is_in_loop, |kind| kind == ScopeKind::Loop);
        if self.depth == 1 {
            possible.chains.clone_from(&command.chains);
        }
    }

    /// Ends the subshells that do not reach to this place.
    pub(super) fn end_subshells(&mut self, scopes: &mut Scopes<'_>, at: usize) {
        while let Some((_, folder, now)) = scopes.subshells.pop_if(|(end, ..)| *end <= at) {
            self.folder = folder;
            self.possible.now = now;
        }
        self.possible.is_repeated = scopes.is_repeated;
        self.possible.is_in_loop = scopes.is_in_loop;
    }

    /// The files of the workspace that a relative path names if the line is not in the folder that
    /// it says. None if that folder is not known, since the path then stands for a file in any
    /// folder.
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
