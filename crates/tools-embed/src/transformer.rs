//! Transformers in ONNX: the vectors of a text's tokens, averaged.

use std::{fs, io::Cursor, path::Path, sync::Arc};

use tokenizers::{Tokenizer, TruncationParams};
use tools_core::EmbedderError;
use tract_onnx::prelude::*;

use crate::vectors::Vectors;

/// Tokens of a text that count: what a text is about is said at its beginning.
const TOKENS: usize = 128;

pub(crate) struct Transformer {
    tokenizer: Tokenizer,
    model: Arc<TypedRunnableModel>,
    /// What each input of the model is.
    inputs: Vec<Input>,
}

/// An input that models of this sort have.
#[derive(Debug, Clone, Copy)]
enum Input {
    Tokens,
    Mask,
    Segments,
}

impl Transformer {
    pub(crate) fn read(folder: &Path, model: &[u8]) -> Result<Self, EmbedderError> {
        let mut tokenizer = Tokenizer::from_bytes(fs::read(folder.join("tokenizer.json"))?)?;
        tokenizer.with_padding(None);
        tokenizer.with_truncation(Some(TruncationParams { max_length: TOKENS, ..TruncationParams::default() }))?;
        // Lengths that are written into a file as names stand in the way of the fixed length that
        // is used here.
        let onnx = onnx().with_ignore_output_shapes(true).with_ignore_value_info(true);
        let mut model = onnx.model_for_read(&mut Cursor::new(model))?;
        let mut inputs = Vec::new();
        for (at, outlet) in model.input_outlets()?.to_vec().into_iter().enumerate() {
            inputs.push(match model.node(outlet.node).name.as_str() {
                "input_ids" => Input::Tokens,
                "attention_mask" => Input::Mask,
                "token_type_ids" => Input::Segments,
                other => return Err(format!("its input `{other}` is not known").into()),
            });
            model.set_input_fact(at, i64::fact([1, TOKENS]).into())?;
        }
        let model = model.into_optimized()?.into_runnable()?;
        Ok(Self { tokenizer, model, inputs })
    }

    fn vector(&self, text: &str) -> Result<Vec<f32>, EmbedderError> {
        let encoded = self.tokenizer.encode(text, true)?;
        let filled = |values: &[u32]| -> Tensor {
            let mut all: Vec<i64> = values.iter().map(|value| i64::from(*value)).collect();
            all.resize(TOKENS, 0);
            tract_ndarray::Array2::from_shape_fn((1, TOKENS), |(_, at)| all[at]).into()
        };
        let inputs = self.inputs.iter().map(|input| {
            let values = match input {
                Input::Tokens => encoded.get_ids(),
                Input::Mask => encoded.get_attention_mask(),
                Input::Segments => encoded.get_type_ids(),
            };
            filled(values).into()
        });
        let outputs = self.model.run(inputs.collect())?;
        let tokens = outputs.first().ok_or("the model has no output")?.to_plain_array_view::<f32>()?;
        let [_, length, width] = *tokens.shape() else {
            return Err("its output is not a vector for each token".into());
        };
        let mut sum = vec![0.0; width];
        let mut counted = 0_u16;
        for (at, _) in encoded.get_attention_mask().iter().enumerate().take(length).filter(|(_, mask)| **mask != 0) {
            counted = counted.saturating_add(1);
            for (part, sum) in sum.iter_mut().enumerate() {
                *sum += tokens[[0, at, part]];
            }
        }
        let counted = f32::from(counted.max(1));
        Ok(sum.into_iter().map(|part| part / counted).collect())
    }
}

impl Vectors for Transformer {
    fn vectors(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        texts.iter().map(|text| self.vector(text)).collect()
    }
}
