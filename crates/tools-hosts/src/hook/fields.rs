//! Reads fields of a hook's input: the first existing one of several names.

use serde_json::{Map, Value, json};

use super::{HookRequest, HostCall, HostCallOrigin, Unreadable};

/// The parameters of a host's tool.
pub(super) struct Fields<'a> {
    tool: &'a str,
    fields: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    /// The parameters of `tool`.
    ///
    /// # Errors
    /// The parameters are not an object.
    pub(super) fn new(tool: &'a str, input: Option<&'a Value>) -> Result<Self, Unreadable> {
        let fields = input.and_then(Value::as_object);
        let fields = fields.ok_or_else(|| Unreadable(format!("the parameters of `{tool}` are not an object")))?;
        Ok(Self { tool, fields })
    }

    /// A required string, under one of these names.
    pub(super) fn text(&self, names: &[&str]) -> Result<&'a str, Unreadable> {
        self.optional(names)?
            .ok_or_else(|| Unreadable(format!("`{}` has no `{}` that is text", self.tool, names.join("`, `"))))
    }

    /// A required path, under one of these names.
    pub(super) fn path(&self, names: &[&str]) -> Result<&'a str, Unreadable> {
        plain(self.text(names)?)
    }

    /// An optional string.
    ///
    /// # Errors
    /// The field has another type. It must not be judged as if it were missing.
    pub(super) fn optional(&self, names: &[&str]) -> Result<Option<&'a str>, Unreadable> {
        let Some(value) = names.iter().find_map(|name| self.fields.get(*name)).filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        let text = value.as_str();
        text.map(Some).ok_or_else(|| Unreadable(format!("`{}` of `{}` is not a string", names.join("`, `"), self.tool)))
    }

    /// Whether a field with one of these names exists.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.fields.contains_key(*name))
    }

    /// A call of `tool` that searches in the given folder, or else in the working directory.
    pub(super) fn searching(&self, tool: &'static str) -> Result<HostCall, Unreadable> {
        let mut params = json!({"pattern": self.optional(&["pattern"])?.unwrap_or("*")});
        if let Some(path) = self.optional(&["path", "dir_path"])? {
            params["path"] = plain(path)?.into();
        }
        Ok(HostCall::new(tool, params))
    }

    /// The calls of a text search: in the given folder, and in the file that a glob without
    /// wildcards names there.
    pub(super) fn grepping(&self) -> Result<Vec<HostCall>, Unreadable> {
        let mut calls = vec![self.searching("grep")?];
        let named = self.optional(&["glob", "include"])?.filter(|glob| !glob.contains(['*', '?', '[', '{']));
        if let Some(name) = named {
            let mut call = calls[0].clone();
            let folder = call.params.get("path").and_then(Value::as_str).unwrap_or(".");
            call.params["path"] = format!("{folder}/{}", plain(name)?).into();
            calls.push(call);
        }
        Ok(calls)
    }

    /// A call that edits the given file.
    pub(super) fn editing(&self, path: &[&str]) -> Result<HostCall, Unreadable> {
        let path = self.path(path)?;
        let (old, new) = (self.optional(&["old_string"])?, self.optional(&["new_string"])?);
        // Without an old text it replaces the whole file.
        match old {
            Some(old) if !old.is_empty() => Ok(HostCall::new(
                "edit",
                json!({"path": path, "old_string": old, "new_string": new.unwrap_or_default()}),
            )),
            _ => Ok(HostCall::new("write", json!({"path": path, "content": new.unwrap_or_default()}))),
        }
    }

    /// Whether the parameters contain a command, a file or an address: an unknown tool with such
    /// parameters must not run unasked.
    pub(super) fn is_about_files(&self) -> bool {
        self.fields.iter().any(|(name, value)| tells_of_files(name) || holds_path(value))
    }
}

/// Whether a parameter with this name contains a command, a file or an address, in any spelling
/// (`inputFile`, `file_path`, `FILE-PATHS`).
fn tells_of_files(name: &str) -> bool {
    const ENDS: [&str; 14] = [
        "command",
        "cmd",
        "script",
        "shell",
        "program",
        "path",
        "file",
        "filename",
        "dir",
        "directory",
        "folder",
        "patch",
        "uri",
        "url",
    ];
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let one = name.strip_suffix('s').unwrap_or(&name);
    ENDS.iter().any(|end| name.ends_with(end) || one.ends_with(end)) || name.ends_with("directories")
}

/// Whether the value contains a string that can only be a path, at any depth.
fn holds_path(value: &Value) -> bool {
    const BEGINS: [&str; 5] = ["/", "./", "../", "~/", "file:"];
    match value {
        Value::String(text) => {
            !text.contains(char::is_whitespace) && BEGINS.iter().any(|begin| text.starts_with(begin))
        }
        Value::Array(items) => items.iter().any(holds_path),
        Value::Object(members) => members.values().any(holds_path),
        _ => false,
    }
}

/// A path with the same meaning for every host.
///
/// # Errors
/// Hosts read it differently: some trim white space and replace `~` by the home, some use it
/// unchanged. The file judged here could then differ from the one that is opened.
fn plain(path: &str) -> Result<&str, Unreadable> {
    let is_blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    if path.starts_with(is_blank) || path.ends_with(is_blank) {
        return Err(Unreadable(format!("white space stands around the path {path:?}, which hosts read differently")));
    }
    if path.starts_with('~') {
        return Err(Unreadable(format!("the path {path:?} begins with `~`, which hosts read differently")));
    }
    Ok(path)
}

/// A string at the top level of the input.
pub(super) fn top<'a>(input: &'a Value, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| input.get(*name).and_then(Value::as_str)).filter(|text| !text.is_empty())
}

/// The session and folder of an input.
pub(super) fn place(input: &Value, session: &[&str]) -> HostCallOrigin {
    HostCallOrigin { session: top(input, session).map(str::to_owned), workdir: top(input, &["cwd"]).map(Into::into) }
}

/// Handles an unknown event. An event about a call that has not run yet does not count as harmless.
///
/// # Errors
/// The event is about a call that has not run yet.
pub(super) fn other_event(input: &Value, name: &str) -> Result<HookRequest, Unreadable> {
    let has = |field: &str| input.get(field).is_some();
    if has("tool_input") && !has("tool_response") && !has("error") {
        return Err(Unreadable(format!("this version of haft does not know the event `{name}`")));
    }
    Ok(HookRequest::Nothing)
}

/// The error for an unknown tool that uses files or runs something.
pub(super) fn unknown(host: &str, tool: &str) -> Unreadable {
    Unreadable(format!("this version of haft does not know the tool `{tool}` of {host}"))
}
