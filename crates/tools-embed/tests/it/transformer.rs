//! A small transformer with random weights gives the vectors that another runtime gives
//! (`fixtures/transformer/make.py`).

use std::{fs, path::Path};

use serde::Deserialize;
use tools_core::{Embedder as _, cosine};
use tools_embed::FolderModel;

#[derive(Deserialize)]
struct Row {
    text: String,
    vector: Vec<f32>,
}

#[test]
fn vectors_are_those_of_another_runtime() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures/transformer");
    let rows: Vec<Row> = serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap()).unwrap();
    let model = FolderModel::at(&folder).unwrap();
    let texts: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
    let vectors = model.embed(&texts).unwrap();
    for (row, vector) in rows.iter().zip(&vectors) {
        assert!(cosine(&row.vector, vector) > Some(0.9999), "{:?}: {vector:?} for {:?}", row.text, row.vector);
    }
    assert!(cosine(&vectors[0], &vectors[4]) < Some(0.9), "different texts differ");
}
