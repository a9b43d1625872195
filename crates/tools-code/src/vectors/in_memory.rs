//! The built-in vector store: in memory, with a linear search.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use tools_core::{Locked as _, cosine};

use super::chunk_index::{ChunkIndex, ChunkIndexError, ChunkSpace, FileChunks, NearPassage};

/// Vectors in memory, up to a size limit. They are lost when the process ends.
#[derive(Debug)]
pub struct MemoryChunks {
    held: Mutex<Contents>,
    most: usize,
}

#[derive(Debug, Default)]
struct Contents {
    spaces: HashMap<ChunkSpace, BTreeMap<String, FileChunks>>,
    bytes: usize,
}

impl MemoryChunks {
    /// A store of about `most` bytes at most.
    pub fn up_to(most: usize) -> Self {
        Self { held: Mutex::default(), most }
    }
}

fn size(file: &FileChunks) -> usize {
    file.file.len() + file.chunks.iter().map(|chunk| 48 + 4 * chunk.vector.len()).sum::<usize>()
}

impl ChunkIndex for MemoryChunks {
    fn files(&self, space: &ChunkSpace) -> Result<BTreeMap<String, u64>, ChunkIndexError> {
        let held = self.held.locked();
        let files = held.spaces.get(space).into_iter().flatten();
        Ok(files.map(|(path, file)| (path.clone(), file.digest)).collect())
    }

    fn put(&self, space: &ChunkSpace, files: &[FileChunks]) -> Result<(), ChunkIndexError> {
        let mut held = self.held.locked();
        for file in files {
            let before = held.spaces.entry(space.clone()).or_default().remove(&file.file);
            held.bytes -= before.as_ref().map_or(0, size);
            if held.bytes + size(file) > self.most {
                return Err(ChunkIndexError::Full);
            }
            held.bytes += size(file);
            held.spaces.entry(space.clone()).or_default().insert(file.file.clone(), file.clone());
        }
        Ok(())
    }

    fn remove(&self, space: &ChunkSpace, files: &[String]) -> Result<(), ChunkIndexError> {
        let mut held = self.held.locked();
        for file in files {
            let gone = held.spaces.get_mut(space).and_then(|stored| stored.remove(file));
            held.bytes -= gone.as_ref().map_or(0, size);
        }
        Ok(())
    }

    fn near(&self, space: &ChunkSpace, vector: &[f32], limit: usize) -> Result<Vec<NearPassage>, ChunkIndexError> {
        let held = self.held.locked();
        let mut near = Vec::new();
        for file in held.spaces.get(space).into_iter().flat_map(BTreeMap::values) {
            for chunk in &file.chunks {
                let Some(score) = cosine(vector, &chunk.vector) else { continue };
                near.push((score, file, chunk));
            }
        }
        // Stable sort: equal scores stay in the order of paths and lines.
        near.sort_by(|(a, ..), (b, ..)| b.total_cmp(a));
        let shown = near.into_iter().take(limit).map(|(score, file, chunk)| NearPassage {
            file: file.file.clone(),
            digest: file.digest,
            number: chunk.number,
            first: chunk.first,
            last: chunk.last,
            score,
        });
        Ok(shown.collect())
    }
}
