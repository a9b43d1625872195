//! Adds proposed rules to a configuration that has rules of its own. Text in, text out.

use thiserror::Error;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

/// A configuration with proposed rules in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addition {
    /// The whole text.
    pub text: String,
    /// Number of added rules.
    pub count: usize,
}

/// Reason why rules cannot be added.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AddError {
    /// The text is not valid TOML.
    #[error("{0}")]
    Syntax(String),
    /// The place of the rules holds another value.
    #[error("`{0}` is of another form than rules have")]
    Form(String),
}

/// Appends the rules of `proposed` that `there` does not have to the same lists, in their order:
/// earlier decisions stay the same. Comments and all else stay.
///
/// # Errors
/// If `there` is not valid TOML, or has another value in the place of rules.
pub fn add(there: &str, proposed: &str) -> Result<Addition, AddError> {
    let parse = |text: &str| text.parse::<DocumentMut>().map_err(|error| AddError::Syntax(error.to_string()));
    let (mut document, new) = (parse(there)?, parse(proposed)?);
    let lists = new.get("tools").and_then(|tools| tools.get("permissions")).and_then(Item::as_table_like);
    let permissions = permissions(document.as_table_mut())?;
    let mut count = 0;
    for (tool, list) in lists.into_iter().flat_map(|lists| lists.iter()) {
        let Some(rules) = list.as_array() else { continue };
        count += match permissions.get_mut(tool) {
            Some(Item::Value(Value::Array(own))) => append(own, rules),
            Some(Item::ArrayOfTables(own)) => append_tables(own, rules),
            Some(_) => return Err(AddError::Form(format!("tools.permissions.{tool}"))),
            None => {
                permissions.insert(tool, Item::Value(Value::Array(rules.clone())));
                rules.len()
            }
        };
    }
    let text = if count == 0 { there.to_owned() } else { document.to_string() };
    Ok(Addition { text, count })
}

/// The section of the rules, created if missing.
fn permissions(root: &mut Table) -> Result<&mut dyn TableLike, AddError> {
    let implicit = || {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    };
    let tools = root.entry("tools").or_insert_with(implicit);
    let tools = tools.as_table_like_mut().ok_or_else(|| AddError::Form("tools".to_owned()))?;
    let permissions = tools.entry("permissions").or_insert_with(|| Item::Table(Table::new()));
    permissions.as_table_like_mut().ok_or_else(|| AddError::Form("tools.permissions".to_owned()))
}

/// Pattern and action of a rule.
type RuleParts = (Option<String>, Option<String>);

fn said(rule: &dyn TableLike) -> RuleParts {
    let text = |key: &str| rule.get(key).and_then(Item::as_str).map(str::to_owned);
    (text("pattern"), text("action"))
}

/// The rules of a list that are not among `there`.
fn missing<'a>(rules: &'a Array, there: &[RuleParts]) -> Vec<&'a InlineTable> {
    let tables = rules.iter().filter_map(Value::as_inline_table);
    tables.filter(|rule| !there.contains(&said(*rule))).collect()
}

fn append(own: &mut Array, rules: &Array) -> usize {
    let there: Vec<_> = own.iter().filter_map(Value::as_inline_table).map(|rule| said(rule)).collect();
    let missing = missing(rules, &there);
    for rule in &missing {
        own.push_formatted(Value::InlineTable((*rule).clone()));
    }
    if !missing.is_empty() {
        own.set_trailing_comma(true);
        own.set_trailing("\n");
    }
    missing.len()
}

fn append_tables(own: &mut ArrayOfTables, rules: &Array) -> usize {
    let there: Vec<_> = own.iter().map(|rule| said(rule)).collect();
    let missing = missing(rules, &there);
    for rule in &missing {
        let mut table = (*rule).clone().into_table();
        let comment = rule.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
        let comments = comment.lines().map(str::trim).filter(|line| line.starts_with('#'));
        let prefix: String = comments.flat_map(|line| [line, "\n"]).collect();
        table.decor_mut().set_prefix(format!("\n{prefix}"));
        own.push(table);
    }
    missing.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROPOSED: &str = "# Rules.\n[tools.permissions]\nbash = [\n    # One.\n    { pattern = \"a *\", action = \"ask\" },\n    \
                            # Two.\n    { pattern = \"b *\", action = \"allow\" },\n]\n";

    fn check(there: &str, expected: &str, count: usize) {
        let added = add(there, PROPOSED).unwrap_or_else(|error| panic!("{error}: {there}"));
        assert_eq!((added.text.as_str(), added.count), (expected, count));
        let again = add(&added.text, PROPOSED).expect("it is still a configuration");
        assert_eq!((again.text, again.count), (added.text, 0));
    }

    #[test]
    fn rules_are_added_behind_those_that_are_there() {
        check(
            "# Mine.\n[tools.permissions]\nbash = [{ pattern = \"b *\", action = \"allow\" }] # kept\n",
            "# Mine.\n[tools.permissions]\nbash = [{ pattern = \"b *\", action = \"allow\" },\n    # One.\n    \
             { pattern = \"a *\", action = \"ask\" },\n] # kept\n",
            1,
        );
        check(
            "[[tools.permissions.bash]]\npattern = \"a *\"\naction = \"deny\"\n",
            "[[tools.permissions.bash]]\npattern = \"a *\"\naction = \"deny\"\n\n# One.\n[[tools.permissions.bash]]\npattern = \
             \"a *\"\naction = \"ask\"\n\n# Two.\n[[tools.permissions.bash]]\npattern = \"b *\"\naction = \"allow\"\n",
            2,
        );
    }

    #[test]
    fn a_configuration_without_rules_gets_the_section() {
        let added = add("[tools.shell]\nnetwork = false\n", PROPOSED).expect("a configuration");
        assert!(added.text.starts_with("[tools.shell]\nnetwork = false\n") && added.count == 2, "{}", added.text);
        assert!(added.text.contains("[tools.permissions]\nbash = ["), "{}", added.text);
    }

    #[test]
    fn what_is_no_list_of_rules_is_refused() {
        let form = |path: &str| Err(AddError::Form(path.to_owned()));
        assert_eq!(add("tools = 1\n", PROPOSED), form("tools"));
        assert_eq!(add("[tools.permissions]\nbash = 1\n", PROPOSED), form("tools.permissions.bash"));
        assert!(matches!(add("[", PROPOSED), Err(AddError::Syntax(_))));
    }
}
