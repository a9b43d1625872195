//! What can be added to a call, or put in front of its rules, never loosens the decision.

use std::path::Path;

use proptest::prelude::*;
use tools_core::{Access, ConfirmReason, Inspection, Subject, ToolTraits, TrustLevel, Verdict};
use tools_policy::permissions::{PermissionsConfig, RuleConfig};

use crate::decisions::{judge, tool};

fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "ls", "cd", "a b", "a c", "ls a", "cd b", "/etc/x", "/w/a"])
}

fn command() -> impl Strategy<Value = Subject> {
    word().prop_map(|text| {
        let mut words = text.split(' ').map(str::to_owned);
        let program = words.next().unwrap_or_default();
        Subject::Command { line: text.to_owned(), program, argv: words.collect(), via: vec![] }
    })
}

fn path() -> impl Strategy<Value = Subject> {
    let access = prop::sample::select(vec![Access::Read, Access::Write, Access::Delete]);
    (prop::sample::select(vec!["/etc/x", "/w/a", "/w/src/b", "/w"]), access)
        .prop_map(|(path, access)| Subject::path(path, access))
}

fn subject() -> impl Strategy<Value = Subject> {
    prop_oneof![command(), path(), Just(Subject::Opaque { why: "eval".into() })]
}

fn rule() -> impl Strategy<Value = RuleConfig> {
    let pattern = prop::sample::select(vec![
        "*", "a", "a *", "a b", "*b", "ls*", "cd b", "/etc/*", "src/**", "/w/*", "a; b", "**/b", "> src/**", "> *",
    ]);
    let action = prop::sample::select(vec![Verdict::Allow, Verdict::Ask, Verdict::Deny]);
    (pattern, action).prop_map(|(pattern, action)| RuleConfig::new(pattern, action))
}

fn whole(subjects: &[Subject]) -> Subject {
    let line = subjects.iter().map(Subject::text).collect::<Vec<_>>().join("; ");
    Subject::Command { line, program: String::new(), argv: vec![], via: vec![] }
}

/// A call of a shell: its whole line when there are several, and at least one command.
fn shell_call() -> impl Strategy<Value = Inspection> {
    (prop::collection::vec(command(), 1..4), prop::collection::vec(path(), 0..2)).prop_map(|(commands, paths)| {
        let line = (commands.len() > 1).then(|| whole(&commands));
        Inspection { subjects: line.into_iter().chain(commands).chain(paths).collect(), ..Inspection::default() }
    })
}

fn file_call() -> impl Strategy<Value = Inspection> {
    prop::collection::vec(path(), 1..3).prop_map(|subjects| Inspection { subjects, ..Inspection::default() })
}

fn verdict(
    tool_name: &str,
    traits: ToolTraits,
    rules: &[RuleConfig],
    inspection: &Inspection,
    trust: TrustLevel,
) -> Verdict {
    let mut config = PermissionsConfig::default();
    if !rules.is_empty() {
        config.tools.insert(tool_name.to_owned(), rules.to_vec());
    }
    let permissions = config.compile(Some(Path::new("/home/ann"))).unwrap();
    judge(&permissions, &tool(tool_name, traits), inspection, trust).0
}

fn traits() -> impl Strategy<Value = ToolTraits> {
    prop::sample::select(vec![ToolTraits::READ_ONLY, ToolTraits::EDIT, ToolTraits::FETCH, ToolTraits::CAUTIOUS])
}

const LEVELS: [TrustLevel; 3] = [TrustLevel::Untrusted, TrustLevel::Provisional, TrustLevel::Trusted];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn one_more_subject_never_loosens(
        rules in prop::collection::vec(rule(), 0..5), call in shell_call(), more in subject(), traits in traits(),
    ) {
        let before = verdict("bash", traits, &rules, &call, TrustLevel::Trusted);
        let after = verdict("bash", traits, &rules, &call.touching(more), TrustLevel::Trusted);
        prop_assert!(after >= before, "{before:?} became {after:?}");
    }

    #[test]
    fn one_more_path_never_loosens(
        rules in prop::collection::vec(rule(), 0..5), call in file_call(), more in path(), traits in traits(),
    ) {
        let before = verdict("write", traits, &rules, &call, TrustLevel::Trusted);
        let after = verdict("write", traits, &rules, &call.touching(more), TrustLevel::Trusted);
        prop_assert!(after >= before, "{before:?} became {after:?}");
    }

    #[test]
    fn a_denial_in_front_lower_trust_and_a_wish_for_a_person_never_loosen(
        rules in prop::collection::vec(rule(), 1..5),
        denied in rule(),
        call in prop_oneof![shell_call(), file_call()],
        traits in traits(),
        levels in (0_usize..3, 0_usize..3),
    ) {
        let (low, high) = (LEVELS[levels.0.min(levels.1)], LEVELS[levels.0.max(levels.1)]);
        let before = verdict("x", traits, &rules, &call, high);
        prop_assert!(verdict("x", traits, &rules, &call, low) >= before);
        let mut stricter = vec![RuleConfig { action: Verdict::Deny, ..denied }];
        stricter.extend(rules.iter().cloned());
        prop_assert!(verdict("x", traits, &stricter, &call, high) >= before);
        let wish = ConfirmReason::new("r", "r");
        let wished = verdict("x", traits, &rules, &call.confirming(wish), high);
        // Only a rule without wildcards answers it.
        let names = |rule: &RuleConfig| rule.action == Verdict::Allow && !rule.pattern.contains(['*', '>']);
        let least = if rules.iter().any(names) { before } else { before.max(Verdict::Ask) };
        prop_assert!(wished >= least);
    }

    #[test]
    fn every_pattern_compiles_or_is_refused_and_any_text_is_judged(
        pattern in any::<String>(), text in any::<String>(), path in "[/a-z.*~{}\\[\\]\\\\]{0,12}",
    ) {
        let mut config = PermissionsConfig::default();
        for pattern in [pattern, path.clone()] {
            config.tools.insert("bash".into(), vec![RuleConfig::new(pattern, Verdict::Deny)]);
            let Ok(permissions) = config.compile(Some(Path::new("/home/[ann]"))) else { continue };
            let command = Subject::Command { line: text.clone(), program: text.clone(), argv: vec![], via: vec![] };
            for subject in [command, Subject::path(format!("/{path}"), Access::Write)] {
                judge(&permissions, &tool("bash", ToolTraits::CAUTIOUS), &Inspection::default().touching(subject), TrustLevel::Trusted);
            }
        }
    }
}
