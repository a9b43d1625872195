//! A server with four tools of the names that agents know, for the client scripts in
//! `tests/clients` and for the benchmark: small stand-ins, unconfined. The real tools are in `haft
//! mcp serve`.
//!
//! `cargo run --release -p tools-mcp --example standin -- DIR [LAYERS]`

use std::{path::PathBuf, sync::Arc};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::{
    Access, Announce, CallContext, CompositeExecutor, DynExecutor, Inspection, Invocation, Layer, Next, Outcome, Stack,
    Subject, Tool, ToolDef, ToolError, ToolErrorCategory, ToolKind, ToolOutput, ToolTraits, Typed, classify_io_error,
};
use tools_mcp::{Greeting, McpServer};

/// A layer that looks at the subjects and passes on.
struct PassThrough;

#[async_trait]
impl Layer for PassThrough {
    fn name(&self) -> &'static str {
        "passing"
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        if let Ok(inspection) = inv.inspection() {
            inv.context.journal().note("subjects", inspection.subjects.len());
        }
        next.run(inv).await
    }
}

fn failed(error: std::io::Error) -> ToolError {
    ToolError::new(classify_io_error(&error), "io", error.to_string()).with_source(error)
}

/// Runs a command line.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BashArgs {
    /// The command line.
    command: String,
}

struct Bash;

impl Tool for Bash {
    type Args = BashArgs;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<BashArgs>("bash", ToolKind::Execute, ToolTraits::CAUTIOUS).titled("Run a command")
    }

    async fn inspect(&self, _: &BashArgs, _: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::mutating())
    }

    async fn run(&self, args: BashArgs, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        #[expect(clippy::disallowed_methods, reason = "a stand-in has no process tree of its own")]
        let mut command = tokio::process::Command::new("bash");
        command.arg("-c").arg(args.command).current_dir(cx.workdir());
        command.kill_on_drop(true).stdin(std::process::Stdio::null());
        let output = command.output().await.map_err(failed)?;
        Ok(ToolOutput::text(String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr)))
    }
}

/// Reads a file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadArgs {
    /// Which.
    path: PathBuf,
}

struct Read;

impl Tool for Read {
    type Args = ReadArgs;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<ReadArgs>("read", ToolKind::Read, ToolTraits::READ_ONLY).titled("Read a file")
    }

    async fn inspect(&self, args: &ReadArgs, cx: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::read_only().touching(Subject::path(cx.workdir().join(&args.path), Access::Read)))
    }

    async fn run(&self, args: ReadArgs, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let bytes = tokio::fs::read(cx.workdir().join(args.path)).await.map_err(failed)?;
        Ok(ToolOutput::text(String::from_utf8_lossy(&bytes)))
    }
}

/// Replaces a text that occurs once in a file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EditArgs {
    /// Which file.
    path: PathBuf,
    /// What stands there.
    old_string: String,
    /// What shall stand there.
    new_string: String,
}

struct Edit;

impl Tool for Edit {
    type Args = EditArgs;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<EditArgs>("edit", ToolKind::Edit, ToolTraits::EDIT).titled("Edit a file")
    }

    async fn inspect(&self, args: &EditArgs, cx: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::mutating().touching(Subject::path(cx.workdir().join(&args.path), Access::Write)))
    }

    async fn run(&self, args: EditArgs, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let path = cx.workdir().join(args.path);
        let text = tokio::fs::read_to_string(&path).await.map_err(failed)?;
        if text.matches(&args.old_string).count() != 1 {
            let message = "`old_string` does not occur exactly once";
            return Err(ToolError::new(ToolErrorCategory::InvalidParameters, "not_unique", message));
        }
        tokio::fs::write(&path, text.replacen(&args.old_string, &args.new_string, 1)).await.map_err(failed)?;
        Ok(ToolOutput::text("replaced"))
    }
}

/// Finds lines that hold a text.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GrepArgs {
    /// The text.
    pattern: String,
    /// Where.
    path: Option<PathBuf>,
}

struct Grep;

impl Tool for Grep {
    type Args = GrepArgs;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<GrepArgs>("grep", ToolKind::Search, ToolTraits::READ_ONLY).titled("Search files")
    }

    async fn inspect(&self, args: &GrepArgs, cx: &CallContext) -> Result<Inspection, ToolError> {
        let path = cx.workdir().join(args.path.as_deref().unwrap_or(".".as_ref()));
        Ok(Inspection::read_only().touching(Subject::path(path, Access::Read)))
    }

    async fn run(&self, args: GrepArgs, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let mut found = String::new();
        let mut folders = vec![cx.workdir().join(args.path.unwrap_or_default())];
        while let Some(folder) = folders.pop() {
            let mut entries = tokio::fs::read_dir(folder).await.map_err(failed)?;
            while let Some(entry) = entries.next_entry().await.map_err(failed)? {
                let kind = entry.file_type().await.map_err(failed)?;
                if kind.is_dir() && entry.file_name() != ".git" {
                    folders.push(entry.path());
                } else if kind.is_file()
                    && let Ok(text) = tokio::fs::read_to_string(entry.path()).await
                {
                    for (number, line) in text.lines().enumerate().filter(|(_, line)| line.contains(&args.pattern)) {
                        found.push_str(
                            &[entry.path().to_string_lossy().as_ref(), ":", &(number + 1).to_string(), ":", line, "\n"]
                                .concat(),
                        );
                    }
                }
            }
        }
        Ok(ToolOutput::text(found))
    }
}

/// Everything a client does not need for the handshake.
fn server(root: &str, layers: usize) -> Result<McpServer, std::io::Error> {
    let root = std::fs::canonicalize(root)?;
    let executor = CompositeExecutor::new([
        DynExecutor::new(Typed::new(Bash)),
        DynExecutor::new(Typed::new(Read)),
        DynExecutor::new(Typed::new(Edit)),
        DynExecutor::new(Typed::new(Grep)),
    ]);
    let mut around: Vec<Arc<dyn Layer>> = vec![Arc::new(Announce::default())];
    around.extend((0..layers).map(|_| Arc::new(PassThrough) as Arc<dyn Layer>));
    Ok(McpServer::builder(Arc::new(Stack::new(around, executor)))
        .context(CallContext::new(&root))
        .roots(vec![root])
        .build())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let root = arguments.next().unwrap_or_else(|| ".".to_owned());
    let layers = arguments.next().map_or(Ok(0), |count| count.parse::<usize>())?;
    // One thread reads, runs and writes: no hand-over between threads on the way of a call.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let serving = McpServer::serve_stdio_while_building(Greeting::default(), move || server(&root, layers));
    let result = runtime.block_on(serving);
    runtime.shutdown_background();
    Ok(result?)
}
