//! The store of vectors at a Qdrant server, over its REST interface.

mod adapter;
mod messages;
mod server;

pub use adapter::QdrantChunks;
