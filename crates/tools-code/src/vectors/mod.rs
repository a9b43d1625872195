//! Search by meaning over vectors of all passages: the trait of vector stores, the store in memory,
//! the store on a Qdrant server, and the synchronization with the files.

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
