//! Files of a folder without roots and rules: what the tests of the binary have from the file
//! tools, these walk for themselves. Names that a test closes are closed.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tools_code::{IndexConfig, SearchCode};
use tools_core::{
    Access, AnswerBudget, CallContext, FileState, Inspection, Shared, Stack, Subject, ToolCall, ToolError, ToolOutput,
};
use tools_sandbox::{Candidate, FileAccess, Sources, Space, Visitor, WalkSummary};

/// A folder, what is closed in it, and how often files and folders were read. Names that its file
/// `.ignore` lists are left out of walks.
#[derive(Clone, Default)]
pub(crate) struct Folder {
    pub(crate) root: PathBuf,
    pub(crate) closed: Arc<Mutex<BTreeSet<PathBuf>>>,
    pub(crate) reads: Arc<AtomicUsize>,
    pub(crate) entered: Arc<AtomicUsize>,
    pub(crate) answer: AnswerBudget,
}

impl Folder {
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.canonicalize().unwrap(), ..Self::default() }
    }

    pub(crate) fn stack(&self, config: &IndexConfig) -> Stack {
        let tool = SearchCode::new(Shared::new(config.compile().unwrap()), Arc::new(self.clone()));
        Stack::new(vec![], tool.into_executor())
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn is_closed(&self, path: &Path) -> bool {
        self.closed.lock().unwrap().contains(path)
    }
}

pub(crate) async fn call(stack: &Stack, root: &Path, params: Value) -> Result<ToolOutput, ToolError> {
    let call = ToolCall::new("search_code", params).unwrap();
    stack.dispatch(call, &CallContext::new(root)).await
}

/// What a call for one query answers.
pub(crate) async fn answer(stack: &Stack, root: &Path, kind: &str, query: &str) -> String {
    call(stack, root, json!({"kind": kind, "query": query})).await.unwrap().summary
}

impl Sources for Folder {
    fn inspect(&self, path: Option<&str>, _: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::read_only().touching(Subject::path(self.root.join(path.unwrap_or("")), Access::Read)))
    }

    fn sight(&self, _: &CallContext) -> Result<Box<dyn FileAccess>, ToolError> {
        Ok(Box::new(self.clone()))
    }
}

impl FileAccess for Folder {
    fn space(&self) -> Space {
        // What is closed only grows: another number for other rules.
        Space { roots: vec![self.root.clone()], rules: self.closed.lock().unwrap().len() as u64 }
    }

    fn starts(&self) -> Vec<PathBuf> {
        vec![self.root.clone()]
    }

    fn walk(&self, path: Option<&str>, visitor: &dyn Visitor) -> Result<WalkSummary, ToolError> {
        let start = self.root.join(path.unwrap_or("")).components().collect::<PathBuf>();
        visitor.enters(&self.root);
        let ignored = std::fs::read_to_string(self.root.join(".ignore")).unwrap_or_default();
        let mut folders = vec![];
        if start.is_dir() {
            folders.push(start.clone());
        } else {
            visitor.visit(&Plain(self, start.clone()));
        }
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            if !visitor.enters(&folder) {
                continue;
            }
            self.entered.fetch_add(1, Ordering::Relaxed);
            for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let kind = entry.file_type().unwrap();
                if ignored.lines().any(|name| entry.file_name() == name) {
                    continue;
                }
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if kind.is_file() && !self.is_closed(&entry.path()) {
                    files.push(entry.path());
                }
            }
        }
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                        visitor.visit(&Plain(self, file.clone()));
                    }
                });
            }
        });
        Ok(WalkSummary { starts: vec![start], ..WalkSummary::default() })
    }

    fn read(&self, path: &Path, most: u64) -> Option<Vec<u8>> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let text = std::fs::read(path).ok().filter(|_| !self.is_closed(path))?;
        (text.len() as u64 <= most).then_some(text)
    }

    fn hide(&self, _: &Path, text: Vec<u8>) -> Vec<u8> {
        match String::from_utf8(text) {
            Ok(text) => text.replace("hunter2", "<hidden>").into_bytes(),
            Err(error) => error.into_bytes(),
        }
    }

    fn show(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }

    fn answer(&self) -> AnswerBudget {
        self.answer
    }

    fn is_cancelled(&self) -> bool {
        false
    }
}

struct Plain<'a>(&'a Folder, PathBuf);

impl Candidate for Plain<'_> {
    fn path(&self) -> &Path {
        &self.1
    }

    fn state(&self) -> io::Result<(FileState, u64)> {
        std::fs::symlink_metadata(&self.1).map(|metadata| (FileState::from(&metadata), metadata.nlink()))
    }

    fn read(&self, most: u64) -> io::Result<(FileState, Option<Vec<u8>>)> {
        let (state, _) = self.state()?;
        self.0.reads.fetch_add(1, Ordering::Relaxed);
        let text = std::fs::read(&self.1)?;
        Ok((state, (text.len() as u64 <= most).then_some(text)))
    }
}
