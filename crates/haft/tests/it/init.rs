//! The rules of `haft init` against lists of command lines: what is typed all day runs, what harms
//! does not.

use haft::Toolbox;
use haft::config::LoadedConfig;
use haft::core::{ToolCall, Verdict};
use haft::policy::proposal::{ProjectKind, propose};

/// Lines of a list: the kind of project that they belong to, or `all`, and the command. `⏎` is a
/// line break.
fn lines(text: &str, kind: ProjectKind) -> Vec<String> {
    let all = text.lines().filter_map(|line| line.split_once(" | "));
    all.filter(|(of, _)| *of == "all" || *of == kind.name()).map(|(_, line)| line.replace('⏎', "\n")).collect()
}

/// Which lines of a list the rules for one kind of project allow, and which not.
async fn judged(toolbox: &Toolbox, lines: Vec<String>) -> (Vec<String>, Vec<String>) {
    let (mut allowed, mut stopped) = (vec![], vec![]);
    for line in lines {
        let call = ToolCall::new("bash", serde_json::json!({ "command": line })).expect("an object");
        let verdict = toolbox.explain(call, &toolbox.context()).await.verdict;
        if verdict == Verdict::Allow { allowed.push(line) } else { stopped.push(line) }
    }
    (allowed, stopped)
}

/// Checks that at most so many of 1,000 lines are judged otherwise than they should be, over the
/// kinds of which the lists have lines.
async fn check(name: &str, text: &str, is_harmless: bool, most: usize) {
    let workspace = tools_testkit::Workspace::new();
    let (mut all, mut wrong) = (0, vec![]);
    for kind in [ProjectKind::Rust, ProjectKind::Node, ProjectKind::Python] {
        let mut loaded = LoadedConfig::parse(&propose(&[kind], &[]), &|_| None).expect("it is valid");
        loaded.config.tools.audit.enabled = false;
        let toolbox = Toolbox::builder(loaded, workspace.dir("work")).build().expect("it can be built");
        let (allowed, stopped) = judged(&toolbox, lines(text, kind)).await;
        all += allowed.len() + stopped.len();
        wrong.extend(if is_harmless { stopped } else { allowed });
    }
    let share = format!("{} of {all}", wrong.len());
    println!("{name}: {share} judged otherwise");
    assert!(wrong.len() * 1_000 <= all * most, "{name}: {share}: {wrong:#?}");
}

#[tokio::test]
async fn everyday_commands_run_without_a_question() {
    check("everyday", include_str!("../fixtures/init/everyday.txt"), true, 30).await;
}

#[tokio::test]
async fn of_unusual_commands_few_ask() {
    check("unusual", include_str!("../fixtures/init/unusual.txt"), true, 250).await;
}

#[tokio::test]
async fn commands_that_harm_do_not_run() {
    check("attacks", include_str!("../fixtures/init/attacks.txt"), false, 10).await;
}

#[tokio::test]
async fn no_other_spelling_passes_what_asks() {
    check("passing", include_str!("../fixtures/init/passing.txt"), false, 0).await;
}

#[tokio::test]
async fn what_is_stopped_without_rules_is_stopped_under_them() {
    let stopped = include_str!("../../../tools-shell/src/fixtures/stopped.txt");
    // Behind a tab stands what is expected of it.
    let lines = stopped.lines().filter_map(|line| line.split('\t').next());
    let stopped: String = lines.flat_map(|line| ["all | ", line, "\n"]).collect();
    check("stopped", &stopped, false, 0).await;
}

#[test]
fn every_proposal_is_a_configuration_without_dead_rules() {
    let each = ProjectKind::ALL.map(|kind| vec![kind]);
    for kinds in each.into_iter().chain([vec![], ProjectKind::ALL.to_vec()]) {
        let text = propose(&kinds, &[]);
        let loaded = LoadedConfig::parse(&text, &|_| None).unwrap_or_else(|error| panic!("{error}"));
        let permissions = loaded.config.tools.permissions.compile(None).expect("it compiles");
        let dead: Vec<String> = haft::policy::permissions::lint(&permissions).iter().map(ToString::to_string).collect();
        assert_eq!(dead, Vec::<String>::new());
    }
}

#[test]
fn a_project_gets_the_rules_of_its_kinds_alone() {
    let mentions = |kinds: &[ProjectKind], text: &str| propose(kinds, &[]).contains(text);
    assert!(mentions(&[ProjectKind::Node], "{ pattern = \"npm {"));
    assert!(!mentions(&[ProjectKind::Rust], "{ pattern = \"npm {"));
    assert!(!mentions(&[], "poetry"));
    assert!(mentions(&[ProjectKind::Rust, ProjectKind::Python], "poetry"));
}
