//! The store of vectors at a Qdrant server, over its REST interface.

mod adapter;
mod endpoint;
mod messages;
mod server;

pub use adapter::QdrantChunks;
pub(crate) use endpoint::check_url;
