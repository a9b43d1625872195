//! The trait of vector stores, with its data and errors.

use std::{collections::BTreeMap, fmt};

use thiserror::Error;

/// A space of comparable vectors: vectors of other workspaces and models are never compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkSpace {
    /// The canonical roots, one per line.
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
    /// Finite values, with the length of the model and not all zero.
    pub vector: Vec<f32>,
}

/// The stored data of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileChunks {
    /// Its canonical path.
    pub file: String,
    /// Digest of its content.
    pub digest: u64,
    /// Its passages with a vector.
    pub chunks: Vec<Chunk>,
}

/// A passage near a vector.
#[derive(Debug, Clone, PartialEq)]
pub struct NearPassage {
    /// The canonical path of its file.
    pub file: String,
    /// Digest of the file content when it was stored.
    pub digest: u64,
    /// Index of the passage in the file, from 0.
    pub number: u32,
    /// Its first line, from 0.
    pub first: u32,
    /// Its last line.
    pub last: u32,
    /// Cosine similarity of the vectors.
    pub score: f32,
}

/// Reason why a store cannot be used now. It contains no text from a server.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum ChunkIndexError {
    /// The store is not reachable.
    #[error("the store of vectors at `{0}` cannot be reached")]
    Unreachable(String),
    /// The store does not answer in time.
    #[error("the store of vectors did not answer within {0} s")]
    Slow(u64),
    /// The store refuses the key, or requires one.
    #[error("the store of vectors refuses the key (`index.qdrant.key_env`)")]
    Refused,
    /// The store answers with an error status.
    #[error("the store of vectors answered with status {0}")]
    Status(u16),
    /// The answer of the store is not valid.
    #[error("the store of vectors gave an answer that cannot be read")]
    Malformed,
    /// The stored vectors have another length than those of the model.
    #[error("the store holds vectors of {found} numbers, and those of the model have {expected}")]
    Dimension { expected: usize, found: usize },
    /// The stored data is gone.
    #[error("the store of vectors was emptied; it is filled again by the next calls")]
    Gone,
    /// The store is full.
    #[error("the store of vectors is full")]
    Full,
    /// There is no model, or it failed.
    #[error("the model gives no vectors now")]
    Model,
}

/// A store for the vectors of passages. [`crate::SearchCode`] calls it on a thread that may block,
/// within a Tokio runtime.
///
/// Its results are hints: a passage is shown only if the call may read its file and the file still
/// has the content that the vector was made from.
pub trait ChunkIndex: fmt::Debug + Send + Sync + 'static {
    /// The files of a space with the digest of the stored content.
    fn files(&self, space: &ChunkSpace) -> Result<BTreeMap<String, u64>, ChunkIndexError>;

    /// Stores files, and replaces what was stored of them before.
    ///
    /// # Errors
    /// The store cannot be used. Some files may be stored; storing them again is harmless.
    fn put(&self, space: &ChunkSpace, files: &[FileChunks]) -> Result<(), ChunkIndexError>;

    /// Removes everything stored of these files.
    ///
    /// # Errors
    /// The store cannot be used. Some data may already be removed.
    fn remove(&self, space: &ChunkSpace, files: &[String]) -> Result<(), ChunkIndexError>;

    /// The passages of a space closest to a vector, closest first.
    fn near(&self, space: &ChunkSpace, vector: &[f32], limit: usize) -> Result<Vec<NearPassage>, ChunkIndexError>;
}
