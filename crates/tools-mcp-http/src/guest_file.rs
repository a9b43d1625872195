//! The file that names the guests of a server.

use std::fs;
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;
use tools_core::CallerId;

/// Maximum size in bytes of a file of guests.
const MAX_FILE: u64 = 1 << 20;

/// One who may call tools over HTTP, as a file names them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpGuest {
    /// Name of the guest: the caller in rules and in the record is `http:NAME`.
    pub name: String,
    /// The bearer token of the guest's requests (`Authorization: Bearer …`), at least 32
    /// characters.
    pub token: String,
    /// The guest's workspace; `None` for that of the server. A relative path starts at the folder
    /// of the file.
    pub workdir: Option<PathBuf>,
    /// The guest's configuration, with rules of its own; `None` for that of the server. Relative as
    /// `workdir`.
    pub config: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Guests {
    #[serde(default)]
    guest: Vec<HttpGuest>,
}

/// Reason why a file of guests cannot be used.
#[derive(Debug, Error)]
#[error("`{file}`: {problem}")]
pub struct GuestsError {
    file: PathBuf,
    problem: String,
}

impl HttpGuest {
    /// Caller of the guest's calls, in rules and in the record; `None` if the name is not valid for
    /// one.
    pub fn caller(&self) -> Option<CallerId> {
        caller(&self.name)
    }

    /// Reads a TOML file with one `[[guest]]` for each guest.
    ///
    /// # Errors
    /// A file that cannot be read, that others than its owner can read, that has unknown keys or no
    /// guest, or that has two guests with one name.
    pub fn read(file: &Path) -> Result<Vec<Self>, GuestsError> {
        let failed = |problem: String| GuestsError { file: file.to_owned(), problem };
        let text = text(file).map_err(|error| failed(error.to_string()))?;
        let Guests { mut guest } = toml::from_str(&text).map_err(|error| failed(error.message().to_owned()))?;
        if guest.is_empty() {
            return Err(failed("it names no `[[guest]]`".to_owned()));
        }
        for (at, one) in guest.iter().enumerate() {
            if one.caller().is_none() {
                return Err(failed(format!("`{}` is not a valid name of a guest", one.name.escape_debug())));
            }
            if guest[..at].iter().any(|other| other.name == one.name) {
                return Err(failed(format!("two guests are called `{}`", one.name)));
            }
        }
        let folder = file.parent().unwrap_or(Path::new(""));
        for path in guest.iter_mut().flat_map(|one| [&mut one.workdir, &mut one.config]).flatten() {
            *path = folder.join(&*path);
        }
        Ok(guest)
    }
}

/// The text of a file that only its owner can read.
fn text(file: &Path) -> io::Result<String> {
    let mut opened = fs::File::open(file)?;
    let found = opened.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mode = found.permissions().mode();
    if mode & 0o077 != 0 {
        let problem = format!("others can read it (mode {:o}): tokens need mode 600", mode & 0o777);
        return Err(io::Error::other(problem));
    }
    if found.len() > MAX_FILE {
        return Err(io::Error::other(format!("it is longer than {MAX_FILE} bytes")));
    }
    let mut text = String::new();
    opened.by_ref().take(MAX_FILE).read_to_string(&mut text)?;
    Ok(text)
}

fn caller(name: &str) -> Option<CallerId> {
    CallerId::parse(&format!("http:{name}")).ok().filter(|_| !name.is_empty())
}
