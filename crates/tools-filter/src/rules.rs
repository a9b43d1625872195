//! Rules: a command and the strategies for it. Each is read from TOML separately, so that a wrong
//! rule does not affect others.

use std::mem::discriminant;
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use toml::{Table, Value};
use tools_automata::ascii;

use crate::{
    CommandMatcher, ParsedCommand, StrategyConfig, StrategyError,
    strategy::{Facts, Reducer, Strategy},
};

/// Maximum bytes of a `filters.toml`.
pub const MAX_RULES_BYTES: usize = 1 << 20;
/// Maximum number of characters of a pattern.
pub const MAX_PATTERN: usize = 512;

/// A rule as it is written in `filters.toml`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleConfig {
    /// Its name. A rule replaces the built-in one of the same name.
    pub name: String,
    /// Commands that the rule matches.
    #[serde(rename = "match")]
    pub matches: MatchConfig,
    /// Steps that shorten their output; a list of tables is a sequence.
    #[serde(deserialize_with = "one_or_more")]
    #[schemars(with = "StrategyConfig")]
    pub strategy: Vec<StrategyConfig>,
    /// Whether the rule is in force.
    #[serde(default = "yes")]
    pub enabled: bool,
}

/// Commands that a rule matches: exactly one of the three.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MatchConfig {
    /// The whole command.
    pub exact: Option<String>,
    /// Its first words; a list gives alternatives.
    #[serde(deserialize_with = "text_or_texts")]
    #[schemars(with = "Option<String>")]
    pub prefix: Option<Vec<String>>,
    /// A regular expression of at most 512 characters.
    pub regex: Option<String>,
}

fn yes() -> bool {
    true
}

fn one_or_more<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<StrategyConfig>, D::Error> {
    let items = match Value::deserialize(deserializer)? {
        Value::Array(items) => items,
        single => vec![single],
    };
    items.into_iter().map(|item| item.try_into().map_err(serde::de::Error::custom)).collect()
}

fn text_or_texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(text) => Ok(Some(vec![text])),
        Value::Array(items) => {
            let texts = items.into_iter().map(|item| match item {
                Value::String(text) => Ok(text),
                other => Err(serde::de::Error::custom(format!("expected a string, found {}", other.type_str()))),
            });
            texts.collect::<Result<_, _>>().map(Some)
        }
        other => Err(serde::de::Error::custom(format!("expected a string, found {}", other.type_str()))),
    }
}

/// Reason why a rule, or a file of rules, is not in force.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// The file is too long; the built-in rules are in force.
    #[error("filters.toml has more than {MAX_RULES_BYTES} bytes; the built-in rules are used")]
    TooLong,
    /// Something in the file is not TOML, or not a rule.
    #[error("rule `{name}` is skipped: {problem}")]
    Rule {
        /// The rule's name, or its number when it has none.
        name: String,
        /// The problem.
        problem: String,
    },
    /// A part of the file is not a rule.
    #[error("filters.toml: {0}")]
    File(String),
}

/// A rule whose parts are all checked.
pub struct Rule {
    name: String,
    matcher: CommandMatcher,
    /// Read and compiled at first use, since a session uses only a few rules.
    configs: OnceLock<Vec<StrategyConfig>>,
    text: &'static str,
    strategies: OnceLock<Vec<Arc<dyn Strategy>>>,
    is_builtin: bool,
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rule").field("name", &self.name).field("matcher", &self.matcher).finish_non_exhaustive()
    }
}

impl Rule {
    /// A rule of the host.
    ///
    /// # Errors
    /// When a strategy's parameters are wrong.
    pub fn new(
        name: impl Into<String>,
        matcher: CommandMatcher,
        strategies: Vec<StrategyConfig>,
    ) -> Result<Self, StrategyError> {
        let rule = Self::of(name.into(), matcher, strategies);
        let compiled = rule.configs().iter().map(StrategyConfig::compile).collect::<Result<_, _>>()?;
        let _ = rule.strategies.set(compiled);
        Ok(rule)
    }

    fn of(name: String, matcher: CommandMatcher, configs: Vec<StrategyConfig>) -> Self {
        Self {
            name,
            matcher,
            configs: OnceLock::from(configs),
            text: "",
            strategies: OnceLock::new(),
            is_builtin: false,
        }
    }

    fn configs(&self) -> &[StrategyConfig] {
        self.configs.get_or_init(|| {
            let entries = read(self.text).0.into_iter();
            entries.flat_map(|entry| if let Entry::Rule(rule, _) = entry { rule.strategy } else { vec![] }).collect()
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the rule applies to this command.
    pub fn matches(&self, command: &ParsedCommand) -> bool {
        self.matcher.matches(command)
    }

    /// Whether the rule only shortens overlong lines or search hits: its commands print file
    /// content, in which blank lines matter.
    pub(crate) fn shows_content(&self) -> bool {
        self.configs().iter().all(|config| matches!(config, StrategyConfig::LongLines(_) | StrategyConfig::Hits(_)))
    }

    /// Whether the general stages may follow its strategies. Not for a user's rule, whose result is
    /// what the user wants, and not for content such as a diff or a file list.
    pub(crate) fn allows_general_stages(&self) -> bool {
        let is_content = |config: &StrategyConfig| {
            matches!(
                config,
                StrategyConfig::GitDiff(_)
                    | StrategyConfig::Listing(_)
                    | StrategyConfig::Columns(_)
                    | StrategyConfig::Dedup(_)
            )
        };
        self.is_builtin && !self.shows_content() && !self.configs().iter().any(is_content)
    }

    /// Whether this is a built-in rule for search results.
    pub(crate) fn searches(&self) -> bool {
        self.is_builtin && self.configs().iter().any(|config| matches!(config, StrategyConfig::Hits(_)))
    }

    /// Whether this is a built-in rule for a file list.
    pub(crate) fn lists_files(&self) -> bool {
        self.is_builtin && self.configs().iter().any(|config| matches!(config, StrategyConfig::Listing(_)))
    }

    /// Whether this is a built-in rule for tables and logs.
    pub(crate) fn shows_tables(&self) -> bool {
        let is_table =
            |config: &StrategyConfig| matches!(config, StrategyConfig::Columns(_) | StrategyConfig::Dedup(_));
        self.is_builtin && self.configs().iter().any(is_table)
    }

    /// Whether this rule is for test runs.
    pub(crate) fn knows_tests(&self) -> bool {
        self.configs().iter().any(|config| matches!(config, StrategyConfig::TestSummary(_)))
    }

    /// Whether its strategies change only lines they recognise, so the output may contain other
    /// text too. True for built-in rules that are not for lists or content.
    pub(crate) fn shares_output(&self) -> bool {
        let is_list = |config: &StrategyConfig| {
            matches!(config, StrategyConfig::Listing(_) | StrategyConfig::Columns(_) | StrategyConfig::Dedup(_))
        };
        self.is_builtin && !self.shows_content() && !self.configs().iter().any(is_list)
    }

    /// Like [`start`](Self::start), without strategies of a kind that another rule has too.
    pub(crate) fn start_without_duplicates(&self, others: &[&Self], facts: &Facts) -> Vec<Box<dyn Reducer>> {
        let has = |other: &&Self, config: &StrategyConfig| {
            let is_same = |own: &StrategyConfig| match own {
                StrategyConfig::StripNoise(_) => own == config,
                _ => discriminant(own) == discriminant(config),
            };
            other.configs().iter().any(is_same)
        };
        let own = self.configs().iter().zip(self.start(facts));
        own.filter(|(config, _)| !others.iter().any(|other| has(other, config))).map(|(_, reducer)| reducer).collect()
    }

    pub(crate) fn start(&self, facts: &Facts) -> Vec<Box<dyn Reducer>> {
        // User rules were compiled when they were read; a test compiles the built-in ones.
        let compile = || self.configs().iter().filter_map(|config| config.compile().ok()).collect();
        self.strategies.get_or_init(compile).iter().map(|strategy| strategy.start(facts)).collect()
    }
}

impl MatchConfig {
    fn compile(&self) -> Result<CommandMatcher, String> {
        match (&self.exact, &self.prefix, &self.regex) {
            (Some(text), None, None) if !text.trim().is_empty() => Ok(CommandMatcher::Exact(text.trim().to_owned())),
            (None, Some(prefixes), None) if !prefixes.is_empty() && prefixes.iter().all(|p| !p.trim().is_empty()) => {
                Ok(CommandMatcher::Prefix(prefixes.clone()))
            }
            (None, None, Some(regex)) => {
                if regex.chars().count() > MAX_PATTERN {
                    return Err(format!("`match.regex` has more than {MAX_PATTERN} characters"));
                }
                let compiled = regex::RegexBuilder::new(regex).size_limit(1 << 20).build();
                compiled.map(CommandMatcher::Regex).map_err(|_| format!("`{regex}` is not a valid regular expression"))
            }
            _ => Err("`match` needs exactly one of `exact`, `prefix`, `regex`, and it must not be empty".to_owned()),
        }
    }
}

/// The result of reading one entry of a file.
pub(crate) enum Entry {
    Rule(Box<RuleConfig>, CommandMatcher),
    /// A rule that is switched off, together with the built-in rule of that name.
    Off(String),
}

impl Entry {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Rule(config, _) => &config.name,
            Self::Off(name) => name,
        }
    }

    /// The built-in rule, compiled at first use.
    pub(crate) fn into_lazy_rule(self) -> Option<Rule> {
        match self {
            Self::Rule(config, matcher) => {
                Some(Rule { is_builtin: true, ..Rule::of(config.name, matcher, config.strategy) })
            }
            Self::Off(_) => None,
        }
    }
}

/// The rules of a valid text. Reads only the commands of each rule, which takes a tenth of a
/// millisecond; reading everything takes twenty times as long.
pub(crate) fn index(text: &'static str) -> Vec<Rule> {
    let starts: Vec<usize> = text.match_indices("[[rules]]\n").map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).filter_map(|(start, end)| indexed(&text[*start..end])).collect()
}

fn indexed(text: &'static str) -> Option<Rule> {
    let name = between(text, "name = \"", "\"")?;
    let about = between(text, "match = { ", " }\n")?;
    let matcher = if let Some(list) = about.strip_prefix("prefix = ") {
        CommandMatcher::Prefix(list.split('"').skip(1).step_by(2).map(str::to_owned).collect())
    } else {
        let pattern = between(about, "regex = '", "'")?;
        let regex: OnceLock<Option<regex::Regex>> = OnceLock::new();
        CommandMatcher::Custom(Arc::new(move |command| {
            let regex = regex.get_or_init(|| regex::Regex::new(&ascii(pattern)).ok());
            let forms = [&command.typed, &command.plain];
            regex.as_ref().is_some_and(|regex| forms.iter().any(|form| regex.is_match(form)))
        }))
    };
    let (configs, strategies) = (OnceLock::new(), OnceLock::new());
    Some(Rule { name: name.to_owned(), matcher, configs, text, strategies, is_builtin: true })
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let start = text.find(before)? + before.len();
    text[start..].find(after).map(|end| &text[start..start + end])
}

/// Reads a file of rules. Wrong rules are skipped and reported.
pub(crate) fn read(text: &str) -> (Vec<Entry>, Vec<RuleError>) {
    if text.len() > MAX_RULES_BYTES {
        return (Vec::new(), vec![RuleError::TooLong]);
    }
    match text.parse::<Table>() {
        Ok(table) => read_table(table, 1),
        Err(error) => read_pieces(text, &error),
    }
}

/// Reads each `[[rules]]` separately, so that an error in one does not affect others.
fn read_pieces(text: &str, error: &toml::de::Error) -> (Vec<Entry>, Vec<RuleError>) {
    let starts: Vec<usize> = text
        .match_indices("[[rules]]")
        .map(|(at, _)| at)
        .filter(|at| text[..*at].rsplit('\n').next().is_some_and(|before| before.trim().is_empty()))
        .collect();
    if starts.is_empty() {
        return (Vec::new(), vec![RuleError::File(first_line(error))]);
    }
    let (mut entries, mut errors) = (Vec::new(), Vec::new());
    for (number, start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or(text.len());
        match text[*start..end].parse::<Table>() {
            Ok(table) => {
                let (more, wrong) = read_table(table, number + 1);
                entries.extend(more);
                errors.extend(wrong);
            }
            Err(error) => {
                errors.push(RuleError::Rule { name: format!("#{}", number + 1), problem: first_line(&error) });
            }
        }
    }
    (entries, errors)
}

fn first_line(error: &toml::de::Error) -> String {
    error.message().lines().next().unwrap_or("not TOML").to_owned()
}

fn read_table(mut table: Table, first_number: usize) -> (Vec<Entry>, Vec<RuleError>) {
    let (mut entries, mut errors) = (Vec::new(), Vec::new());
    match table.remove("rules") {
        Some(Value::Array(rules)) => {
            for (number, rule) in (first_number..).zip(rules) {
                match read_rule(rule) {
                    Ok(entry) => entries.push(entry),
                    Err((name, problem)) => {
                        errors.push(RuleError::Rule { name: name.unwrap_or_else(|| format!("#{number}")), problem });
                    }
                }
            }
        }
        Some(_) => errors.push(RuleError::File("`rules` is not a list of tables".to_owned())),
        None => {}
    }
    errors.extend(table.keys().map(|key| RuleError::File(format!("unknown key `{key}`"))));
    (entries, errors)
}

fn read_rule(value: Value) -> Result<Entry, (Option<String>, String)> {
    let name = value.get("name").and_then(Value::as_str).map(str::to_owned);
    if let (Some(name), Some(false)) = (&name, value.get("enabled").and_then(Value::as_bool)) {
        return Ok(Entry::Off(name.clone()));
    }
    let wrong = |problem: String| (name.clone(), problem);
    let config: RuleConfig = value.try_into().map_err(|error: toml::de::Error| wrong(first_line(&error)))?;
    if config.name.trim().is_empty() {
        return Err(wrong("`name` is empty".to_owned()));
    }
    if config.strategy.is_empty() {
        return Err(wrong("`strategy` is empty".to_owned()));
    }
    let matcher = config.matches.compile().map_err(wrong)?;
    Ok(Entry::Rule(Box::new(config), matcher))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(text: &str) -> (Vec<String>, Vec<String>) {
        let (entries, errors) = read(text);
        (
            entries.iter().map(|entry| entry.name().to_owned()).collect(),
            errors.iter().map(ToString::to_string).collect(),
        )
    }

    #[test]
    fn the_index_of_the_built_in_rules_is_what_reading_them_gives() {
        let (entries, errors) = read(crate::pipeline::BUILTIN);
        assert_eq!(errors, []);
        let indexed = index(crate::pipeline::BUILTIN);
        assert_eq!(indexed.len(), entries.len());
        for (rule, entry) in indexed.iter().zip(entries) {
            let Entry::Rule(config, matcher) = entry else { panic!("no built-in rule is off") };
            assert_eq!((rule.name(), rule.configs()), (config.name.as_str(), config.strategy.as_slice()));
            match (&rule.matcher, matcher) {
                (CommandMatcher::Prefix(index), CommandMatcher::Prefix(read)) => assert_eq!(*index, read),
                (CommandMatcher::Custom(_), CommandMatcher::Regex(_)) => {}
                (index, read) => panic!("{index:?} for {read:?}"),
            }
        }
    }

    const GOOD: &str = "[[rules]]\nname = \"good\"\nmatch = { prefix = \"x\" }\nstrategy = { type = \"git_status\" }\n";

    #[test]
    fn a_wrong_rule_costs_only_itself() {
        let long = "a".repeat(513);
        let cases = [
            (
                "name = \"b\"\nmatch = { exact = \"x\" }\nstrategy = { type = \"nonsense\" }",
                "rule `b` is skipped: unknown variant `nonsense`",
            ),
            (
                "name = \"b\"\nmatch = { exact = \"x\", prefix = \"y\" }\nstrategy = { type = \"git_diff\" }",
                "rule `b` is skipped: `match` needs exactly one",
            ),
            (
                "name = \"b\"\nmatch = {}\nstrategy = { type = \"git_diff\" }",
                "rule `b` is skipped: `match` needs exactly one",
            ),
            (
                "name = \"b\"\nmatch = { regex = \"(\" }\nstrategy = { type = \"git_diff\" }",
                "rule `b` is skipped: `(` is not a valid regular expression",
            ),
            (
                &format!("name = \"b\"\nmatch = {{ regex = \"{long}\" }}\nstrategy = {{ type = \"git_diff\" }}"),
                "rule `b` is skipped: `match.regex` has more than 512 characters",
            ),
            (
                "match = { exact = \"x\" }\nstrategy = { type = \"git_diff\" }",
                "rule `#2` is skipped: missing field `name`",
            ),
            (
                "name = \"b\"\nmatch = { exact = \"x\" }\nstrategy = { type = \"git_diff\", max = 3 }",
                "rule `b` is skipped: unknown field `max`",
            ),
            (
                "name = \"b\"\nmatch = { exact = 3 }\nstrategy = { type = \"git_diff\" }",
                "rule `b` is skipped: invalid type: integer `3`",
            ),
            ("name = \"b\nmatch = }", "rule `#2` is skipped: "),
        ];
        for (bad, expected) in cases {
            let (names, errors) = outcome(&format!("{GOOD}[[rules]]\n{bad}\n{GOOD}"));
            assert_eq!(names, ["good", "good"], "{bad}");
            assert_eq!(errors.len(), 1, "{bad}: {errors:?}");
            assert!(errors[0].starts_with(expected), "{bad}: {errors:?}");
        }
    }

    #[test]
    fn a_file_that_is_too_long_or_no_rules_at_all_is_told() {
        let (names, errors) = outcome(&"#".repeat(MAX_RULES_BYTES + 1));
        assert_eq!((names.len(), errors.len()), (0, 1));
        assert_eq!(outcome("rule = 1"), (vec![], vec!["filters.toml: unknown key `rule`".to_owned()]));
        assert_eq!(outcome("= ").1.len(), 1);
        assert_eq!(outcome(""), (vec![], vec![]));
    }
}
