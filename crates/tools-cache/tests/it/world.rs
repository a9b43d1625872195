//! A tool that reads a file that a test changes, one that writes it, one that asks the world, and a
//! cache around them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use jiff::SignedDuration;
use schemars::json_schema;
use serde_json::{Value, json};
use tools_cache::{CacheConfig, CacheLayer, ToolResultCache};
use tools_core::{
    Approval, Basis, CallContext, ExecuteResult, FileState, Inspection, RecordedResult, Stack, ToolCall, ToolDef,
    ToolDefs, ToolError, ToolErrorCategory, ToolExecutor, ToolKind, ToolName, ToolOrigin, ToolOutput, ToolTraits, keys,
};
use tools_testkit::FakeClock;

/// What the tools act on.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) state: Mutex<FileState>,
    pub(crate) runs: AtomicU64,
    clock: FakeClock,
}

impl File {
    /// A change from outside of the session.
    pub(crate) fn change(&self) {
        let mut state = self.state.lock().unwrap();
        state.size += 1;
        state.changed = (tools_core::Clock::now(&self.clock).as_second(), 1);
    }
}

pub(crate) struct World {
    pub(crate) file: Arc<File>,
    pub(crate) clock: FakeClock,
    pub(crate) cache: Arc<ToolResultCache>,
    pub(crate) stack: Arc<Stack>,
    pub(crate) cx: CallContext,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(&CacheConfig::default())
    }

    pub(crate) fn with(config: &CacheConfig) -> Self {
        let clock = FakeClock::default();
        let state = FileState { id: (1, 2), size: 3, modified: (0, 0), changed: (0, 0) };
        let file = Arc::new(File { state: Mutex::new(state), runs: AtomicU64::new(0), clock: clock.clone() });
        let cache = Arc::new(ToolResultCache::with_clock(config, Arc::new(clock.clone())));
        let layer = CacheLayer::new(Arc::clone(&cache));
        let stack = Arc::new(Stack::new(vec![Arc::new(layer)], Tools(Arc::clone(&file))));
        Self { file, clock, cache, stack, cx: CallContext::new("/w") }
    }

    pub(crate) fn advance(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
    }

    pub(crate) async fn call_in(&self, cx: &CallContext, tool: &str, params: Value) -> RecordedResult {
        self.stack.run(ToolCall::new(tool, params).unwrap(), None, cx).await
    }

    /// Whether a call was a hit; `None` where the cache had no part in it.
    pub(crate) async fn is_hit(&self, tool: &str, params: Value) -> Option<bool> {
        hit(&self.call_in(&self.cx, tool, params).await)
    }

    pub(crate) fn runs(&self) -> u64 {
        self.file.runs.load(Ordering::SeqCst)
    }
}

pub(crate) fn hit(recorded: &RecordedResult) -> Option<bool> {
    Some(recorded.journal.value(keys::CACHE)? == "hit")
}

/// The tools: `looks` depends on the file, `walks` on the file `at` that only it knows of,
/// `fetches` on the world, `guesses` on nobody knows what, `foreign` is a server's, `writes`
/// changes the file, `sometimes` only when it is told to.
struct Tools(Arc<File>);

impl ToolExecutor for Tools {
    fn tool_definitions(&self) -> ToolDefs {
        let define = |name: &str, traits| {
            let name = ToolName::parse(name).unwrap();
            ToolDef::new(name, "Does what a test says.", json_schema!({"type": "object"}), ToolKind::Other, traits)
        };
        let foreign = define("foreign", ToolTraits::READ_ONLY);
        [
            define("looks", ToolTraits::READ_ONLY),
            define("walks", ToolTraits::READ_ONLY),
            define("fetches", ToolTraits::FETCH),
            define("guesses", ToolTraits::READ_ONLY),
            foreign.from_origin(ToolOrigin::Mcp { server: "s".into(), trusted: true }),
            define("writes", ToolTraits::EDIT),
            define("sometimes", ToolTraits { cacheable: false, ..ToolTraits::READ_ONLY }),
        ]
        .map(Arc::new)
        .into()
    }

    async fn inspect(&self, call: &ToolCall, _: &CallContext) -> Result<Inspection, ToolError> {
        let looking = || Inspection::read_only().depending_on(*self.0.state.lock().unwrap());
        Ok(match call.tool.as_str() {
            "looks" | "foreign" => looking(),
            "writes" => Inspection::mutating(),
            _ => Inspection { read_only: call.params.get("change").is_none(), ..Inspection::default() },
        })
    }

    async fn execute_tool_call(&self, call: &ToolCall, cx: &CallContext) -> ExecuteResult {
        let run = self.0.runs.fetch_add(1, Ordering::SeqCst);
        if let Some(waits) = call.params.get("waits").and_then(Value::as_bool).filter(|waits| *waits) {
            debug_assert!(waits);
            // Lets every other task come as far as it can.
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
        }
        if call.params.get("changes_meanwhile").is_some() {
            self.0.change();
        }
        if call.params.get("fails").is_some() {
            return Err(ToolError::new(ToolErrorCategory::ServerError, "x", "it fails"));
        }
        if call.tool.as_str() == "writes" {
            self.0.change();
        }
        if let (Some(at), Some(slot)) = (call.params.get("at").and_then(Value::as_str), cx.basis()) {
            let state = FileState::from(&std::fs::symlink_metadata(at).unwrap());
            slot.leave(Basis::new(vec![(at.into(), state)]));
        }
        cx.journal().warn("something to hear of");
        cx.journal().note(keys::OVERFLOW, "overflow:x");
        Ok(Some(ToolOutput::text(format!("run {run}")).with_raw_response(json!({"run": run}))))
    }

    async fn execute_tool_call_confirmed(&self, call: &ToolCall, _: &Approval, cx: &CallContext) -> ExecuteResult {
        self.execute_tool_call(call, cx).await
    }
}
