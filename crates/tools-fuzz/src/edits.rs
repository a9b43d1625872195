//! A file, an old and a new text, with a NUL between them: the file is either unchanged, or
//! contains the replacement with every other byte unchanged.

use std::{fs, sync::LazyLock};

use serde_json::json;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tools_core::{CallContext, Shared, Stack, ToolCall};
use tools_file::FileConfig;

struct World {
    folder: TempDir,
    stack: Stack,
    runtime: Runtime,
}

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let config = FileConfig { deny_read: Some(vec![]), ..FileConfig::default() };
    let policy = config.compile(folder.path(), None).expect("a configuration without globs");
    let stack = Stack::new(vec![], tools_file::executor(Shared::new(policy)));
    World { folder, stack, runtime: Builder::new_current_thread().enable_all().build().expect("a runtime") }
});

pub(crate) fn check(bytes: &[u8]) {
    let mut parts = bytes.splitn(3, |byte| *byte == 0);
    let (Some(file), Some(old), Some(new)) = (parts.next(), parts.next(), parts.next()) else { return };
    let (Ok(old), Ok(new)) = (std::str::from_utf8(old), std::str::from_utf8(new)) else { return };
    let World { folder, stack, runtime } = &*WORLD;
    // Each process has its own folder, and each run uses it alone.
    let path = folder.path().join("file.txt");
    fs::write(&path, file).expect("a file in the temporary folder");
    let cx = CallContext::new(folder.path());
    let params = json!({"path": "file.txt", "old_string": old, "new_string": new});
    let call = ToolCall::new("edit", params).expect("a tool name and an object");
    let edited = runtime.block_on(stack.dispatch(call, &cx));
    let now = fs::read(&path).expect("the file is still there");
    if edited.is_err() {
        assert_eq!(now, file, "an edit that fails changes nothing");
        return;
    }
    if let Ok(text) = std::str::from_utf8(file)
        && text.matches(old).count() == 1
        && !text.contains('\r')
        && !new.contains('\r')
    {
        assert_eq!(String::from_utf8_lossy(&now), text.replacen(old, new, 1), "a text that is there once is replaced");
    }
}
