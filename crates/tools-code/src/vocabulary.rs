//! The names of all files: the files that contain each, the counts, and the names that share a
//! part. It only grows; a sweep removes data of deleted files when it is the larger part.

use std::collections::HashMap;

use crate::words::parts;

/// A name in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Posting {
    pub(crate) file: u32,
    pub(crate) count: u16,
    /// Whether the file may define it.
    pub(crate) may_define: bool,
}

/// All names.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    ids: HashMap<Box<str>, u32>,
    names: Vec<Box<str>>,
    postings: Vec<Vec<Posting>>,
    /// The names that differ only in case.
    folded: HashMap<Box<str>, Vec<u32>>,
    parts: HashMap<Box<str>, Vec<u32>>,
    bytes: usize,
}

impl Vocabulary {
    /// The number of a name; assigns one to a new name.
    pub(crate) fn intern(&mut self, name: &str) -> u32 {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.ids.insert(name.into(), id);
        self.names.push(name.into());
        self.postings.push(Vec::new());
        self.folded.entry(name.to_lowercase().into()).or_default().push(id);
        let mut parts = parts(name);
        parts.sort_unstable();
        parts.dedup();
        self.bytes += 160 + 3 * name.len();
        for part in parts {
            self.bytes += 8;
            self.parts.entry(part.into()).or_default().push(id);
        }
        id
    }

    pub(crate) fn add(&mut self, name: u32, posting: Posting) {
        if let Some(postings) = self.postings.get_mut(name as usize) {
            postings.push(posting);
            self.bytes += size_of::<Posting>();
        }
    }

    pub(crate) fn id(&self, name: &str) -> Option<u32> {
        self.ids.get(name).copied()
    }

    pub(crate) fn name(&self, id: u32) -> &str {
        self.names.get(id as usize).map_or("", |name| name)
    }

    pub(crate) fn postings(&self, id: u32) -> &[Posting] {
        self.postings.get(id as usize).map_or(&[], Vec::as_slice)
    }

    /// The names that differ from this one only in case.
    pub(crate) fn folded(&self, name: &str) -> &[u32] {
        self.folded.get(name.to_lowercase().as_str()).map_or(&[], Vec::as_slice)
    }

    /// The names with this part.
    pub(crate) fn with_part(&self, part: &str) -> &[u32] {
        self.parts.get(part).map_or(&[], Vec::as_slice)
    }

    /// The files with a name that contains this text.
    pub(crate) fn holding(&self, text: &[u8]) -> impl Iterator<Item = u32> {
        let holds = move |name: &str| name.as_bytes().windows(text.len().max(1)).any(|part| part == text);
        let held = self.names.iter().zip(&self.postings).filter(move |(name, _)| holds(name));
        held.flat_map(|(_, postings)| postings.iter().map(|posting| posting.file))
    }

    /// Approximate memory use in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Renumbers the files, and drops those without a new number.
    pub(crate) fn renumber(&mut self, new: impl Fn(u32) -> Option<u32>) {
        for postings in &mut self.postings {
            let before = postings.len();
            postings.retain_mut(|posting| new(posting.file).inspect(|new| posting.file = *new).is_some());
            postings.shrink_to_fit();
            self.bytes -= (before - postings.len()) * size_of::<Posting>();
        }
    }
}
