//! The whole stack around a tool that does nothing: every layer there is, audit to a file, and its
//! growth with rules and tools.

use std::{fmt::Write as _, hint::black_box};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use haft::Toolbox;
use haft::config::LoadedConfig;
use haft::core::{
    CallContext, DynExecutor, Inspection, JsonObject, Stack, Tool, ToolCall, ToolDef, ToolError, ToolKind, ToolOutput,
    ToolTraits, Typed,
};
use schemars::JsonSchema;
use serde::Deserialize;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Does nothing.
#[derive(Deserialize, JsonSchema)]
struct NoArgs {}

struct Noop(ToolDef);

impl Noop {
    fn named(name: &str) -> Self {
        let mut definition = ToolDef::of::<NoArgs>("noop", ToolKind::Other, ToolTraits::READ_ONLY);
        definition.name = haft::core::ToolName::parse(name).expect("a made-up name is valid");
        Self(definition)
    }
}

impl Tool for Noop {
    type Args = NoArgs;

    fn definition(&self) -> ToolDef {
        self.0.clone()
    }

    async fn inspect(&self, _: &NoArgs, _: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::read_only())
    }

    async fn run(&self, _: NoArgs, _: &CallContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text("done"))
    }
}

fn toolbox(folder: &TempDir, rules: usize, tools: usize) -> Toolbox {
    let mut text = String::new();
    for number in 0..rules {
        let _ = write!(text, "[[tools.permissions.noop]]\npattern = \"made up {number} *\"\naction = \"allow\"\n");
        let _ = write!(text, "[[tools.permissions.bash]]\npattern = \"program{number} *\"\naction = \"allow\"\n");
    }
    text.push_str("[[tools.permissions.noop]]\npattern = \"*\"\naction = \"allow\"\n");
    let mut loaded = LoadedConfig::parse(&text, &|_| None).expect("made-up rules are valid");
    loaded.config.tools.audit.path = folder.path().join(format!("audit-{rules}-{tools}.jsonl"));
    let mut builder = Toolbox::builder(loaded, folder.path());
    for number in 0..tools {
        builder = builder.executor(DynExecutor::new(Typed::new(Noop::named(&format!("noop_{number}")))));
    }
    builder.executor(DynExecutor::new(Typed::new(Noop::named("noop")))).build().expect("a toolbox")
}

fn call(tool: &str, params: &JsonObject) -> ToolCall {
    ToolCall::new(tool, serde_json::Value::Object(params.clone())).expect("a name and an object")
}

fn dispatch(c: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let folder = TempDir::new().expect("a folder");
    let mut group = c.benchmark_group("stack_around_noop");

    let bare = Stack::new(vec![], Typed::new(Noop::named("noop")));
    let cx = CallContext::new(folder.path());
    let params = JsonObject::new();
    group.bench_function("no_layers", |b| {
        b.iter(|| runtime.block_on(bare.dispatch(black_box(call("noop", &params)), &cx)));
    });
    for (what, sizes) in [("rules", [(10, 1), (10_000, 1)]), ("tools", [(10, 10), (10, 10_000)])] {
        for (rules, tools) in sizes {
            let toolbox = toolbox(&folder, rules, tools);
            let cx = toolbox.context();
            let size = if what == "rules" { rules } else { tools };
            group.bench_function(BenchmarkId::new(what, size), |b| {
                b.iter(|| runtime.block_on(toolbox.stack().dispatch(black_box(call("noop", &params)), &cx)));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, dispatch);
criterion_main!(benches);
