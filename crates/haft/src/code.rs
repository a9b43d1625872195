//! The tool `search_code` in a toolbox: its policy, over the files that the file tools may see.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use tools_code::{
    Candidate, ChunkIndex, FileAccess, IndexPolicy, MemoryChunks, SearchCode, Sources, Space, VectorBackend, Visitor,
    WalkSummary,
};
use tools_core::{AnswerBudget, CallContext, Embedder, FileState, Inspection, Shared, SystemClock, ToolError};
use tools_file::{FileSurvey, Survey, SurveyedFile, Surveyor};

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig},
    files::Files,
    part::{Part, Swap},
};

/// The policy of one tool `search_code`.
#[derive(Debug)]
pub(crate) struct Code(Shared<IndexPolicy>);

impl Code {
    pub(crate) fn new(loaded: &LoadedConfig<HaftConfig>) -> Result<Self, LoadError> {
        compile(loaded).map(|policy| Self(Shared::new(policy)))
    }

    /// The tool, over the files of `files`.
    ///
    /// # Errors
    /// A store of vectors that cannot be used as it is configured.
    pub(crate) fn tool(
        &self,
        loaded: &LoadedConfig<HaftConfig>,
        files: &Files,
        embedder: Option<&Arc<dyn Embedder>>,
    ) -> Result<SearchCode, LoadError> {
        let sources = SurveyFiles(Survey::new(files.policy().clone(), "search_code"));
        let tool = SearchCode::new(self.0.clone(), Arc::new(sources));
        let Some(embedder) = embedder else { return Ok(tool) };
        let tool = tool.embedded_by(Arc::clone(embedder));
        Ok(match store(loaded)? {
            Some(store) => tool.storing(store, Arc::clone(embedder), Arc::new(SystemClock)),
            None => tool,
        })
    }
}

/// The store of vectors of a configuration; `None` where words are enough, and where this build has
/// no adapter.
#[cfg_attr(not(feature = "qdrant"), expect(clippy::unnecessary_wraps, reason = "only a server can be misconfigured"))]
fn store(loaded: &LoadedConfig<HaftConfig>) -> Result<Option<Arc<dyn ChunkIndex>>, LoadError> {
    let config = &loaded.config.index;
    match config.vector_backend {
        VectorBackend::Words => Ok(None),
        VectorBackend::Memory => {
            Ok(Some(Arc::new(MemoryChunks::up_to(usize::try_from(config.memory_bytes).unwrap_or(usize::MAX)))))
        }
        #[cfg(feature = "qdrant")]
        VectorBackend::Qdrant => {
            let key = std::env::var(&config.qdrant.key_env).ok();
            let store = tools_code::QdrantChunks::new(&config.qdrant, key.as_deref());
            Ok(Some(Arc::new(store.map_err(|problem| loaded.fault("index.qdrant", problem))?)))
        }
        #[cfg(not(feature = "qdrant"))]
        VectorBackend::Qdrant => Ok(None),
    }
}

/// What language servers are held to: the same as commands.
#[cfg(feature = "shell")]
pub(crate) fn held(
    reserved: &[PathBuf],
    config: &HaftConfig,
    commands: &Arc<crate::commands::Commands>,
) -> tools_code::LaunchConfinement {
    let (confining, reserved) = (Arc::clone(commands), reserved.to_vec());
    tools_code::LaunchConfinement {
        confine: Arc::new(move |writable, hidden| confining.confined(writable, hidden, reserved.clone())),
        hidden: Some(commands.hidden().clone()),
        env_pass: config.tools.shell.env_pass.clone(),
        // By shape only: a variable that the operator passes on is a known value, too.
        redactor: Arc::new(tools_secrets::SecretRedactor::default()),
    }
}

fn compile(loaded: &LoadedConfig<HaftConfig>) -> Result<IndexPolicy, LoadError> {
    let compiled = loaded.config.index.compile();
    compiled.map_err(|error| loaded.fault(&format!("index.{}", error.key), error.problem))
}

impl Part for Code {
    fn compile(self: Arc<Self>, _: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> {
        let policy = compile(loaded)?;
        Ok(Box::new(move || self.0.store(policy)))
    }
}

/// Files as `search_code` asks for them.
struct SurveyFiles(Survey);

impl Sources for SurveyFiles {
    fn inspect(&self, path: Option<&str>, cx: &CallContext) -> Result<Inspection, ToolError> {
        self.0.inspect(path, cx)
    }

    fn sight(&self, cx: &CallContext) -> Result<Box<dyn FileAccess>, ToolError> {
        Ok(Box::new(InSight(self.0.of_call(cx)?)))
    }
}

struct InSight(FileSurvey);

impl FileAccess for InSight {
    fn space(&self) -> Space {
        Space { roots: self.0.roots(), rules: self.0.rules() }
    }

    fn starts(&self) -> Vec<PathBuf> {
        self.0.starts()
    }

    fn walk(&self, path: Option<&str>, visitor: &dyn Visitor) -> Result<WalkSummary, ToolError> {
        let tools_file::Extent { starts, is_cut, unreadable, notes } = self.0.walk(path, &Visiting(visitor))?;
        Ok(WalkSummary { starts, is_cut, unreadable, notes })
    }

    fn read(&self, path: &Path, most: u64) -> Option<Vec<u8>> {
        self.0.read(path, most)
    }

    fn hide(&self, path: &Path, text: Vec<u8>) -> Vec<u8> {
        self.0.hide(path, text)
    }

    fn show(&self, path: &Path) -> String {
        self.0.show(path)
    }

    fn answer(&self) -> AnswerBudget {
        self.0.answer()
    }

    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

struct Visiting<'a>(&'a dyn Visitor);

impl Surveyor for Visiting<'_> {
    fn enters(&self, folder: &Path) -> bool {
        self.0.enters(folder)
    }

    fn visit(&self, seen: &SurveyedFile<'_>) {
        self.0.visit(&Came(seen));
    }
}

struct Came<'a, 'b>(&'a SurveyedFile<'b>);

impl Candidate for Came<'_, '_> {
    fn path(&self) -> &Path {
        self.0.path()
    }

    fn state(&self) -> io::Result<(FileState, u64)> {
        self.0.state()
    }

    fn read(&self, most: u64) -> io::Result<(FileState, Option<Vec<u8>>)> {
        self.0.read(most)
    }
}
