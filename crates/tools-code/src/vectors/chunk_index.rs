//! The store of vectors, as a trait: what is put in, what is asked for, what can go wrong.

use std::{collections::BTreeMap, fmt};

use thiserror::Error;

/// Space of vectors that belong together: those of other workspaces and other models are never
/// compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkSpace {
    /// The canonical roots, one a line.
    pub workspace: String,
    /// The name of the model.
    pub model: String,
}

/// One passage of a file as a vector. Its text is not stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// Index of the passage in the file, from 0.
    pub number: u32,
    /// Its first line, from 0.
    pub first: u32,
    /// Its last line.
    pub last: u32,
    /// Finite, of the model's length, and not all zeros.
    pub vector: Vec<f32>,
}

/// All that is stored of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileChunks {
    /// Its canonical path.
    pub file: String,
    /// Digest of its content.
    pub digest: u64,
    /// Its passages that have a vector.
    pub chunks: Vec<Chunk>,
}

/// A passage that is near a vector.
#[derive(Debug, Clone, PartialEq)]
pub struct NearPassage {
    /// The canonical path of its file.
    pub file: String,
    /// The content that it was taken from.
    pub digest: u64,
    /// Index of the passage in the file, from 0.
    pub number: u32,
    /// Its first line, from 0.
    pub first: u32,
    /// Its last line.
    pub last: u32,
    /// The cosine of the angle between them.
    pub score: f32,
}

/// Reason why a store cannot be used now. No text of a server is in it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum ChunkIndexError {
    /// It cannot be reached.
    #[error("the store of vectors at `{0}` cannot be reached")]
    Unreachable(String),
    /// It does not answer in time.
    #[error("the store of vectors did not answer within {0} s")]
    Slow(u64),
    /// It refuses the key, or wants one.
    #[error("the store of vectors refuses the key (`index.qdrant.key_env`)")]
    Refused,
    /// It answers with a fault.
    #[error("the store of vectors answered with status {0}")]
    Status(u16),
    /// It answers with something that is no answer.
    #[error("the store of vectors gave an answer that cannot be read")]
    Malformed,
    /// The stored vectors were made by another model of the same name.
    #[error("the store holds vectors of {found} numbers, and those of the model have {expected}")]
    Dimension { expected: usize, found: usize },
    /// The stored data is gone.
    #[error("the store of vectors was emptied; it is filled again by the next calls")]
    Gone,
    /// It holds as much as it may.
    #[error("the store of vectors is full")]
    Full,
    /// There is no model, or it fails.
    #[error("the model gives no vectors now")]
    Model,
}

/// A store of the vectors of passages. Called by [`crate::SearchCode`] on a thread that may block,
/// within a Tokio runtime.
///
/// What comes out of it is a hint: before a passage is shown, its file has to be one that the call
/// may read and to have the content that the vector was made of.
pub trait ChunkIndex: fmt::Debug + Send + Sync + 'static {
    /// The files of a space with the digest of what is stored of each.
    fn files(&self, space: &ChunkSpace) -> Result<BTreeMap<String, u64>, ChunkIndexError>;

    /// Stores files; what was stored of them before is gone afterwards.
    ///
    /// # Errors
    /// When the store cannot be used. Then some may be stored: putting them again is harmless.
    fn put(&self, space: &ChunkSpace, files: &[FileChunks]) -> Result<(), ChunkIndexError>;

    /// Removes everything of these files.
    ///
    /// # Errors
    /// When the store cannot be used. Then some may be gone.
    fn remove(&self, space: &ChunkSpace, files: &[String]) -> Result<(), ChunkIndexError>;

    /// The passages of a space that are nearest to a vector, the nearest first.
    fn near(&self, space: &ChunkSpace, vector: &[f32], limit: usize) -> Result<Vec<NearPassage>, ChunkIndexError>;
}
