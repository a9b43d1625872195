//! The tool `search_code`: definitions, uses, outlines and passages of code, so that a model reads
//! less of it.
//!
//! Files come from [`Sources`](tools_sandbox::Sources). The file tools implement it with the walk,
//! read rules and ignore files of `grep`; [`FolderSources`] is for hosts without file tools. A file
//! is scanned for its names when it is first seen, and parsed (tree-sitter) when a query needs it.
//! Each line in a result is read from its file just before, and omitted if the file has changed.

mod config;

mod folder_sources;

mod languages;
mod parse;
mod words;

mod index;
mod passages;
mod sync;
mod sync_result;
mod vocabulary;
mod watch;
mod weight;

mod hit;
mod query;
mod redacted_text;
mod scope;
mod semantic;
mod structural;
mod text;

mod lsp;
mod vectors;

mod error;
mod render;
mod server_hits;
mod tool;

pub use config::{IndexConfig, IndexPolicy, QdrantConfig, ServerConfig, VectorBackend};
pub use folder_sources::FolderSources;
pub use lsp::LaunchConfinement;
pub use tool::{Args, SearchCode, SearchKind};
#[cfg(feature = "qdrant")]
pub use vectors::QdrantChunks;
pub use vectors::{Chunk, ChunkIndex, ChunkIndexError, ChunkSpace, FileChunks, MemoryChunks, NearPassage};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
