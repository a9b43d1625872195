//! Fuzzing of the parsers of untrusted bytes. The inputs of a target are kept in one JSON file,
//! because a folder of thousands of small files cannot be reviewed. They are unpacked for a run,
//! then minimised and packed again. Text is stored as a string, other bytes as a list of numbers.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{command, failure::Failure, repository};

/// Runs one target for some seconds and keeps the inputs that reached new code.
pub(crate) fn run(target: &str, seconds: u32) -> Result<(), Failure> {
    let known = targets()?;
    if !known.iter().any(|name| name == target) {
        return Err(Failure::Usage(format!("no fuzz target is named `{target}`; there are {}", known.join(", "))));
    }
    let (kept, folder) = (kept(target), repository::root().join("target/fuzz-inputs").join(target));
    unpack(&kept, &folder)?;
    let folder_name = folder.to_string_lossy().into_owned();
    let seconds = format!("-max_total_time={seconds}");
    command::run(cargo_fuzz("run", target).args([&folder_name, "--", &seconds, "-timeout=10"]))?;
    command::run(cargo_fuzz("cmin", target).arg(&folder_name))?;
    pack(&folder, &kept)
}

fn cargo_fuzz(verb: &str, target: &str) -> std::process::Command {
    // Coverage alone works with the pinned compiler. The parsers are safe code: a memory sanitizer
    // would halve the speed and find nothing.
    let mut command = command::command("cargo");
    command.args(["fuzz", verb, "--sanitizer", "none", "--target-dir", "target/fuzz", target]);
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
    let wrong = |source| Failure::Json { what: kept.to_string_lossy().into_owned(), source };
    let inputs: Vec<Value> = serde_json::from_str(&text).map_err(wrong)?;
    for (number, input) in inputs.into_iter().enumerate() {
        let input = match input {
            Value::String(text) => text.into_bytes(),
            list => serde_json::from_value(list).map_err(wrong)?,
        };
        fs::write(folder.join(format!("kept-{number}")), input).map_err(Failure::io("unpacking an input"))?;
    }
    Ok(())
}

fn pack(folder: &Path, kept: &Path) -> Result<(), Failure> {
    let entries = fs::read_dir(folder).map_err(Failure::io("reading the inputs"))?;
    let mut inputs: Vec<Vec<u8>> =
        entries.filter_map(Result::ok).filter_map(|entry| fs::read(entry.path()).ok()).collect();
    inputs.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    inputs.dedup();
    let lines: Vec<String> = inputs.into_iter().map(|input| written(input).to_string()).collect();
    fs::create_dir_all(kept.parent().unwrap_or(Path::new("."))).map_err(Failure::io("making `fuzz/inputs`"))?;
    fs::write(kept, format!("[\n{}\n]\n", lines.join(",\n"))).map_err(Failure::io("keeping the inputs"))
}

fn written(input: Vec<u8>) -> Value {
    match String::from_utf8(input) {
        Ok(text) => Value::from(text),
        Err(error) => Value::from(error.into_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_survive_packing() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let inputs: [&[u8]; 4] = [b"", b"a \"b\"\n\x01", "ü".as_bytes(), &[0xff, 0]];
        for (number, input) in inputs.iter().enumerate() {
            fs::write(from.path().join(number.to_string()), input).unwrap();
        }
        let kept = to.path().join("inputs/x.json");
        pack(from.path(), &kept).unwrap();
        let unpacked = to.path().join("unpacked");
        unpack(&kept, &unpacked).unwrap();
        let mut found: Vec<Vec<u8>> =
            fs::read_dir(&unpacked).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
        found.sort();
        assert_eq!(found, [&b""[..], b"a \"b\"\n\x01", "ü".as_bytes(), &[0xff, 0]]);
    }

    #[test]
    fn every_target_is_known_by_its_file() {
        assert!(targets().unwrap().contains(&"shell_analysis".to_owned()));
    }
}
