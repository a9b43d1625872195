//! Files that a command reaches under other names: through links that the line makes, and through
//! the values of variables and placeholders.

use std::path::Path;

use super::command::{Command, ELSEWHERE, PLACEHOLDER, Value};
use super::line::{Reader, last_part};
use crate::effect::Effect;
use crate::grammar::parse_word;
use crate::registry;

/// Maximum number of links that are followed per line.
const MAX_LINKS: usize = 50;
/// Maximum length of a chain of links.
const DEEPEST: usize = 8;
/// Maximum number of values that are tried for a placeholder.
const MAX_FILLS: usize = 50;

/// Links by their absolute paths, with their targets: those that a line makes, and those that are
/// known to exist.
#[derive(Debug, Clone, Default)]
pub struct Links(Vec<(String, Value)>);

impl Links {
    /// Adds a link by its absolute path; `false` if it is already known.
    pub fn add(&mut self, link: &str, target: &str) -> bool {
        let is_new = self.0.iter().all(|(known, _)| known != link);
        if is_new {
            self.0.push((link.to_owned(), Value::exact(target)));
        }
        is_new
    }

    /// Target of an absolute path through the first of these links on its way; `None` where there
    /// is none.
    fn follow(&self, path: &Value) -> Option<Value> {
        if !path.is_exact {
            return None;
        }
        let (link, target) = self.0.iter().rev().find(|(link, _)| Path::new(&path.text).starts_with(link))?;
        let rest = &path.text[link.len()..];
        Some(Value { text: format!("{}{rest}", target.text.trim_end_matches('/')), ..target.clone() })
    }

    /// All paths that an absolute path leads to, link by link.
    fn all(&self, path: &Value) -> Vec<Value> {
        let next = |path: &Value| self.follow(path);
        std::iter::successors(next(path), next).take(DEEPEST).collect()
    }
}

impl Reader<'_> {
    /// Notes a link that a command makes.
    pub(super) fn link(&mut self, command: &Command, link: &Value, target: &Value) {
        let folder = command.folder.as_deref();
        let link = link.placed(folder);
        if link.is_exact && !link.has_pattern && link.text.starts_with('/') && self.links.0.len() < MAX_LINKS {
            self.links.0.push((link.text, target.placed(folder)));
        }
    }

    /// Adds the files that a command reaches through links, variables and placeholders.
    pub(super) fn add_linked_files(&self, command: &mut Command) {
        let mut further = Vec::new();
        for effect in &command.effects {
            let Effect::Path { path, access, is_tree } = effect else { continue };
            let named = std::iter::once(path.clone()).chain(self.variants(path));
            let named = named.chain(self.otherwise(path, command.folder.as_deref()));
            for (at, path) in named.enumerate() {
                let beyond = self.links.all(&path.placed(command.folder.as_deref()));
                let own = (at > 0).then_some(path);
                further.extend(own.into_iter().chain(beyond).map(|path| (path, *access, *is_tree)));
            }
        }
        let further = further.into_iter().map(|(path, access, is_tree)| Effect::Path { path, access, is_tree });
        command.effects.extend(further);
    }

    /// The program with another name that a path leads to, after all links; `None` if there is
    /// none.
    pub(super) fn leads_to(&self, program: &Value) -> Option<Value> {
        let path = program.text.contains('/').then(|| program.placed(self.folder.as_deref()))?;
        let mut passed = self.links.all(&path);
        // A chain this long is a circle.
        let target = if passed.len() < DEEPEST { passed.pop()? } else { return None };
        let (name, own) = (last_part(&target.text), last_part(&program.text));
        let is_one =
            || registry::find(name).zip(registry::find(own)).is_some_and(|(one, other)| std::ptr::eq(one, other));
        (name != own && !is_one()).then_some(target)
    }

    /// The files that a redirection to a path reaches through links.
    pub(super) fn beyond(&self, target: &Value) -> Vec<Value> {
        self.links.all(&target.placed(Some(&self.surroundings.workdir)))
    }

    /// The paths that a path may denote, by the known values of its variables and placeholders.
    pub(super) fn variants(&self, path: &Value) -> Vec<Value> {
        let word = (!path.is_exact).then(|| parse_word(&path.text)).flatten();
        let held = word.map(|word| self.chosen.texts(&word, self.surroundings)).unwrap_or_default();
        if !held.is_empty() {
            return held;
        }
        let is_added = !path.is_exact && path.text == ELSEWHERE;
        let is_open = self.placeholders.iter().any(|one| one == PLACEHOLDER) && path.text.contains(PLACEHOLDER);
        if !is_added && !is_open {
            return Vec::new();
        }
        let fill = |value: &Value| {
            let text = if is_added { value.text.clone() } else { path.text.replace(PLACEHOLDER, &value.text) };
            Value { text, ..value.clone() }
        };
        self.fills.iter().take(MAX_FILLS).map(fill).collect()
    }
}
