//! A wheel for PyPI that contains only the binary, as a script: `pip` and `uvx` put it on the path
//! unchanged.

use std::{fmt::Write as _, fs, path::Path};

use super::binary::{BINARY, PackagedBinary};
use super::{files, manifest};
use crate::{command, failure::Failure, repository};

/// Writes the wheel into `dist`; needs Python.
pub(super) fn write(built: &PackagedBinary, dist: &Path) -> Result<(), Failure> {
    let bytes = files::read(&built.binary)?;
    let Some(tag) = tag(&built.target, &bytes) else {
        println!("dist: no wheel for {}", built.target);
        return Ok(());
    };
    let (name, version) = (format!("haft_cli-{}", built.version), &built.version);
    let folder = dist.join("wheel");
    let readme = fs::read_to_string(repository::root().join("README.md")).unwrap_or_default();
    let about = format!(
        "Metadata-Version: 2.4\nName: haft-cli\nVersion: {version}\nSummary: The binary `haft`: tool calls of agents \
         judged, confined and on record\nLicense-Expression: MIT OR Apache-2.0\nDescription-Content-Type: \
         text/markdown\n\n<!-- mcp-name: {} -->\n\n{readme}",
        manifest::name(),
    );
    let wheel = format!("Wheel-Version: 1.0\nGenerator: haft xtask\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n");
    let info = format!("{name}.dist-info");
    let mut held = vec![
        (format!("{name}.data/scripts/{BINARY}"), bytes),
        (format!("{info}/METADATA"), about.into_bytes()),
        (format!("{info}/WHEEL"), wheel.into_bytes()),
    ];
    for paper in ["LICENSE-APACHE", "LICENSE-MIT"] {
        held.push((format!("{info}/licenses/{paper}"), files::read(&repository::root().join(paper))?));
    }
    let mut record = String::new();
    for (path, bytes) in &held {
        let _ = writeln!(record, "{path},sha256={},{}", base64_url(&files::sha256(bytes)), bytes.len());
    }
    let _ = writeln!(record, "{info}/RECORD,,");
    held.push((format!("{info}/RECORD"), record.into_bytes()));
    for (path, bytes) in held {
        let path = folder.join(path);
        files::make(path.parent().unwrap_or(&folder))?;
        fs::write(&path, bytes).map_err(Failure::io(format!("writing `{}`", path.display())))?;
    }
    let script = folder.join(format!("{name}.data/scripts/{BINARY}"));
    let permissions = fs::metadata(&built.binary).map(|meta| meta.permissions());
    permissions.and_then(|mode| fs::set_permissions(&script, mode)).map_err(Failure::io("making it a program"))?;
    if !has_python() {
        println!("dist: the wheel is not packed, there is no python3");
        return Ok(());
    }
    let mut zip = command::command(Path::new("python3"));
    let archive = dist.join(format!("{name}-py3-none-{tag}.whl"));
    zip.args(["-m", "zipfile", "-c"]).arg(archive).args([format!("{name}.data"), info]).current_dir(&folder);
    command::run(&mut zip)
}

/// Whether Python can be started.
pub(super) fn has_python() -> bool {
    command::command(Path::new("python3")).arg("--version").output().is_ok_and(|ran| ran.status.success())
}

/// The platform tag of a wheel for the binary; `None` if no tag describes it.
fn tag(target: &str, bytes: &[u8]) -> Option<String> {
    let (processor, system) = target.split_once('-')?;
    match system {
        "unknown-linux-musl" => {
            Some(format!("manylinux_2_17_{processor}.manylinux2014_{processor}.musllinux_1_1_{processor}"))
        }
        "unknown-linux-gnu" => Some(format!("manylinux_2_{}_{processor}", glibc(bytes)?)),
        "apple-darwin" if processor == "aarch64" => Some("macosx_11_0_arm64".to_owned()),
        "apple-darwin" => Some(format!("macosx_10_12_{processor}")),
        _ => None,
    }
}

/// The newest glibc version that a binary requires: the number after `2.`. `None` if it requires
/// none.
fn glibc(bytes: &[u8]) -> Option<u32> {
    const MARK: &[u8] = b"GLIBC_2.";
    let at = bytes.windows(MARK.len()).enumerate().filter(|(_, part)| *part == MARK).map(|(at, _)| at + MARK.len());
    let number = |at: usize| {
        let digits: Vec<u8> = bytes[at..].iter().copied().take_while(u8::is_ascii_digit).take(3).collect();
        String::from_utf8(digits).ok()?.parse().ok()
    };
    at.filter_map(number).max()
}

/// Base64 as `RECORD` requires it: the URL-safe alphabet without padding.
fn base64_url(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let whole =
            chunk.iter().enumerate().fold(0_u32, |whole, (place, byte)| whole | u32::from(*byte) << (16 - 8 * place));
        for place in 0..=chunk.len() {
            text.push(char::from(ALPHABET[(whole >> (18 - 6 * place) & 63) as usize]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wheel_names_the_oldest_system_that_it_runs_on() {
        let binary = b"\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.9\0";
        assert_eq!(tag("x86_64-unknown-linux-gnu", binary).as_deref(), Some("manylinux_2_34_x86_64"));
        assert_eq!(tag("x86_64-unknown-linux-gnu", b""), None);
        assert!(tag("aarch64-unknown-linux-musl", b"").is_some_and(|tag| tag.contains("musllinux_1_1_aarch64")));
        assert_eq!(tag("x86_64-pc-windows-msvc", binary), None);
    }

    #[test]
    fn digests_are_written_as_records_have_them() {
        for (bytes, expected) in [(&b""[..], ""), (b"f", "Zg"), (b"fo", "Zm8"), (b"foo", "Zm9v"), (b"\xfb\xff", "-_8")]
        {
            assert_eq!(base64_url(bytes), expected);
        }
    }
}
