//! `haft setup`: into files of hosts and out of them again, with everything of the user's left as
//! it was.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::Value;

use crate::support::Haft;

const SETTINGS: &str = "{\r\n\t// mine\r\n\t\"model\": \"x\", // same line\r\n\t\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": []},]},\r\n}\r\n";

#[test]
fn what_setup_writes_is_taken_back_to_the_byte() {
    let haft = Haft::new();
    let files = [
        ("claude-code", ".claude/settings.json", SETTINGS),
        ("codex", ".codex/config.toml", "model = \"x\"\n\n[tui] # mine\na = 1\n"),
        ("gemini", ".gemini/settings.json", "{}"),
        ("cursor", ".cursor/mcp.json", "{\"mcpServers\": {\"o\": {\"command\": \"o\"}}}"),
        ("zed", ".config/zed/settings.json", "// zed\n{\n  \"theme\": \"One\",\n}\n"),
        ("vscode", ".config/Code/User/mcp.json", "{\n  \"servers\": {}\n}"),
        ("opencode", ".config/opencode/opencode.jsonc", "{ /* o */ }\n"),
        ("goose", ".config/goose/config.yaml", "extensions:\n  memory:\n    enabled: true\n"),
    ];
    for (host, file, text) in files {
        let path = haft.home.file(file, text);
        let listed = haft.run(&["setup"]);
        assert!(listed.out.contains(&format!("haft setup {host}")), "{listed:?}");
        let dry = haft.run(&["setup", host, "--dry-run"]);
        assert!(dry.code == 0 && dry.out.contains('+') && dry.out.contains("serve"), "{dry:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{host}");

        let done = haft.run(&["setup", host]);
        assert_eq!(done.code, 0, "{done:?}");
        let after = fs::read_to_string(&path).unwrap();
        assert_ne!(after, text, "{host}");
        let again = haft.run(&["setup", host]);
        assert!(again.code == 0 && again.out.contains("already"), "{again:?}");
        assert!(haft.run(&["setup"]).out.lines().any(|line| line.starts_with(host) && line.ends_with("set up")));

        let undone = haft.run(&["setup", host, "--undo"]);
        assert_eq!(undone.code, 0, "{undone:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{host}");
    }
    assert!(!haft.home.root().join(".claude.json").exists(), "what was made is gone again");
    assert!(!haft.home.root().join(".codex/hooks.json").exists());
}

#[test]
fn a_file_that_its_host_wrote_again_loses_our_entries_only() {
    let haft = Haft::new();
    let file = haft.home.file(".claude.json", "{\"numStartups\": 1}");
    assert_eq!(haft.run(&["setup", "claude-code"]).code, 0);
    let mut now: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(now["mcpServers"]["haft"]["args"][0], "mcp");
    now["numStartups"] = 2.into();
    fs::write(&file, now.to_string()).unwrap();
    assert_eq!(haft.run(&["setup", "claude-code", "--undo"]).code, 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"numStartups\":2}");
}

#[test]
fn nothing_of_the_users_is_lost_where_a_file_cannot_be_changed() {
    let check = |haft: &Haft, file: &str, why: &str| {
        let before = fs::read_to_string(haft.home.root().join(file)).ok();
        let ran = haft.run(&["setup", "claude-code"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains(why) && ran.err.contains("by hand") && ran.err.contains("\"mcp\""), "{ran:?}");
        assert_eq!(fs::read_to_string(haft.home.root().join(file)).ok(), before);
        assert!(!haft.home.root().join(".claude/settings.json").exists(), "half a setup is none");
    };
    for (text, why) in [
        ("{\"mcpServers\": {\"haft\": {\"command\": \"/their/tool\"}}}", "not ours"),
        ("{\"mcpServers\": [1]}", "not changed automatically"),
        ("{\"a\": ", "cannot be read"),
    ] {
        let haft = Haft::new();
        haft.home.file(".claude.json", text);
        check(&haft, ".claude.json", why);
    }
    let haft = Haft::new();
    let file = haft.home.file(".claude.json", "{}");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    check(&haft, ".claude.json", "read-only");

    let haft = Haft::new();
    symlink(haft.home.root().join("nowhere"), haft.home.root().join(".claude.json")).unwrap();
    check(&haft, ".claude.json", "leads nowhere");

    // A link stays a link.
    let haft = Haft::new();
    let real = haft.home.file("dotfiles/claude.json", "{}");
    symlink(&real, haft.home.root().join(".claude.json")).unwrap();
    assert_eq!(haft.run(&["setup", "claude-code"]).code, 0);
    assert!(fs::symlink_metadata(haft.home.root().join(".claude.json")).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("haft"));
    assert_eq!(haft.run(&["setup", "claude-code", "--undo"]).code, 0);
    assert_eq!(fs::read_to_string(&real).unwrap(), "{}");
}
