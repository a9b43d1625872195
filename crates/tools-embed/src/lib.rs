//! Models that turn texts into vectors, read from a folder: nothing is downloaded.
//!
//! | files of the folder | what it is | feature |
//! |---|---|---|
//! | `model.safetensors`, `tokenizer.json`, `config.json` | a static model: one vector for each token, averaged | `static` |
//! | `model.onnx`, `tokenizer.json` | a transformer whose token vectors are averaged | `transformer` |
//!
//! ```no_run
//! use tools_core::{Embedder as _, cosine};
//! use tools_embed::FolderModel;
//!
//! let model = FolderModel::at("/models/potion-base-8M")?;
//! let vectors = model.embed(&["a red car", "the automobile is red"])?;
//! assert!(cosine(&vectors[0], &vectors[1]) > Some(0.5));
//! # Ok::<_, Box<dyn std::error::Error + Send + Sync>>(())
//! ```

mod folder;
#[cfg(feature = "static")]
mod table;
#[cfg(feature = "transformer")]
mod transformer;
mod vectors;

pub use folder::{FolderModel, FolderModelError};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
