//! Search by meaning over the vectors of all passages: the store of vectors as a trait, the one in
//! memory, the one at a Qdrant server, and what keeps a store in step with the files.

mod chunk_index;
mod in_memory;
mod meaning;

#[cfg(feature = "qdrant")]
mod qdrant;

pub use chunk_index::{Chunk, ChunkIndex, ChunkIndexError, ChunkSpace, FileChunks, NearPassage};
pub use in_memory::MemoryChunks;
pub(crate) use meaning::{MeaningResult, MeaningSearch};
#[cfg(feature = "qdrant")]
pub use qdrant::QdrantChunks;
