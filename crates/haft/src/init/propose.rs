//! The proposed rules as the text of a configuration: parts that are files of their own, put together. Pure.

use super::detect::ProjectKind;

/// Everyday commands of every project.
const COMMON: &str = include_str!("common.toml");
/// What file tools may do.
const FILES: &str = include_str!("files.toml");

/// What a project of one kind adds.
fn part(kind: ProjectKind) -> &'static str {
    match kind {
        ProjectKind::Rust => include_str!("rust.toml"),
        ProjectKind::Node => include_str!("node.toml"),
        ProjectKind::Python => include_str!("python.toml"),
    }
}

/// Folders that builds of a kind fill: writing there by redirection needs no question.
fn outputs(kind: ProjectKind) -> &'static [&'static str] {
    match kind {
        ProjectKind::Rust => &["target/doc/**"],
        ProjectKind::Node => &["coverage/**", "dist/**"],
        ProjectKind::Python => &["htmlcov/**"],
    }
}

/// The proposed configuration for a project. The toolchains of other kinds follow those it has: scripts in another
/// language stand in most repositories, and each call is confined all the same.
pub fn propose(kinds: &[ProjectKind]) -> String {
    let named: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    let of = if named.is_empty() {
        "a project of no kind that is known".to_owned()
    } else {
        format!("a project of: {}", named.join(", "))
    };
    let mut text = format!(
        "# Rules for {of}.\n#\n\
         # The first rule that matches a command decides about it; each command of a line needs its own. What no rule\n\
         # matches asks. `haft explain bash '{{\"command\": \"…\"}}'` says what would be decided, `haft policy suggest` reads\n\
         # in the record which rules would spare most questions.\n\n\
         [tools.permissions]\nbash = [\n"
    );
    let others = ProjectKind::ALL.into_iter().filter(|kind| !kinds.contains(kind));
    let all: Vec<ProjectKind> = kinds.iter().copied().chain(others).collect();
    let (mut asks, mut allows) = (String::new(), String::new());
    for kind in &all {
        // Questions of all kinds, with what is allowed out of them, stand before whatever allows.
        let (before, after) = part(*kind).split_once("\n\n").unwrap_or(("", part(*kind)));
        asks.push_str(before);
        asks.push('\n');
        allows.push_str(after);
    }
    let common_asks = COMMON.find("\n\n").map_or(0, |end| end + 1);
    text.push_str(&COMMON[..common_asks]);
    text.push_str(&asks);
    let folders: Vec<&str> = kinds.iter().flat_map(|kind| outputs(*kind)).copied().collect();
    if !folders.is_empty() {
        text.push_str("\n    # What builds write.\n");
    }
    for folder in folders {
        text.extend(["    { pattern = \"> ", folder, "\", action = \"allow\" },\n"]);
    }
    text.push('\n');
    text.push_str(&allows);
    text.push_str(&COMMON[common_asks..]);
    text.push_str("]\n");
    text.push_str(FILES);
    text
}

#[cfg(test)]
mod tests {
    use tools_core::{ToolCall, Verdict};

    use super::*;
    use crate::{
        Toolbox,
        config::{HaftConfig, Loaded},
    };

    #[test]
    fn every_proposal_is_a_configuration_without_dead_rules() {
        for kinds in [&[][..], &[ProjectKind::Rust], &[ProjectKind::Node, ProjectKind::Python], &ProjectKind::ALL] {
            let text = propose(kinds);
            let loaded = Loaded::<HaftConfig>::parse(&text, &|_| None).unwrap_or_else(|error| panic!("{error}"));
            let permissions = loaded.config.tools.permissions.compile(None).expect("it compiles");
            let dead: Vec<String> =
                tools_policy::permissions::lint(&permissions).iter().map(ToString::to_string).collect();
            assert_eq!(dead, Vec::<String>::new());
        }
    }

    #[tokio::test]
    async fn everyday_commands_run_and_attacks_do_not() {
        let lines = |fixture: &str| fixture.lines().map(|line| line.replace('⏎', "\n")).collect::<Vec<_>>();
        let everyday = lines(include_str!("../../../tools-shell/src/fixtures/passed.txt"));
        let attacks = lines(include_str!("../../../tools-shell/src/fixtures/stopped.txt"));
        let workspace = tools_testkit::Workspace::new();
        for kind in ProjectKind::ALL {
            let mut loaded = Loaded::<HaftConfig>::parse(&propose(&[kind]), &|_| None).expect("it is valid");
            loaded.config.tools.audit.enabled = false;
            let toolbox = Toolbox::builder(loaded).workdir(workspace.dir("work")).build().expect("it can be built");
            let allowed = async |line: &String| {
                let call = ToolCall::new("bash", serde_json::json!({ "command": line })).expect("an object");
                toolbox.explain(call, &toolbox.context()).await.verdict == Verdict::Allow
            };
            for line in &attacks {
                assert!(!allowed(line).await, "{line}");
            }
            let mut asked = 0;
            for line in &everyday {
                asked += usize::from(!allowed(line).await);
            }
            // The list holds pushes, containers and clouds too, about which a person should be asked.
            assert!(asked * 100 < everyday.len() * 13, "{asked} of {} ask", everyday.len());
        }
    }
}
