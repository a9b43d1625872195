//! Static models: one vector for each token, averaged.

use std::{fs, path::Path};

use model2vec_rs::model::StaticModel;
use tools_core::EmbedderError;

use crate::vectors::Vectors;

/// Tokens of a text that count: what a text is about is said at its beginning.
const MAX_TOKENS: usize = 512;
/// What is taken for granted where the folder has no `config.json`.
const CONFIG: &[u8] = b"{}";

pub(crate) struct Table(StaticModel);

impl Table {
    pub(crate) fn read(folder: &Path, model: &[u8]) -> Result<Self, EmbedderError> {
        let tokenizer = fs::read(folder.join("tokenizer.json"))?;
        let config = fs::read(folder.join("config.json")).unwrap_or_else(|_| CONFIG.to_vec());
        Ok(Self(StaticModel::from_bytes(tokenizer, model, config, None)?))
    }
}

impl Vectors for Table {
    fn vectors(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        Ok(self.0.encode_with_args(&texts, Some(MAX_TOKENS), texts.len().max(1)))
    }
}
