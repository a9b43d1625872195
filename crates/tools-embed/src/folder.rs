//! A model in a folder: looked at when it is named, read when it is first used.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use thiserror::Error;
use tools_core::{Embedder, EmbedderError, sha256_hex};

use crate::vectors::Vectors;

/// Reason why a folder is not a model.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum FolderModelError {
    /// It has none of the files of a model.
    #[error("`{0}` holds no model: it needs `tokenizer.json`, and `model.safetensors` or `model.onnx`")]
    NoModel(PathBuf),
    /// It holds a model of a kind that was not compiled in.
    #[error("`{folder}` holds a {kind} model, and this build has no support for those (feature `{feature}`)")]
    NotBuilt { folder: PathBuf, kind: &'static str, feature: &'static str },
}

/// What sort of model a folder holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Static,
    Transformer,
}

impl Form {
    fn file(self) -> &'static str {
        match self {
            Self::Static => "model.safetensors",
            Self::Transformer => "model.onnx",
        }
    }

    fn feature(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Transformer => "transformer",
        }
    }

    fn is_built(self) -> bool {
        match self {
            Self::Static => cfg!(feature = "static"),
            Self::Transformer => cfg!(feature = "transformer"),
        }
    }
}

/// A model in a folder. It is read when it is first used, once, and stays in memory.
pub struct FolderModel {
    folder: PathBuf,
    form: Form,
    read: OnceLock<Result<LoadedModel, Unreadable>>,
}

struct LoadedModel {
    name: String,
    vectors: Box<dyn Vectors>,
}

/// Why the model cannot be read, for everybody who asks.
#[derive(Debug, Clone, Error)]
#[error("the model in `{folder}` cannot be used: {cause}")]
struct Unreadable {
    folder: PathBuf,
    cause: Arc<str>,
}

impl FolderModel {
    /// The model in a folder, which is only looked at for now.
    ///
    /// # Errors
    /// When it holds none, or one of a kind that this build does not have.
    pub fn at(folder: impl Into<PathBuf>) -> Result<Self, FolderModelError> {
        let folder = folder.into();
        let has = |file: &str| folder.join(file).is_file();
        let form = [Form::Static, Form::Transformer].into_iter().find(|form| has(form.file()));
        let Some(form) = form.filter(|_| has("tokenizer.json")) else { return Err(FolderModelError::NoModel(folder)) };
        if !form.is_built() {
            return Err(FolderModelError::NotBuilt { folder, kind: form.feature(), feature: form.feature() });
        }
        Ok(Self { folder, form, read: OnceLock::new() })
    }

    fn read(&self) -> Result<&LoadedModel, Unreadable> {
        let made = self.read.get_or_init(|| {
            read(&self.folder, self.form).map_err(|error| {
                let unreadable = Unreadable { folder: self.folder.clone(), cause: error.to_string().into() };
                tracing::warn!(error = %unreadable, "texts are ranked by their words alone");
                unreadable
            })
        });
        made.as_ref().map_err(Clone::clone)
    }
}

fn read(folder: &Path, form: Form) -> Result<LoadedModel, EmbedderError> {
    let model = std::fs::read(folder.join(form.file()))?;
    // By its content: a copy of the model is the same model, another one of the same name is not.
    let digest = sha256_hex(&model);
    let vectors = vectors(folder, &model, form)?;
    Ok(LoadedModel { name: format!("{}:{}", form.feature(), &digest[..12]), vectors })
}

fn vectors(folder: &Path, model: &[u8], form: Form) -> Result<Box<dyn Vectors>, EmbedderError> {
    match form {
        #[cfg(feature = "static")]
        Form::Static => Ok(Box::new(crate::table::Table::read(folder, model)?)),
        #[cfg(feature = "transformer")]
        Form::Transformer => Ok(Box::new(crate::transformer::Transformer::read(folder, model)?)),
        #[cfg(not(all(feature = "static", feature = "transformer")))]
        _ => {
            let _ = (folder, model);
            Err("it is of a kind that was not compiled in".into())
        }
    }
}

impl Embedder for FolderModel {
    fn name(&self) -> &str {
        self.read().map_or("unreadable", |read| &read.name)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        self.read()?.vectors.vectors(texts)
    }
}

tools_core::partial_debug!(FolderModel { folder, form });
