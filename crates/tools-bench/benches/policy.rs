//! The gates' decisions alone: how they grow with rules, and what compiling many rules takes.

use std::{hint::black_box, path::Path};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use haft::core::{
    Access, ConfiguredFiles, Inspection, SessionId, Subject, ToolDef, ToolKind, ToolName, ToolTraits, TrustLevel,
    Verdict,
};
use haft::policy::permissions::{PermissionsConfig, Question, RuleConfig, SessionRules, decide};
use haft::policy::rules::{
    self, AuthorizationConfig, PolicyConfig, PolicyEffect, PolicyEnforcer, PolicyQuestion, PolicyRuleConfig,
};
use schemars::json_schema;

fn permissions(rules: usize) -> PermissionsConfig {
    let rule = |number: usize| match number % 4 {
        0 => RuleConfig::new(format!("deny{number} *--force*"), Verdict::Deny),
        1 => RuleConfig::new(format!("program{number} *"), Verdict::Allow),
        2 => RuleConfig::new(format!("cargo sub{number} *"), Verdict::Allow),
        _ => RuleConfig::new(format!("/data/{number}/**"), Verdict::Allow),
    };
    let mut list: Vec<RuleConfig> = (0..rules.saturating_sub(1)).map(rule).collect();
    list.push(RuleConfig::new("cargo *", Verdict::Allow));
    PermissionsConfig { tools: [("bash".to_owned(), list)].into() }
}

fn policy(rules: usize) -> PolicyConfig {
    let rule = |number: usize| PolicyRuleConfig {
        effect: PolicyEffect::Deny,
        tool: "bash".to_owned(),
        args_match: None,
        paths: vec![format!("/srv/{number}/**")],
        capabilities: vec![],
    };
    PolicyConfig { enabled: true, rules: (0..rules).map(rule).collect() }
}

/// A line of nine commands: ten subjects.
fn line() -> Inspection {
    let command = |number: usize| Subject::Command {
        line: format!("cargo test --package crate{number} -- --nocapture"),
        program: "cargo".to_owned(),
        argv: ["test", "--package", &format!("crate{number}"), "--", "--nocapture"].map(str::to_owned).into(),
        via: vec![],
    };
    let parts: Vec<Subject> = (0..9).map(command).collect();
    let whole = parts.iter().map(Subject::text).collect::<Vec<_>>().join(" && ");
    let whole = Subject::Command { line: whole, program: String::new(), argv: vec![], via: vec![] };
    Inspection { subjects: std::iter::once(whole).chain(parts).collect(), ..Inspection::default() }
}

fn decisions(c: &mut Criterion) {
    let name = ToolName::parse("bash").expect("a name");
    let schema = json_schema!({"type": "object"});
    let definition = ToolDef::new(name, "", schema, ToolKind::Execute, ToolTraits::CAUTIOUS);
    let session = SessionRules::default().of(&SessionId::generate());
    let workdir = Path::new("/home/me/project");
    let all = line();
    let one = Inspection { subjects: vec![all.subjects[1].clone()], ..Inspection::default() };
    let (definition, session) = (&definition, &session);
    let configured = &ConfiguredFiles::default();
    let ask =
        |inspection| Question { definition, inspection, trust: TrustLevel::Trusted, workdir, session, configured };
    let mut group = c.benchmark_group("permission_decision");
    for (subjects, inspection) in [(1, &one), (10, &all)] {
        for rules in [10, 10_000] {
            let permissions = permissions(rules).compile(None).expect("made-up rules are valid");
            let question = ask(inspection);
            assert_eq!(decide(&permissions, &question).verdict, Verdict::Allow);
            group.bench_function(BenchmarkId::new(format!("{subjects}_subjects"), rules), |b| {
                b.iter(|| decide(black_box(&permissions), black_box(&question)).verdict);
            });
        }
    }
    group.finish();

    let mut group = c.benchmark_group("policy_decision");
    let params = serde_json::Map::new();
    for rules in [10, 1_000] {
        let enforcer = PolicyEnforcer::compile(&policy(rules), &AuthorizationConfig::default(), None);
        let enforcer = enforcer.expect("made-up rules are valid");
        let question = PolicyQuestion { definition, params: &params, inspection: &all, workdir };
        group.bench_function(BenchmarkId::new("10_subjects", rules), |b| {
            b.iter(|| rules::decide(black_box(&enforcer), black_box(&question)).is_denied());
        });
    }
    group.finish();

    let mut group = c.benchmark_group("compile");
    group.sample_size(10);
    let many = permissions(10_000);
    group.bench_function("10000_permissions", |b| b.iter(|| black_box(&many).compile(None).is_ok()));
    // What is compiled when it is asked first counts, too: for commands, and for paths.
    let path =
        Inspection { subjects: vec![Subject::path("/home/me/project/a", Access::Read)], ..Inspection::default() };
    for (name, inspection) in [("and_a_command", &one), ("and_a_path", &path)] {
        group.bench_function(BenchmarkId::new("10000_permissions", name), |b| {
            b.iter(|| {
                let permissions = black_box(&many).compile(None).expect("made-up rules are valid");
                decide(&permissions, &ask(inspection)).verdict
            });
        });
    }
    group.finish();
}

criterion_group!(benches, decisions);
criterion_main!(benches);
