//! A skill: its folder, front matter and body.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use tools_core::{EnvOverlay, built_in_tool};
use tools_sandbox::{PathError, Roots};

use crate::front_matter::{FrontMatter, split};
use crate::inline::declared;
use crate::{AllowedTools, Field, InlineTool, SkillError};

/// File names; the first existing one is used.
const NAMES: [&str; 2] = ["SKILL.md", "skill.md"];
/// Maximum number of characters of a name.
pub(crate) const MAX_NAME: usize = 64;
/// Maximum size of a `SKILL.md` in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Prefix of `metadata` fields that are variables for commands while the skill is active.
const VARIABLE: &str = "env.";
/// Variables that determine which programs run and whose files they use.
const STEERING: &[&str] = &["PATH", "HOME", "IFS", "SHELL", "TMPDIR", "USER", "LOGNAME", "PWD"];

/// A skill that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Skill {
    /// Its folder, canonical.
    pub folder: PathBuf,
    /// Its name.
    pub name: String,
    /// Its purpose and when to use it.
    pub description: String,
    /// The tools it needs; `None` if it does not restrict them.
    pub allowed: Option<AllowedTools>,
    /// Variables for the commands of the turn.
    pub env: EnvOverlay,
    /// The tools that it declares, for the turn.
    pub tools: Vec<InlineTool>,
    /// Its instructions.
    pub body: String,
    /// Reasons why tools that it declares are left out, a sentence each.
    pub tool_faults: Vec<String>,
    /// Tolerated faults, a sentence each; includes `tool_faults`.
    pub warnings: Vec<String>,
}

impl Skill {
    /// Reads the skill in a folder, tolerating faults that do not prevent its use.
    ///
    /// # Errors
    /// If it cannot be read, or has no name or description.
    pub fn read(folder: &Path) -> Result<Self, SkillError> {
        let folder = folder.canonicalize().map_err(|source| {
            if is_circle(&source) {
                return SkillError::Link(folder.to_string_lossy().into_owned());
            }
            SkillError::Unreadable { path: folder.to_owned(), source }
        })?;
        let (_, text) = read_skill_file(&folder)?;
        let (front, body) = split(&text)?;
        let front = FrontMatter::parse(front)?;
        let mut warnings = front.faults.clone();
        let of_folder = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = front.text("name").filter(|name| !name.is_empty()).unwrap_or(&of_folder).to_owned();
        // A name is listed before anybody agreed to the skill, so it must not be free text.
        if name.chars().count() > MAX_NAME {
            return Err(SkillError::Front(format!("the field `name` has more than {MAX_NAME} characters")));
        }
        if name != of_folder {
            warnings.push(format!("the folder is called {of_folder:?}, and the skill {name:?}"));
        }
        let description = front.text("description").filter(|text| !text.is_empty()).unwrap_or_default().to_owned();
        if description.is_empty() {
            return Err(SkillError::Front("the field `description` is missing".to_owned()));
        }
        let allowed = front.fields.get("allowed-tools").map(allowed);
        let mut tool_faults = vec![];
        let (env, tools) = match front.fields.get("metadata") {
            Some(Field::Map(metadata)) => (variables(metadata, &mut warnings), declared(metadata, &mut tool_faults)),
            _ => (BTreeMap::new(), vec![]),
        };
        warnings.extend(tool_faults.iter().cloned());
        Ok(Self { folder, name, description, allowed, env, tools, body: body.to_owned(), tool_faults, warnings })
    }

    /// Removes the tools whose names are taken: `is_taken` tells which tools exist. Alternative
    /// names of those tools are taken, too.
    #[must_use]
    pub fn beside(mut self, is_taken: impl Fn(&str) -> bool) -> Self {
        let (mut own, mut faults) = (vec![], vec![]);
        for tool in std::mem::take(&mut self.tools) {
            let name = tool.name.as_str();
            let other = built_in_tool(name).filter(|other| is_taken(other));
            if is_taken(name) {
                faults.push(format!("the tool `{name}` is left out: there is another tool of that name"));
            } else if let Some(other) = other {
                faults.push(format!("the tool `{name}` is left out: that is another name of the tool `{other}`"));
            } else {
                own.push(tool);
            }
        }
        self.tools = own;
        self.warnings.extend(faults.iter().cloned());
        self.tool_faults.extend(faults);
        self
    }
}

/// The tools of a field: a text with blanks between them, or a list.
fn allowed(field: &Field) -> AllowedTools {
    match field {
        Field::Text(text) => AllowedTools::parse(text),
        Field::List(items) => {
            let texts: Vec<&str> = items.iter().filter_map(Field::text).collect();
            AllowedTools::parse(&texts.join(" "))
        }
        // A restriction that cannot be parsed allows nothing.
        Field::Map(_) | Field::Mark => AllowedTools::parse(""),
    }
}

fn variables(metadata: &BTreeMap<String, Field>, warnings: &mut Vec<String>) -> EnvOverlay {
    let mut env = BTreeMap::new();
    for (key, value) in metadata {
        let Some(name) = key.strip_prefix(VARIABLE) else { continue };
        let is_usual = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        let is_name = !name.is_empty() && name.bytes().all(is_usual) && !name.starts_with(|c: char| c.is_ascii_digit());
        match value.text() {
            Some(value) if is_name && !STEERING.contains(&name) => {
                env.insert(name.to_owned(), value.to_owned());
            }
            _ => warnings.push(format!("`{key}` in `metadata` sets no variable")),
        }
    }
    env
}

/// The path and text of a folder's `SKILL.md`.
pub(crate) fn read_skill_file(folder: &Path) -> Result<(PathBuf, String), SkillError> {
    let path = NAMES.iter().map(|name| folder.join(name)).find(|path| path.symlink_metadata().is_ok());
    let path = path.ok_or_else(|| SkillError::NoFile(NAMES[0].to_owned()))?;
    let bytes = read_inside(folder, &path, MAX_FILE_BYTES)?;
    let text = String::from_utf8(bytes).map_err(|_| SkillError::NotText(NAMES[0].to_owned()))?;
    // The format's own reader accepts the line ends of every system.
    Ok((path, text.replace("\r\n", "\n").replace('\r', "\n")))
}

/// The content of a file that must lie in a folder after resolving links.
pub(crate) fn read_inside(folder: &Path, path: &Path, most: u64) -> Result<Vec<u8>, SkillError> {
    let shown = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned();
    let opened = Roots::open(&[], folder).and_then(|roots| roots.open_file(path, folder));
    let (file, ..) = opened.map_err(|error| match error {
        PathError::Outside { .. } => SkillError::Link(shown.clone()),
        _ if leads_in_circle(path) => SkillError::Link(shown.clone()),
        _ => SkillError::NoFile(shown.clone()),
    })?;
    let mut bytes = vec![];
    let read = file.take(most + 1).read_to_end(&mut bytes);
    read.map_err(SkillError::unreadable(path))?;
    if bytes.len() as u64 > most {
        return Err(SkillError::TooLarge { what: format!("`{shown}`"), most: format!("{most} bytes") });
    }
    Ok(bytes)
}

fn leads_in_circle(path: &Path) -> bool {
    path.metadata().is_err_and(|error| is_circle(&error))
}

/// Whether links form a cycle.
pub(crate) fn is_circle(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}
