//! The vector store on a Qdrant server, over its REST interface.

mod adapter;
mod messages;
mod server;

pub use adapter::QdrantChunks;
