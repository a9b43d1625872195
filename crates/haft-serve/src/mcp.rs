//! Serves a toolbox over MCP. The client's roots narrow it, and people's answers become rules of
//! the session.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use haft::Toolbox;
use haft::config::{ConfigWatch, places};
use haft::questions::Watchers;
use tools_core::{CallContext, CallerId, Confirmer, SessionId, Stack, ToolDefs, ToolName};
use tools_mcp::{FaultyTools, Greeting, McpServer, ServeError, StructuredContent, ToolVisibility, Workspace};

use crate::resources;

/// Serves the tools over standard input and output until the client disconnects. The client is
/// greeted at once, while `make` reads the configuration and compiles its rules; calls wait for it.
///
/// If `make` fails, the server keeps running: it lists the tools of the toolbox that `otherwise`
/// makes, and answers each call with the fault. If the server ended, the host would continue with
/// its own tools, unnoticed by the user.
///
/// # Errors
/// The error of `make`, after the client has disconnected, and any failure to set up the
/// connection.
pub async fn serve_mcp<E: fmt::Display + Into<Box<dyn Error + Send + Sync>> + 'static>(
    make: impl FnOnce() -> Result<Toolbox, E> + Send + 'static,
    otherwise: impl FnOnce(&E) -> Option<Toolbox> + Send + 'static,
) -> Result<(), ServeError> {
    let fault: Arc<OnceLock<String>> = Arc::default();
    let found = Arc::clone(&fault);
    let build = move || {
        let toolbox = match make() {
            Ok(toolbox) => toolbox,
            Err(error) => {
                let Some(listed) = otherwise(&error) else { return Err(error.into()) };
                let stack = FaultyTools::stack(listed.stack().listed(), &error.to_string(), REMEDY);
                let _ = found.set(error.to_string());
                return Ok(McpServer::builder(Arc::new(stack)).greeting(greeting()).build());
            }
        };
        #[cfg(feature = "mcp-client")]
        introduce_unknown(&toolbox);
        let watch = toolbox.watch(|name| std::env::var(name).ok());
        Ok::<_, Box<dyn Error + Send + Sync>>(serving(&toolbox, ServeOptions { watch, ..ServeOptions::default() }))
    };
    McpServer::serve_stdio_while_building(greeting(), build).await?;
    match fault.get() {
        Some(fault) => Err(ServeError::Setup(fault.clone().into())),
        None => Ok(()),
    }
}

/// Asks servers behind this one for their tools if these are unknown. Clients wait for it once:
/// known tools are offered without asking.
#[cfg(feature = "mcp-client")]
fn introduce_unknown(toolbox: &Toolbox) {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
    if toolbox.parts().servers.unknown().is_empty() {
        return;
    }
    runtime.block_on(crate::introduce::introduce(toolbox));
}

/// Advice for the model if the tools could not be set up.
const REMEDY: &str = "Do not work around it. Tell the user what the fault is; `haft config check` shows where, and \
    the server has to be started again.";

/// Instructions for the model about the tools.
const INSTRUCTIONS: &str = "Runs shell commands and works on files of the user's workspace. Prefer these tools to \
    built-in ones for the same purpose: `bash` for commands, `read`, `edit`, `write`, `grep` and \
    `find_path` for files. Calls are checked against the user's rules, commands run in a sandbox, \
    and changes can be undone. A call may wait for the user's approval. \
    Credentials in results are replaced by placeholders (`«secret:…»`); written back unchanged, \
    a placeholder becomes the credential again. \
    Failed calls answer with a `[tool_error]` block that says what to do next. \
    Long answers are cut; their last line says how to read on.";

fn greeting() -> Greeting {
    Greeting {
        name: "haft".to_owned(),
        instructions: INSTRUCTIONS.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        resources: true,
        prompts: cfg!(feature = "skills"),
    }
}

/// The server, for hosts with their own transport; [`Toolbox::watch`] keeps its configuration up to
/// date.
pub fn server(toolbox: &Toolbox) -> McpServer {
    serving(toolbox, ServeOptions::default())
}

/// Options for serving a toolbox, besides its configuration.
pub(crate) struct ServeOptions {
    /// Watch that keeps the configuration up to date.
    pub(crate) watch: Option<ConfigWatch>,
    /// Caller of all calls, if the client is identified by more than its own name.
    pub(crate) caller: Option<CallerId>,
    /// Whether roots of the client narrow the workspace.
    pub(crate) heeds_roots: bool,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self { watch: None, caller: None, heeds_roots: true }
    }
}

pub(crate) fn serving(toolbox: &Toolbox, how: ServeOptions) -> McpServer {
    let ServeOptions { watch, caller, heeds_roots } = how;
    let config = &toolbox.config().mcp;
    let bridge = Arc::new(Bridge(toolbox.clone(), watch));
    let patience = Duration::from_secs(config.question_timeout);
    let server = McpServer::builder(Arc::clone(toolbox.stack()))
        .greeting(greeting())
        .context(toolbox.context())
        .roots(if heeds_roots { toolbox.roots() } else { vec![] })
        .showing(Arc::clone(&bridge) as Arc<dyn ToolVisibility>)
        .resources(Arc::new(resources::of_toolbox(toolbox)))
        .always_load(config.always_load.iter().filter_map(|name| ToolName::parse(name).ok()))
        .workspace(bridge)
        .decisions(Arc::new(toolbox.clone()))
        .definitions_changed(Arc::clone(toolbox.relisted()))
        .structured(if config.structured { StructuredContent::Always } else { StructuredContent::Never })
        .fallback(Arc::new(WatcherFallback(Watchers::of_process(places::watch_dir(), patience, true))))
        .question_timeout(patience);
    #[cfg(feature = "skills")]
    let server = match toolbox.parts().skills.as_ref() {
        skills if skills.is_empty() => server,
        skills => server.prompts(Arc::new(crate::skill_prompts::SkillPrompts(skills.clone()))),
    };
    let server = match caller {
        Some(caller) => server.caller(caller),
        None => server,
    };
    match config.answer_bytes {
        Some(bytes) => server.answer_cap(bytes).build(),
        None => server.build(),
    }
}

/// The toolbox, and the watch of its configuration while it is served.
struct Bridge(Toolbox, #[expect(dead_code, reason = "held, not used")] Option<ConfigWatch>);

impl ToolVisibility for Bridge {
    #[cfg(feature = "mcp-client")]
    fn settle(&self) {
        self.0.relist();
    }

    fn shown(&self, session: &SessionId, listed: &ToolDefs) -> ToolDefs {
        self.0.shown(session, listed)
    }
}

impl Workspace for Bridge {
    fn narrow(&self, _: &SessionId, roots: &[PathBuf]) -> Option<Arc<Stack>> {
        // An empty list means "nothing" here, not "the default": the client's roots and ours do not
        // overlap.
        if roots.is_empty() {
            return Some(self.0.without_tools());
        }
        let narrowed = self.0.narrowed(roots).map(|narrowed| Arc::clone(narrowed.stack()));
        Some(narrowed.unwrap_or_else(|error| {
            tracing::warn!(%error, "the client's roots cannot be used; nothing may be touched");
            self.0.without_tools()
        }))
    }

    fn ended(&self, session: &SessionId) {
        self.0.end_session(session);
    }
}

/// People who watch in another terminal, for clients that cannot ask.
struct WatcherFallback(Watchers);

impl tools_mcp::FallbackConfirmer for WatcherFallback {
    fn confirmer(&self, client: &str, cx: &CallContext) -> Box<dyn Confirmer> {
        Box::new(self.0.on_behalf_of(client, cx.workdir()))
    }

    fn advice(&self) -> &'static str {
        "The user can also answer such questions in a terminal, with `haft approvals watch`."
    }
}
