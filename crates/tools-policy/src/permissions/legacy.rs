//! Converts the older lists of the shell to rules: `blocked_commands` deny, `confirm_patterns` ask.

use tools_core::Verdict;

use super::config::RuleConfig;
use crate::matching::escape;

/// First words that make a pattern one of SQL, searched anywhere in a command.
const STATEMENTS: &[&str] = &["alter", "delete", "drop", "truncate", "update"];
/// Maximum number of words that may be in any order. With more, only the typed order is searched:
/// ten words have millions of orders.
const MAX_ANYWHERE: usize = 3;
/// Maximum number of letters in a cluster (`-uf`) before the searched one.
const LETTERS_BEFORE: usize = 5;

/// The rules for both lists: denials before questions, in the order of each list. They allow
/// nothing, so commands in neither list still ask.
pub fn from_legacy(blocked: &[String], confirmed: &[String]) -> Vec<RuleConfig> {
    let rules = |list: &[String], action: Verdict| -> Vec<RuleConfig> {
        let patterns = list.iter().flat_map(|text| patterns(text));
        patterns.map(|pattern| RuleConfig::new(pattern, action)).collect()
    };
    let mut all = rules(blocked, Verdict::Deny);
    all.extend(rules(confirmed, Verdict::Ask));
    all
}

/// Whether a pattern of the lists is one of SQL, not of a program.
fn is_statement(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default().to_lowercase();
    STATEMENTS.contains(&first.as_str()) && words.next().is_some()
}

/// Whether the rules of a pattern match every command that the list finds with it. Otherwise the
/// rules cannot replace the list.
pub fn is_covered_by_rules(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let Some((program, rest)) = words.split_first() else { return false };
    // A pattern that begins with `>` is a rule about writing.
    !is_statement(text)
        && !program.starts_with('>')
        && rest.len() <= MAX_ANYWHERE
        && rest.iter().enumerate().all(|(at, word)| {
            // A cluster may have any length and contain several of the letters.
            let others = || rest.iter().enumerate().filter(move |(other, _)| *other != at);
            Word(word).letter().is_none() && *word != "--" && !others().any(|(_, other)| covers(word, other))
        })
}

/// Whether every argument that matches `other` also matches `word`.
fn covers(word: &str, other: &str) -> bool {
    let rest = other.strip_prefix(word);
    rest.is_some_and(|rest| rest.is_empty() || (word.starts_with("--") && rest.starts_with(['=', '-'])))
}

/// The globs of a program with words that may stand anywhere among its arguments.
fn patterns(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if is_statement(text) {
        // SQL ignores case; upper and lower case are searched.
        let statement = words.join(" ");
        let (lower, upper) = (statement.to_lowercase(), statement.to_uppercase());
        return [lower, upper].map(|statement| format!("*{}*", escape(&statement))).into();
    }
    let Some((program, rest)) = words.split_first() else { return vec![] };
    let program = escape(program);
    if rest.is_empty() {
        return vec![program.clone(), format!("{program} *")];
    }
    let orders = if rest.len() <= MAX_ANYWHERE { orders(rest) } else { vec![rest.to_vec()] };
    orders.iter().flat_map(|order| in_order(&program, order)).collect()
}

/// The globs of a program with words in this order among its arguments.
fn in_order(program: &str, words: &[&str]) -> Vec<String> {
    let mut begun = program.to_owned();
    for (at, word) in words.iter().enumerate() {
        // Directly after, or with other arguments between.
        begun.push_str(match at {
            0 => "{ , * }",
            _ => Word(words[at - 1]).gap(),
        });
        begun.push_str(&Word(word).glob());
    }
    match words.last().map(|word| Word(word).behind()) {
        Some(Behind::Anything) => vec![format!("{begun}*")],
        Some(Behind::Apart(more)) => vec![begun.clone(), format!("{begun}{more}*")],
        None => vec![],
    }
}

/// A word that is searched among arguments.
struct Word<'a>(&'a str);

/// Text that may follow a word.
enum Behind {
    /// The rest of the same word.
    Anything,
    /// A separator.
    Apart(&'static str),
}

impl Word<'_> {
    /// The letter of a short option.
    fn letter(&self) -> Option<&str> {
        self.0.strip_prefix('-').filter(|rest| rest.chars().count() == 1 && *rest != "-")
    }

    fn glob(&self) -> String {
        let Some(letter) = self.letter() else { return escape(self.0) };
        let letter = escape(letter);
        let before = |count: usize| match count {
            0 => format!("-{letter}"),
            _ => format!("-[! -]{}{letter}", "[! ]".repeat(count - 1)),
        };
        format!("{{{}}}", (0..=LETTERS_BEFORE).map(before).collect::<Vec<_>>().join(","))
    }

    /// The glob between this word and the next one.
    fn gap(&self) -> &'static str {
        match self.behind() {
            Behind::Anything => "{ ,* }",
            Behind::Apart(" ") => "{ , * }",
            Behind::Apart(_) => "{ , * ,=* ,-* }",
        }
    }

    fn behind(&self) -> Behind {
        if self.letter().is_some() {
            Behind::Anything
        } else if self.0.starts_with("--") {
            // `--force` also covers `--force-with-lease` and `--force=x`.
            Behind::Apart("{ ,=,-}")
        } else {
            Behind::Apart(" ")
        }
    }
}

/// All orders of a few words.
fn orders<'a>(words: &[&'a str]) -> Vec<Vec<&'a str>> {
    if words.len() <= 1 {
        return vec![words.to_vec()];
    }
    let mut all = Vec::new();
    for (at, first) in words.iter().enumerate() {
        let others: Vec<&str> =
            words.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, word)| *word).collect();
        all.extend(orders(&others).into_iter().map(|rest| [vec![*first], rest].concat()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::{Patterns, SeparatorRule, command_glob};

    #[test]
    fn denials_come_first_and_nothing_is_allowed() {
        let owned = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let rules = from_legacy(&owned(&["kubectl delete", "nc"]), &owned(&["rm", "drop table", "a [b", " "]));
        let found: Vec<_> = rules.iter().map(|rule| (rule.pattern.as_str(), rule.action)).collect();
        assert_eq!(
            found,
            [
                ("kubectl{ , * }delete", Verdict::Deny),
                ("kubectl{ , * }delete *", Verdict::Deny),
                ("nc", Verdict::Deny),
                ("nc *", Verdict::Deny),
                ("rm", Verdict::Ask),
                ("rm *", Verdict::Ask),
                ("*drop table*", Verdict::Ask),
                ("*DROP TABLE*", Verdict::Ask),
                (r"a{ , * }\[b", Verdict::Ask),
                (r"a{ , * }\[b *", Verdict::Ask),
            ]
        );
    }

    #[test]
    fn what_rules_cannot_say_is_told() {
        let check = |text: &str, expected: bool| assert_eq!(is_covered_by_rules(text), expected, "{text}");
        for text in
            ["nc", "kubectl delete", "git push --force", "aws s3 rm --recursive", "./run.sh x", "a -xy", "a - b"]
        {
            check(text, true);
        }
        for text in
            ["tar -x -f", "git push -f", "docker run --privileged -v --net=host", "chmod -R 777", "a --", "a -é"]
        {
            check(text, false);
        }
        for text in ["a b c d e", "a b b", "a --b --b=c", "a --b-c --b", "drop table", "", " ", ">", "> x"] {
            check(text, false);
        }
        check("a --b --bc", true);
        check("a b b=c", true);
    }

    #[test]
    fn words_are_found_where_the_lists_find_them() {
        let check = |text: &str, command: &str, expected: bool| {
            let globs: Vec<_> = patterns(text).iter().map(|pattern| command_glob(pattern)).enumerate().collect();
            let compiled = Patterns::compile(&globs, SeparatorRule::Everything).unwrap();
            assert_eq!(compiled.first(command).is_some(), expected, "{text}: {command}");
        };
        check("git push -f", "git push origin main -f", true);
        check("git push -f", "git push -uf origin", true);
        check("git push -f", "git push -fu origin", true);
        check("git push -f", "git -f push", true);
        check("git push -f", "git push", false);
        check("git push -f", "git push -u origin feature", false);
        check("git push -f", "git push --follow-tags", false);
        check("git push -f", "git pull -f", false);
        check("git push --force", "git push --force-with-lease", true);
        check("git push --force", "git push --force=yes x", true);
        check("git push --force", "git --force push", true);
        check("git push --force", "git push --forced", false);
        check("kubectl delete", "kubectl -n a delete pod x", true);
        check("kubectl delete", "kubectl delete", true);
        check("kubectl delete", "kubectl get pod delete-me", false);
        check("kubectl delete", "kubectlx delete", false);
        check("nc", "nc -l", true);
        check("nc", "ncat", false);
        check("a -b c d", "a d c -xb", true);
    }
}
