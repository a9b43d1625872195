//! Fuzzing of the parsers of untrusted text. A target's inputs are kept as one file of JSON
//! strings, since a folder of thousands of small files is nothing to review; they are unpacked for
//! a run and packed again, made minimal, after it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::repository;
use crate::{command, failure::Failure};

/// Runs one target for some minutes and keeps the inputs that reached new code.
pub(crate) fn run(target: &str, minutes: u32) -> Result<(), Failure> {
    let known = targets()?;
    if !known.iter().any(|name| name == target) {
        return Err(Failure::Usage(format!("no fuzz target is named `{target}`; there are {}", known.join(", "))));
    }
    let (kept, folder) = (kept(target), repository::root().join("target/fuzz-inputs").join(target));
    unpack(&kept, &folder)?;
    let folder_name = folder.to_string_lossy().into_owned();
    let seconds = format!("-max_total_time={}", u64::from(minutes) * 60);
    command::run(cargo_fuzz("run", target).args([&folder_name, "--", &seconds, "-timeout=5"]))?;
    command::run(cargo_fuzz("cmin", target).arg(&folder_name))?;
    pack(&folder, &kept)
}

fn cargo_fuzz(verb: &str, target: &str) -> std::process::Command {
    // The sanitizer is the nightly compiler's; the toolchain of this program is pinned to a stable
    // one.
    let mut command = command::command("cargo");
    command.args(["+nightly", "fuzz", verb, "--target-dir", "target/fuzz", target]);
    command.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
    command
}

fn kept(target: &str) -> PathBuf {
    repository::root().join("fuzz/inputs").join(format!("{target}.json"))
}

fn targets() -> Result<Vec<String>, Failure> {
    let folder = repository::root().join("fuzz/targets");
    let entries = fs::read_dir(&folder).map_err(Failure::io("reading `fuzz/targets`"))?;
    let stems = entries.filter_map(Result::ok).map(|entry| entry.path().with_extension(""));
    let mut names: Vec<String> =
        stems.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect();
    names.sort();
    Ok(names)
}

fn unpack(kept: &Path, folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(Failure::io("making the folder of inputs"))?;
    let text = match fs::read_to_string(kept) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Failure::io("reading the kept inputs")(error)),
    };
    let inputs: Vec<String> = serde_json::from_str(&text)
        .map_err(|source| Failure::Json { what: kept.to_string_lossy().into_owned(), source })?;
    for (number, input) in inputs.iter().enumerate() {
        fs::write(folder.join(format!("kept-{number}")), input).map_err(Failure::io("unpacking an input"))?;
    }
    Ok(())
}

/// Inputs that are no text never reach the target and are left out.
fn pack(folder: &Path, kept: &Path) -> Result<(), Failure> {
    let entries = fs::read_dir(folder).map_err(Failure::io("reading the inputs"))?;
    let mut inputs: Vec<String> =
        entries.filter_map(Result::ok).filter_map(|entry| fs::read_to_string(entry.path()).ok()).collect();
    inputs.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    inputs.dedup();
    let lines: Vec<String> = inputs.iter().map(|input| serde_json::Value::from(input.as_str()).to_string()).collect();
    fs::create_dir_all(kept.parent().unwrap_or(Path::new("."))).map_err(Failure::io("making `fuzz/inputs`"))?;
    fs::write(kept, format!("[\n{}\n]\n", lines.join(",\n"))).map_err(Failure::io("keeping the inputs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_survive_packing() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let inputs = ["", "a \"b\"\n\u{1}", "ü"];
        for (number, input) in inputs.iter().enumerate() {
            fs::write(from.path().join(number.to_string()), input).unwrap();
        }
        fs::write(from.path().join("bytes"), [0xff]).unwrap();
        let kept = to.path().join("inputs/x.json");
        pack(from.path(), &kept).unwrap();
        let unpacked = to.path().join("unpacked");
        unpack(&kept, &unpacked).unwrap();
        let mut found: Vec<String> =
            fs::read_dir(&unpacked).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
        found.sort();
        assert_eq!(found, ["", "a \"b\"\n\u{1}", "ü"]);
    }

    #[test]
    fn every_target_is_known_by_its_file() {
        assert!(targets().unwrap().contains(&"shell_analysis".to_owned()));
    }
}
