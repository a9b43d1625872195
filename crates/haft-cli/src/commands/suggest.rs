//! `haft policy suggest`: proposes the few rules that would have avoided most questions, with the
//! calls that each would have allowed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use haft::command::is_open_ended;
use haft::core::{SessionId, StoredRule, Subject, Verdict, canonical_json};
use haft::{Explanation, Toolbox};
use serde_json::{Value, json};

use crate::args::CommonArgs;
use crate::commands::open::open;
use crate::commands::replay::{RecordedCall, past};
use crate::exit::Exit;
use crate::output::{self, one_line};

/// Maximum number of different questions considered, the most frequent first.
const QUESTIONS: usize = 1_000;
/// Maximum number of rules tried.
const CANDIDATES: usize = 200;

/// A recorded question and how often it was asked.
struct RecordedQuestion {
    past: RecordedCall,
    explained: Explanation,
    count: usize,
    declined: bool,
}

/// A rule and the indices of the questions it would have answered.
struct Proposal {
    rule: StoredRule,
    answered: BTreeSet<usize>,
}

/// Prints the proposed rules.
pub(crate) async fn run(common: &CommonArgs, audit: Option<&Path>, most: usize) -> Result<Exit, String> {
    let toolbox = open(common)?;
    let asked = questions(&toolbox, past(&toolbox, audit).await?).await;
    let mut proposals = Vec::new();
    for rule in candidates(&asked) {
        proposals.push(tried(&toolbox, rule, &asked).await);
    }
    let total: usize = asked.iter().map(|one| one.count).sum();
    let chosen = choose(proposals, &asked, most);
    let mut answered = BTreeSet::new();
    for proposal in &chosen {
        print(common, proposal, &asked);
        answered.extend(proposal.answered.iter().copied());
    }
    if !common.json {
        let spared: usize = answered.iter().map(|number| asked[*number].count).sum();
        output::line(&format!("rules: {}; questions that they would have avoided: {spared} of {total}", chosen.len()));
    }
    Ok(Exit::Ok)
}

/// Recorded calls that this configuration asks about, each once, the most frequent first.
async fn questions(toolbox: &Toolbox, all: Vec<RecordedCall>) -> Vec<RecordedQuestion> {
    let mut by_call: BTreeMap<String, (RecordedCall, usize, bool)> = BTreeMap::new();
    for past in all {
        let key = format!("{} {}", past.call.tool, canonical_json(&Value::Object(past.call.params.clone())));
        let declined = past.verdict == Verdict::Ask && !past.ran;
        let entry = by_call.entry(key).or_insert_with(|| (past.clone(), 0, true));
        // An answered question has two lines: the refusal, and the call that ran.
        entry.1 += usize::from(past.verdict != Verdict::Ask || !past.ran);
        entry.2 &= declined;
    }
    let mut asked = Vec::new();
    for (past, count, declined) in by_call.into_values() {
        let explained = past.judged(toolbox).await;
        if explained.verdict == Verdict::Ask {
            asked.push(RecordedQuestion { past, explained, count: count.max(1), declined });
        }
    }
    asked.sort_by_key(|one| std::cmp::Reverse(one.count));
    asked.truncate(QUESTIONS);
    asked
}

/// Rules to try: the one that "always" would have stored and, if two questions share it, the same
/// with any arguments.
fn candidates(asked: &[RecordedQuestion]) -> Vec<StoredRule> {
    let mut weights: BTreeMap<(String, String), (StoredRule, usize)> = BTreeMap::new();
    let mut add = |rule: StoredRule, count: usize| {
        let key = (rule.tool.to_string(), rule.pattern.clone());
        weights.entry(key).or_insert((rule, 0)).1 += count;
    };
    for one in asked {
        if let Some(rule) = &one.explained.would_store {
            add(rule.clone(), one.count);
        }
        for part in one.explained.subjects.iter().filter(|part| part.verdict == Verdict::Ask) {
            for pattern in general(&part.subject) {
                add(StoredRule::new(one.explained.tool.clone(), pattern), one.count);
            }
        }
    }
    let mut rules: Vec<_> = weights.into_values().collect();
    rules.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    rules.into_iter().take(CANDIDATES).map(|(rule, _)| rule).collect()
}

/// Patterns of a command with any further arguments: for its subcommand, and for the program.
fn general(subject: &Subject) -> Vec<String> {
    let Subject::Command { line, program, argv, .. } = subject else { return vec![] };
    let is_plain = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'));
    if program.is_empty() || !is_plain(program) || !line.starts_with(program.as_str()) {
        return vec![];
    }
    let mut patterns = Vec::new();
    if let Some(word) = argv.first().filter(|word| is_plain(word) && !word.starts_with('-'))
        && line.starts_with(&format!("{program} {word}"))
    {
        patterns.push(format!("{program} {word}*"));
    }
    if !is_open_ended(program) {
        patterns.push(format!("{program} *"));
    }
    patterns
}

/// Finds the questions that a rule would have answered.
async fn tried(toolbox: &Toolbox, rule: StoredRule, asked: &[RecordedQuestion]) -> Proposal {
    let session = SessionId::generate();
    toolbox.parts().gates.allow_for_session(&session, rule.clone());
    let cx = toolbox.context().in_session(session);
    let mut answered = BTreeSet::new();
    for (number, one) in asked.iter().enumerate().filter(|(_, one)| one.explained.tool == rule.tool) {
        if toolbox.explain(one.past.call.clone(), &cx).await.verdict == Verdict::Allow {
            answered.insert(number);
        }
    }
    toolbox.end_session(cx.session());
    Proposal { rule, answered }
}

/// Greedily picks the rules that answer most of the remaining questions; on a tie the narrower
/// rule.
fn choose(mut proposals: Vec<Proposal>, asked: &[RecordedQuestion], most: usize) -> Vec<Proposal> {
    let mut chosen: Vec<Proposal> = Vec::new();
    let mut answered: BTreeSet<usize> = BTreeSet::new();
    while chosen.len() < most {
        let gain = |proposal: &Proposal| -> usize {
            proposal.answered.difference(&answered).map(|number| asked[*number].count).sum()
        };
        let best = proposals.iter().enumerate().max_by_key(|(_, proposal)| {
            let wildcards = proposal.rule.pattern.matches('*').count();
            (gain(proposal), std::cmp::Reverse(wildcards), proposal.rule.pattern.len())
        });
        let Some((position, _)) = best.filter(|(_, proposal)| gain(proposal) > 0) else { break };
        let proposal = proposals.swap_remove(position);
        answered.extend(proposal.answered.iter().copied());
        chosen.push(proposal);
    }
    chosen
}

fn print(common: &CommonArgs, proposal: &Proposal, asked: &[RecordedQuestion]) {
    let let_through: Vec<&RecordedQuestion> = proposal.answered.iter().map(|number| &asked[*number]).collect();
    let spared: usize = let_through.iter().map(|one| one.count).sum();
    if common.json {
        let calls: Vec<Value> = let_through
            .iter()
            .map(|one| json!({"about": one.past.about(), "count": one.count, "declined": one.declined}))
            .collect();
        return output::json(&json!({"rule": proposal.rule, "spares": spared, "lets_through": calls}));
    }
    output::line(&format!("{} {:?} = allow   questions avoided: {spared}", proposal.rule.tool, proposal.rule.pattern));
    for one in let_through {
        let declined = if one.declined { "   NOBODY AGREED TO IT" } else { "" };
        output::line(&format!("    {:>4} × {}{declined}", one.count, one_line(&one.past.about())));
    }
    if proposal.rule.pattern.ends_with('*') {
        output::line("         and anything else starting with this");
    }
}
