//! A model of a few words: found, read once, named by its content, and refused where it is damaged.

#[cfg(feature = "transformer")]
mod transformer;

use std::fs;

use tools_core::{Embedder as _, cosine};
use tools_embed::{FolderModel, FolderModelError};
use tools_testkit::write_model;

#[test]
fn texts_that_mean_the_same_are_near() {
    let folder = tempfile::tempdir().unwrap();
    write_model(folder.path());
    let model = FolderModel::at(folder.path()).unwrap();
    let vectors = model.embed(&["red car", "the red automobile", "cheese", "qwertz", ""]).unwrap();
    assert_eq!(vectors.len(), 5);
    assert!(cosine(&vectors[0], &vectors[1]) > Some(0.95));
    assert!(cosine(&vectors[0], &vectors[2]) < Some(0.6));
    assert_eq!(cosine(&vectors[0], &vectors[3]), None, "a text without a known word is near nothing");
    assert_eq!(cosine(&vectors[0], &vectors[4]), None);
    assert!(model.embed(&[]).unwrap().is_empty());
}

#[test]
fn a_model_is_named_by_its_content() {
    let (one, copy, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for folder in [&one, &copy, &other] {
        write_model(folder.path());
    }
    let file = other.path().join("model.safetensors");
    let mut changed = fs::read(&file).unwrap();
    *changed.last_mut().unwrap() ^= 1;
    fs::write(file, changed).unwrap();
    let name = |folder: &tempfile::TempDir| FolderModel::at(folder.path()).unwrap().name().to_owned();
    assert_eq!(name(&one), name(&copy));
    assert_ne!(name(&one), name(&other));
}

#[test]
fn what_is_no_model_is_said_and_a_damaged_one_ranks_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let missing = |error| matches!(error, FolderModelError::NoModel(_));
    assert!(FolderModel::at(folder.path()).is_err_and(missing));
    assert!(FolderModel::at("/nowhere/at/all").is_err_and(missing));
    write_model(folder.path());
    let whole = fs::read(folder.path().join("model.safetensors")).unwrap();
    fs::remove_file(folder.path().join("tokenizer.json")).unwrap();
    assert!(FolderModel::at(folder.path()).is_err_and(missing), "it has no tokenizer");
    write_model(folder.path());
    for damaged in [&b""[..], b"\xff\xff\xff\xff\xff\xff\xff\xff{}", &whole[..40]] {
        fs::write(folder.path().join("model.safetensors"), damaged).unwrap();
        let model = FolderModel::at(folder.path()).unwrap();
        assert_eq!(model.name(), "unreadable");
        assert!(model.embed(&["car"]).is_err());
    }
}
