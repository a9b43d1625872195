//! A pattern, a newline, and any text as a path and as an opaque subject: a deny rule never permits
//! more than no rule, and an allow rule is never stricter than a deny rule.

use std::{collections::BTreeMap, path::Path, sync::LazyLock};

use tools_core::{
    Access, ConfiguredFiles, Inspection, Subject, ToolDef, ToolKind, ToolName, ToolTraits, TrustLevel, Verdict,
};
use tools_policy::permissions::{PermissionsConfig, Question, RuleConfig, SessionView, decide};

static TOOL: LazyLock<ToolDef> = LazyLock::new(|| {
    let name = ToolName::parse("bash").expect("a name");
    let schema = serde_json::json!({"type": "object"}).try_into().expect("a schema");
    ToolDef::new(name, "Runs a command.", schema, ToolKind::Execute, ToolTraits::CAUTIOUS)
});

pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (pattern, subject) = text.split_once('\n').unwrap_or((text, "cargo test --workspace"));
    let subjects =
        [Subject::path(Path::new("/w").join(subject), Access::Write), Subject::Opaque { why: subject.to_owned() }];
    for subject in subjects {
        let verdict = |rules: &[Verdict]| judged(pattern, rules, subject.clone());
        let (Some(none), Some(allow), Some(deny)) =
            (verdict(&[]), verdict(&[Verdict::Allow]), verdict(&[Verdict::Deny]))
        else {
            return;
        };
        assert!(deny >= none, "a rule that denies loosens nothing");
        assert!(deny >= allow, "a rule that denies is the strictest");
        assert_eq!(verdict(&[Verdict::Deny, Verdict::Allow]), Some(deny), "the first rule decides");
    }
}

/// The decision under rules with one pattern; `None` if the pattern is not valid.
fn judged(pattern: &str, actions: &[Verdict], subject: Subject) -> Option<Verdict> {
    let rules: Vec<RuleConfig> = actions.iter().map(|action| RuleConfig::new(pattern, *action)).collect();
    let config = PermissionsConfig { tools: BTreeMap::from([("bash".to_owned(), rules)]) };
    let permissions = config.compile(Some(Path::new("/home/me"))).ok()?;
    let inspection = Inspection::mutating().touching(subject);
    let question = Question {
        definition: &TOOL,
        inspection: &inspection,
        trust: TrustLevel::Trusted,
        workdir: Path::new("/w"),
        session: &SessionView::default(),
        configured: &ConfiguredFiles::default(),
    };
    Some(decide(&permissions, &question).verdict)
}
