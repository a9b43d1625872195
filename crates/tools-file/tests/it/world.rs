//! A workspace with an allowed directory, something outside it, and calls.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tools_core::{CallContext, Inspection, Shared, Stack, ToolCall, ToolError, ToolOutput};
use tools_file::FileConfig;

pub(crate) struct World {
    _dir: tempfile::TempDir,
    pub(crate) base: PathBuf,
    pub(crate) stack: Stack,
    pub(crate) cx: CallContext,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(|_, config| config)
    }

    /// `root` is the working directory; `outside/secret` is not to be reached.
    pub(crate) fn with(change: impl FnOnce(&Path, FileConfig) -> FileConfig) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(dir.path()).unwrap();
        fs::create_dir(base.join("root")).unwrap();
        fs::create_dir(base.join("outside")).unwrap();
        fs::write(base.join("outside/secret"), "SECRET\n").unwrap();
        let root = base.join("root");
        let config =
            change(&root, FileConfig { deny_read: Some(Vec::new()), search_threads: 2, ..FileConfig::default() });
        let policy = config.compile(&root, Some(&base.join("home"))).unwrap();
        let stack = Stack::new(vec![], tools_file::executor(Shared::new(policy)));
        Self { _dir: dir, base, stack, cx: CallContext::new(root) }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.base.join("root").join(name)
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn link(&self, name: &str, target: impl AsRef<Path>) -> &Self {
        std::os::unix::fs::symlink(target, self.path(name)).unwrap();
        self
    }

    pub(crate) fn content(&self, name: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.path(name)).unwrap()).into_owned()
    }

    pub(crate) async fn call(&self, tool: &str, params: Value) -> Result<ToolOutput, ToolError> {
        self.stack.dispatch(ToolCall::new(tool, params)?, &self.cx).await
    }

    /// The text of the result, with the temporary directory replaced.
    pub(crate) async fn text(&self, tool: &str, params: Value) -> String {
        let text = match self.call(tool, params).await {
            Ok(output) => output.summary,
            Err(error) => format!("{}/{}: {error}", error.category(), error.code()),
        };
        text.replace(self.base.to_str().unwrap(), "BASE")
    }

    pub(crate) async fn inspect(&self, tool: &str, params: Value) -> Result<Inspection, ToolError> {
        self.stack.inspect(ToolCall::new(tool, params)?, &self.cx).await.inspection().cloned()
    }

    /// Everything below the workspace: names, contents, link texts.
    pub(crate) fn snapshot(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let (mut all, mut pending) = (Vec::new(), vec![self.base.clone()]);
        while let Some(directory) = pending.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                let kind = fs::symlink_metadata(&path).unwrap();
                let content = if kind.is_dir() {
                    pending.push(path.clone());
                    Vec::new()
                } else if kind.is_symlink() {
                    fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
                } else {
                    fs::read(&path).unwrap()
                };
                all.push((path, content));
            }
        }
        all.sort();
        all
    }
}
