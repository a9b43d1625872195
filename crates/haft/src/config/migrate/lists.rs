//! Converts the shell's own lists of commands to rules.

use toml_edit::{Array, ArrayOfTables, InlineTable, Item, Table, TableLike, Value};
use tools_core::{Verdict, quoted};
use tools_policy::permissions::{RuleConfig, from_legacy, is_covered_by_rules};
use tools_shell::ShellConfig;

use super::Notes;
use super::tables::{drop_if_empty, find, make};

const SHELL: &[&str] = &["tools", "shell"];
const RULES: &str = "tools.permissions.bash";

/// Converts `blocked_commands` and `confirm_patterns` to rules that deny and ask, before the
/// existing rules.
///
/// A pattern stays in its list if rules would give another verdict for some command.
pub(super) fn apply(mut root: Table, notes: &mut Notes) -> Table {
    let blocked = list(&mut root, "blocked_commands");
    let confirmed = list(&mut root, "confirm_patterns");
    let usual = ShellConfig::default().confirm_patterns;
    if confirmed.as_ref() == Some(&usual) {
        remove(&mut root, "confirm_patterns");
        notes.change("`tools.shell.confirm_patterns` removed: it says what holds without it");
    }
    let confirmed = confirmed.filter(|list| *list != usual);
    let plan = if has_rules(&mut root) {
        beside_rules(&mut root, blocked.as_deref(), confirmed.as_deref(), notes)
    } else {
        alone(blocked.as_deref(), confirmed.as_deref(), &usual, notes)
    };
    let Some(plan) = plan else {
        drop_if_empty(&mut root, SHELL);
        return root;
    };
    if !put_first(&mut root, &plan.rules) {
        notes.warn(format!("the lists of `tools.shell` stay: `{RULES}` is not a list of rules to add theirs to"));
        return root;
    }
    if let Some(rest) = &plan.blocked {
        keep(&mut root, "blocked_commands", rest);
        if rest.is_empty() {
            remove(&mut root, "blocked_commands");
        }
        notes.change(format!("{}`tools.shell.blocked_commands` is `{RULES}` now, as rules that deny", part_of(rest)));
    }
    if let Some(rest) = &plan.confirmed {
        // Written even if empty: without the key its default would apply again.
        keep(&mut root, "confirm_patterns", rest);
        notes.change(format!("{}`tools.shell.confirm_patterns` is `{RULES}` now, as rules that ask", part_of(rest)));
    }
    drop_if_empty(&mut root, SHELL);
    root
}

/// Beginning of the message about a list of which some patterns stay.
fn part_of(rest: &[String]) -> &'static str {
    if rest.is_empty() { "" } else { "part of " }
}

/// Planned changes of the lists.
struct Plan {
    rules: Vec<RuleConfig>,
    /// Patterns that stay in the list of denied commands; `None` if the key is not changed.
    blocked: Option<Vec<String>>,
    /// Patterns that stay in the list of patterns that ask; `None` if the key is not changed.
    confirmed: Option<Vec<String>>,
}

/// Plan if there are no rules. The lists already act as some rules; these are written, also if
/// patterns stay.
fn alone(
    blocked: Option<&[String]>,
    confirmed: Option<&[String]>,
    usual: &[String],
    notes: &mut Notes,
) -> Option<Plan> {
    let is_filled = |list: Option<&[String]>| list.is_some_and(|list| !list.is_empty());
    if !is_filled(blocked) && !is_filled(confirmed) {
        return None;
    }
    let rules = from_legacy(blocked.unwrap_or_default(), confirmed.unwrap_or(usual));
    let mut rest = |key, list: Option<&[String]>| {
        let parted = PatternSplit::of(list?.to_vec());
        parted.warn(key, notes);
        Some(parted.stays)
    };
    Some(Plan { rules, blocked: rest("blocked_commands", blocked), confirmed: rest("confirm_patterns", confirmed) })
}

/// Plan if there are rules. Denials from the lists come before all rules, and questions before all
/// rules that allow.
fn beside_rules(
    root: &mut Table,
    blocked: Option<&[String]>,
    confirmed: Option<&[String]>,
    notes: &mut Notes,
) -> Option<Plan> {
    let mut asks: Vec<String> = confirmed.unwrap_or_default().to_vec();
    if !asks.is_empty() && denies(root) {
        // A question before a denial would override it.
        notes.warn(format!(
            "`tools.shell.confirm_patterns` stays: `{RULES}` has rules that deny, and a question before them would lift them"
        ));
        asks.clear();
    }
    let blocked = PatternSplit::of(blocked.unwrap_or_default().to_vec());
    let confirmed = PatternSplit::of(asks);
    blocked.warn("blocked_commands", notes);
    confirmed.warn("confirm_patterns", notes);
    if blocked.goes.is_empty() && confirmed.goes.is_empty() {
        return None;
    }
    let rules = from_legacy(&blocked.goes, &confirmed.goes);
    Some(Plan { rules, blocked: blocked.rest(), confirmed: confirmed.rest() })
}

/// Patterns of a list, split into those that rules can replace and those that they cannot.
struct PatternSplit {
    stays: Vec<String>,
    goes: Vec<String>,
}

impl PatternSplit {
    fn of(list: Vec<String>) -> Self {
        let (goes, stays) = list.into_iter().partition(|text| is_covered_by_rules(text));
        Self { stays, goes }
    }

    /// Patterns that stay in the list; `None` if none leaves it.
    fn rest(self) -> Option<Vec<String>> {
        (!self.goes.is_empty()).then_some(self.stays)
    }

    /// Warns about the patterns that stay.
    fn warn(&self, key: &str, notes: &mut Notes) {
        if self.stays.is_empty() {
            return;
        }
        let named = quoted(&self.stays);
        notes.warn(format!(
            "{named} in `tools.shell.{key}` stays there: a rule would miss some of what the list finds, as letters of options in \
             clusters (`-xf`), many words in any order, or statements in what reaches a database"
        ));
    }
}

fn list(root: &mut Table, name: &str) -> Option<Vec<String>> {
    let array = find(root, SHELL)?.get(name)?.as_array()?;
    // Items of another type are a fault that a start reports.
    array.iter().map(|value| value.as_str().map(str::to_owned)).collect()
}

fn keep(root: &mut Table, name: &str, rest: &[String]) {
    let mut kept = Array::new();
    for text in rest {
        kept.push(text.as_str());
    }
    if let Some(shell) = find(root, SHELL) {
        shell.insert(name, Item::Value(Value::Array(kept)));
    }
}

fn remove(root: &mut Table, name: &str) {
    if let Some(shell) = find(root, SHELL) {
        shell.remove(name);
    }
}

/// Whether any tool has rules.
fn has_rules(root: &mut Table) -> bool {
    find(root, &["tools", "permissions"]).is_some_and(|rules| !rules.is_empty())
}

/// Whether a rule for commands denies something.
fn denies(root: &mut Table) -> bool {
    let is_denial = |rule: &dyn TableLike| rule.get("action").and_then(Item::as_str) == Some("deny");
    match find(root, &["tools", "permissions"]).and_then(|rules| rules.get("bash")) {
        Some(Item::ArrayOfTables(rules)) => rules.iter().any(|rule| is_denial(rule)),
        Some(Item::Value(Value::Array(rules))) => {
            rules.iter().filter_map(Value::as_inline_table).any(|rule| is_denial(rule))
        }
        _ => false,
    }
}

/// Puts rules before those of the shell, in the same TOML form as these; `false` if the existing
/// value is not a list of rules.
fn put_first(root: &mut Table, rules: &[RuleConfig]) -> bool {
    let Some(tools) = make(root, &["tools", "permissions"]) else { return false };
    match tools.get_mut("bash") {
        Some(Item::ArrayOfTables(there)) => {
            let position = there.iter().next().and_then(Table::position);
            let mut all = ArrayOfTables::new();
            for rule in rules {
                let mut table = inline(rule).into_table();
                // Use the position of the first rule: a table without a position would be written
                // after those with one.
                table.set_position(position);
                table.decor_mut().set_prefix("\n");
                all.push(table);
            }
            there.iter().for_each(|table| all.push(table.clone()));
            *there = all;
            true
        }
        Some(Item::Value(Value::Array(there))) => {
            for (at, rule) in rules.iter().enumerate() {
                there.insert_formatted(at, on_a_line(rule));
            }
            true
        }
        Some(_) => false,
        None => {
            let mut all = Array::new();
            for rule in rules {
                all.push_formatted(on_a_line(rule));
            }
            all.set_trailing("\n");
            all.set_trailing_comma(true);
            tools.insert("bash", Item::Value(Value::Array(all)));
            true
        }
    }
}

fn inline(rule: &RuleConfig) -> InlineTable {
    let action = match rule.action {
        Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Deny => "deny",
    };
    InlineTable::from_iter([("pattern", rule.pattern.as_str()), ("action", action)])
}

fn on_a_line(rule: &RuleConfig) -> Value {
    let mut value = Value::InlineTable(inline(rule));
    value.decor_mut().set_prefix("\n    ");
    value
}
