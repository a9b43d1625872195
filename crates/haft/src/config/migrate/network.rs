//! Converts the switch `tools.shell.allow_network` to the choice of three networks.

use serde_json::Value;
use toml_edit::{Item, Table, value};

use super::Notes;
use super::tables::{find, put, take};

const OLD: &str = "allow_network";
const NEW: &str = "network";

/// `true` was the network of the machine, `false` none. Other values stay and are reported as a
/// fault of the current key.
pub(super) fn apply(mut root: Table, notes: &mut Notes) -> Table {
    let Some(shell) = find(&mut root, &["tools", "shell"]) else { return root };
    let Some((key, item)) = take(shell, OLD) else { return root };
    if shell.contains_key(NEW) {
        notes.warn(format!(
            "`tools.shell.{OLD}` is set beside `tools.shell.{NEW}`: the new key counts, the old one is removed"
        ));
        notes.change(format!("`tools.shell.{OLD}` removed: `tools.shell.{NEW}` is set"));
        return root;
    }
    let renewed = item.as_bool().map_or_else(|| item.clone(), |is_on| value(network(is_on)));
    let shown = renewed.as_value().map(|value| value.to_string().trim().to_owned()).unwrap_or_default();
    notes.change(format!("`tools.shell.{OLD}` is `tools.shell.{NEW} = {shown}` now"));
    notes.moved(&format!("tools.shell.{OLD}"), &format!("tools.shell.{NEW}"));
    put(shell, NEW, (key, with_suffix(&item, renewed)));
    root
}

/// Converts the old key's value to the current one.
pub(crate) fn network_of_switch(old: Value) -> Value {
    old.as_bool().map_or(old, |is_on| network(is_on).into())
}

fn network(is_on: bool) -> &'static str {
    if is_on { "open" } else { "off" }
}

/// The new value with the comment that followed the old one.
fn with_suffix(old: &Item, mut new: Item) -> Item {
    if let (Some(old), Some(new)) = (old.as_value(), new.as_value_mut()) {
        *new.decor_mut() = old.decor().clone();
    }
    new
}
