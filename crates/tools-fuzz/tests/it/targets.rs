//! The list of targets, the files of the fuzzer and the tests name the same ones.

use std::{collections::BTreeSet, fs, path::Path};

use tools_fuzz::TARGETS;

use crate::kept::REPLAYED;

fn files(folder: &str) -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(folder);
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

#[test]
fn every_target_has_its_file_its_inputs_and_its_test() {
    let names: BTreeSet<String> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    assert_eq!(files("targets"), names);
    assert_eq!(files("inputs"), names);
    assert_eq!(REPLAYED.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>(), names);
}

#[test]
fn targets_stand_in_order() {
    assert!(TARGETS.is_sorted_by_key(|target| target.name));
}
