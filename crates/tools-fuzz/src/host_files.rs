//! Any text as the configuration file of a host, in each of the three languages: removing an added
//! entry restores every byte, and adding it twice is the same as adding it once.

use serde_json::json;
use tools_hosts::files::{Entry, Syntax, add, inserted, remove, without};

pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let server = json!({"command": "/usr/bin/haft", "args": ["mcp", "serve"]});
    let hook = json!({"matcher": "Bash", "hooks": [{"type": "command", "command": "/usr/bin/haft hook claude-code"}]});
    let member = Entry::member(["mcpServers", "haft"], server);
    let element = Entry::element(["hooks", "PreToolUse"], hook);
    for syntax in [Syntax::Jsonc, Syntax::Toml, Syntax::Yaml] {
        for entry in [&member, &element] {
            changed(syntax, text, entry);
        }
    }
}

fn changed(syntax: Syntax, text: &str, entry: &Entry) {
    let entries = std::slice::from_ref(entry);
    let Ok(with) = add(syntax, text, entries) else { return };
    let again = add(syntax, &with, entries);
    assert_eq!(again.as_ref(), Ok(&with), "{syntax:?}: what is there already stays");
    if let Some(spans) = inserted(text, &with) {
        assert_eq!(without(&with, &spans).as_deref(), Some(text), "{syntax:?}: what was put in is taken out");
    }
    let removed = remove(syntax, &with, entries);
    assert!(removed.is_ok(), "{syntax:?}: what was put in can be removed: {removed:?}");
    if let Ok(removed) = removed {
        assert_eq!(remove(syntax, &removed, entries).as_ref(), Ok(&removed), "{syntax:?}: it is gone");
    }
}
