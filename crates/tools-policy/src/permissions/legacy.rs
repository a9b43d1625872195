//! Rules from the lists that the shell had before there were rules: `blocked_commands` deny, `confirm_patterns` ask.

use tools_core::Verdict;

use super::config::RuleConfig;
use crate::matching::escape;

/// First words of a pattern that make it one of SQL, wherever it stands in a command.
const STATEMENTS: &[&str] = &["alter", "delete", "drop", "truncate", "update"];

/// The rules that say what the lists say: denials before questions, the order of each list kept. Nothing is allowed by
/// them, so that what neither list names still asks.
pub fn from_legacy(blocked: &[String], confirmed: &[String]) -> Vec<RuleConfig> {
    let rules = |list: &[String], action: Verdict| -> Vec<RuleConfig> {
        let patterns = list.iter().flat_map(|text| patterns(text));
        patterns.map(|pattern| RuleConfig::new(pattern, action)).collect()
    };
    let mut all = rules(blocked, Verdict::Deny);
    all.extend(rules(confirmed, Verdict::Ask));
    all
}

/// The globs of a program with words that may stand anywhere among its arguments.
fn patterns(text: &str) -> Vec<String> {
    let words: Vec<String> = text.split_whitespace().map(escape).collect();
    let Some((program, rest)) = words.split_first() else { return vec![] };
    if STATEMENTS.contains(&program.to_lowercase().as_str()) && !rest.is_empty() {
        return vec![format!("*{}*", words.join(" "))];
    }
    if rest.is_empty() {
        return vec![program.clone(), format!("{program} *")];
    }
    vec![format!("{program} *{}*", rest.join("*"))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn denials_come_first_and_nothing_is_allowed() {
        let owned = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let rules = from_legacy(&owned(&["kubectl delete", "nc"]), &owned(&["rm", "drop table", "a [b", " "]));
        let found: Vec<_> = rules.iter().map(|rule| (rule.pattern.as_str(), rule.action)).collect();
        assert_eq!(
            found,
            [
                ("kubectl *delete*", Verdict::Deny),
                ("nc", Verdict::Deny),
                ("nc *", Verdict::Deny),
                ("rm", Verdict::Ask),
                ("rm *", Verdict::Ask),
                ("*drop table*", Verdict::Ask),
                (r"a *\[b*", Verdict::Ask),
            ]
        );
    }
}
