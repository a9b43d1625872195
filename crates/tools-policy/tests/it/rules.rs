//! Reading rules: what is refused, what can never match, what hides a tool.

use tools_policy::permissions::{PermissionsConfig, lint};

use crate::decisions::permissions;

#[test]
fn a_rule_that_is_no_glob_is_an_error_that_names_its_place() {
    let check = |rules: &str, expected: &str| {
        let config: PermissionsConfig = toml::from_str(rules).unwrap();
        assert_eq!(config.compile(None).unwrap_err().to_string(), expected);
    };
    check(
        r#"bash = [{ pattern = "ls", action = "allow" }, { pattern = "rm [", action = "deny" }, { pattern = "*", action = "allow" }]"#,
        "`tools.permissions.bash[1].pattern`: unclosed character class; missing ']'",
    );
    check(
        r#"glob = [{ pattern = " ", action = "deny" }]"#,
        "`tools.permissions.find_path[0].pattern`: an empty pattern matches nothing; `*` matches everything",
    );
    let long = format!(r#"read = [{{ pattern = "{}", action = "deny" }}]"#, "x".repeat(5000));
    check(&long, "`tools.permissions.read[0].pattern`: the pattern is longer than 4096 bytes");
}

#[test]
fn unknown_actions_and_keys_are_refused() {
    for rules in [
        r#"bash = [{ pattern = "ls", action = "permit" }]"#,
        r#"bash = [{ pattern = "ls" }]"#,
        r#"bash = [{ pattern = "ls", action = "allow", note = "x" }]"#,
        r#"bash = { pattern = "ls", action = "allow" }"#,
    ] {
        assert!(toml::from_str::<PermissionsConfig>(rules).is_err(), "{rules}");
    }
}

#[test]
fn rules_that_can_never_match_are_named() {
    let check = |patterns: &[(&str, &str)], expected: &[(usize, bool)]| {
        let rule = |(pattern, action): &(&str, &str)| format!("{{ pattern = '{pattern}', action = '{action}' }},");
        let list: String = patterns.iter().map(rule).collect();
        let found: Vec<_> = lint(&permissions(&format!("x = [{list}]")))
            .into_iter()
            .map(|shadowed| (shadowed.path, shadowed.is_conflict))
            .collect();
        let expected: Vec<_> =
            expected.iter().map(|(index, conflict)| (format!("tools.permissions.x[{index}]"), *conflict)).collect();
        assert_eq!(found, expected, "{patterns:?}");
    };
    check(&[("git *", "allow"), ("git push*", "deny"), ("git push --force", "deny")], &[(1, true), (2, true)]);
    check(&[("git *", "allow"), ("git push *", "deny")], &[(1, true)]);
    check(&[("*", "allow"), ("rm *", "deny"), ("src/**", "allow")], &[(1, true), (2, false)]);
    check(&[("ls", "allow"), ("ls", "allow"), ("LS", "allow"), ("ls *", "allow")], &[(1, false)]);
    check(&[("src/*", "allow"), ("src/**", "deny"), ("src/a.rs", "deny")], &[(2, true)]);
    check(&[("src/**", "deny"), ("src/a/*", "allow")], &[(1, true)]);
    check(&[("rm *", "deny"), ("*", "allow")], &[]);
    check(&[("a?", "deny"), ("a*", "allow"), ("a[bc]", "allow")], &[]);
}

#[test]
fn a_tool_is_hidden_only_by_a_denial_before_everything_else() {
    let check = |rules: &str, hidden: bool| {
        assert_eq!(permissions(&format!("bash = [{rules}]")).denies_always("bash"), hidden, "{rules}");
    };
    check(r#"{ pattern = "*", action = "deny" }"#, true);
    check(
        r#"{ pattern = "x", action = "deny" }, { pattern = "**", action = "deny" }, { pattern = "y", action = "allow" }"#,
        true,
    );
    check(r#"{ pattern = "*sudo*", action = "deny" }"#, false);
    check(r#"{ pattern = "ls", action = "allow" }, { pattern = "*", action = "deny" }"#, false);
    check("", false);
    assert!(!permissions("").denies_always("absent"));
}
