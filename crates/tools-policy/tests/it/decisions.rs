//! Tables of decisions.

use std::{path::Path, sync::Arc};

use jiff::Timestamp;
use schemars::json_schema;
use tools_core::{
    Access, ConfiguredFiles, ConfirmReason, Inspection, NamedBy, SessionId, StoredRule, Subject, SystemClock, ToolDef,
    ToolKind, ToolName, ToolOrigin, ToolTraits, TrustLevel, Verdict, WebUrl,
};
use tools_policy::permissions::{
    ApprovalSnapshot, ApprovalStore, ApprovalsError, OnUnreadable, Permissions, PermissionsConfig, Question, Scope,
    SessionRules, StoredApproval, StoredRules, decide,
};

use Verdict::{Allow, Ask, Deny};

pub(crate) fn permissions(toml: &str) -> Permissions {
    toml::from_str::<PermissionsConfig>(toml).unwrap().compile(Some(Path::new("/home/ann"))).unwrap()
}

pub(crate) fn tool(name: &str, traits: ToolTraits) -> ToolDef {
    let name = ToolName::parse(name).unwrap();
    ToolDef::new(name, "", json_schema!({"type": "object"}), ToolKind::Other, traits)
}

/// A line as the shell's inspection would report it; `;` stands for every way to join commands.
pub(crate) fn line(text: &str) -> Inspection {
    let parts: Vec<_> = text.split(';').map(str::trim).collect();
    let command = |text: &str, whole: bool| {
        let mut words = text.split_whitespace().map(|word| word.replace(['\'', '"'], ""));
        let program = words.next().unwrap_or_default();
        Subject::Command {
            line: text.to_owned(),
            program: if whole { String::new() } else { program },
            argv: if whole { vec![] } else { words.collect() },
            via: vec![],
        }
    };
    let mut inspection = Inspection::mutating();
    if parts.len() > 1 {
        inspection = inspection.touching(command(text, true));
    }
    parts.into_iter().fold(inspection, |inspection, part| inspection.touching(command(part, false)))
}

pub(crate) fn judge(
    permissions: &Permissions,
    definition: &ToolDef,
    inspection: &Inspection,
    trust: TrustLevel,
) -> (Verdict, String) {
    let session = SessionRules::default().of(&SessionId::generate());
    let configured = &ConfiguredFiles::default();
    let question = Question { definition, inspection, trust, workdir: Path::new("/w"), session: &session, configured };
    let decision = decide(permissions, &question);
    (decision.verdict, decision.decided_by.to_string())
}

fn bash(rules: &str, inspection: &Inspection) -> (Verdict, String) {
    judge(&permissions(rules), &tool("bash", ToolTraits::CAUTIOUS), inspection, TrustLevel::Trusted)
}

fn check_lines(rules: &str, table: &[(&str, Verdict)]) {
    for (text, verdict) in table {
        let (found, why) = bash(rules, &line(text));
        assert_eq!(found, *verdict, "`{text}`: {why}");
    }
}

#[test]
fn options_in_front_of_a_subcommand_change_no_verdict() {
    let rules = r#"bash = [
        { pattern = "git push*", action = "deny" },
        { pattern = "unheard-of deploy*", action = "deny" },
        { pattern = "git status*", action = "allow" },
        { pattern = "npm start", action = "allow" },
        { pattern = "unheard-of *", action = "allow" },
    ]"#;
    check_lines(
        rules,
        &[
            ("git -C sub push", Deny),
            ("/usr/bin/git --no-pager -c a.b=c push origin", Deny),
            ("unheard-of --prod deploy", Deny),
            ("unheard-of --env x deploy", Deny),
            ("unheard-of --prod list", Allow),
            ("git -C sub status -s", Allow),
            ("/usr/bin/git --no-pager status", Allow),
            ("./git status", Ask),
            ("PORT=3000 npm start", Allow),
            ("LD_PRELOAD=x npm start", Ask),
        ],
    );
}

#[test]
fn every_command_of_a_line_needs_its_own_allow() {
    check_lines(
        r#"bash = [{ pattern = "cargo *", action = "allow" }]"#,
        &[
            ("cargo test", Allow),
            ("cargo  test", Allow),
            ("CARGO test", Ask),
            ("cargo --version; curl x", Ask),
            ("cargo --version; curl x; sh", Ask),
            ("cargo test; tail -80", Allow),
            ("cd app; cargo test; tail -80", Allow),
            ("cargo", Ask),
            ("curl x", Ask),
            ("cd app", Allow),
        ],
    );
}

#[test]
fn a_whole_line_is_allowed_word_for_word_only() {
    let rules = r#"bash = [
        { pattern = "curl evil*", action = "deny" },
        { pattern = "make; curl x", action = "allow" },
        { pattern = "curl evil; make", action = "allow" },
        { pattern = "ls*sh", action = "allow" },
    ]"#;
    check_lines(
        rules,
        &[
            ("make; curl x", Allow),
            ("make;  curl x", Allow),
            ("make; curl X", Ask),
            ("make; curl xy", Ask),
            ("make", Ask),
            ("curl evil; make", Deny),
            ("ls; sh", Ask),
        ],
    );
}

#[test]
fn a_rule_that_tightens_a_whole_line_counts_unless_all_its_commands_are_allowed_before() {
    let rules = r#"bash = [
        { pattern = "curl *", action = "allow" },
        { pattern = "curl *; sh", action = "deny" },
        { pattern = "sh", action = "allow" },
        { pattern = "make", action = "allow" },
        { pattern = "*", action = "ask" },
    ]"#;
    check_lines(rules, &[("curl x; sh", Deny), ("make; sh", Allow), ("make; other", Ask), ("sh; curl x", Allow)]);
}

#[test]
fn case_counts_wherever_programs_and_files_tell_it_apart() {
    let rules = r#"bash = [
        { pattern = "git -c *", action = "ask" },
        { pattern = "curl * -O*", action = "deny" },
        { pattern = "Rscript evil*", action = "deny" },
        { pattern = "*SECRET*", action = "deny" },
        { pattern = "git checkout -b *", action = "allow" },
        { pattern = "git *", action = "allow" },
        { pattern = "curl *", action = "allow" },
        { pattern = "./deploy.sh", action = "allow" },
        { pattern = "make Release", action = "allow" },
    ]"#;
    check_lines(
        rules,
        &[
            ("git -C sub status", Allow),
            ("git -c x=y status", Ask),
            ("GIT -c x=y status", Ask),
            ("git checkout -B main", Allow),
            ("curl x -o y", Allow),
            ("curl x -O", Deny),
            ("Curl x -O", Deny),
            ("CURL x", Ask),
            ("/usr/bin/CURL x -O", Deny),
            ("rscript evil.R", Deny),
            ("RSCRIPT evil.R", Deny),
            ("git log SECRET", Deny),
            ("git log secret", Allow),
            ("./deploy.sh", Allow),
            ("./DEPLOY.sh", Ask),
            ("make Release", Allow),
            ("make release", Ask),
        ],
    );
    let only = r#"bash = [{ pattern = "git checkout -b *", action = "allow" }, { pattern = "curl -o out *", action = "allow" }]"#;
    check_lines(only, &[("git checkout -b x", Allow), ("git checkout -B main", Ask), ("curl -O out x", Ask)]);
}

#[test]
fn a_deny_on_any_part_denies_and_quotes_and_folders_do_not_get_around_it() {
    let rules = r#"bash = [
        { pattern = "rm *", action = "deny" },
        { pattern = "*", action = "allow" },
    ]"#;
    check_lines(
        rules,
        &[
            ("rm x", Deny),
            ("'r'm x", Deny),
            ("/bin/rm x", Deny),
            ("ls; rm x", Deny),
            ("echo rm", Allow),
            ("RM x", Deny),
        ],
    );
}

#[test]
fn arguments_known_only_when_it_runs_ask_where_a_rule_before_may_forbid_them() {
    let rules = r#"bash = [
        { pattern = "git status*", action = "allow" },
        { pattern = "curl *", action = "deny" },
        { pattern = "git push --force*", action = "deny" },
        { pattern = "npm publish*", action = "ask" },
        { pattern = "git *--exec*", action = "ask" },
        { pattern = "*secret*", action = "deny" },
        { pattern = "*", action = "allow" },
        { pattern = "wc -c*", action = "deny" },
    ]"#;
    check_lines(
        rules,
        &[
            ("curl $@", Deny),
            ("git push $@", Ask),
            ("/usr/bin/git push $@", Ask),
            ("git push {} origin", Ask),
            ("git $@", Ask),
            ("npm $@", Ask),
            ("git push", Allow),
            ("git status $@", Allow),
            ("git add $@", Allow),
            ("npm test $@", Allow),
            ("grep foo $@", Allow),
            ("wc $@", Allow),
            ("xargs git push; git push $@", Ask),
        ],
    );
    // What is allowed word for word is so without further words.
    check_lines(r#"bash = [{ pattern = "make", action = "allow" }]"#, &[("make $@", Ask)]);
}

#[test]
fn options_in_front_of_a_subcommand_do_not_get_around_a_rule() {
    let rules = r#"bash = [
        { pattern = "git push*", action = "deny" },
        { pattern = "terraform apply*", action = "deny" },
        { pattern = "git *", action = "allow" },
        { pattern = "terraform plan*", action = "allow" },
    ]"#;
    check_lines(
        rules,
        &[
            ("git -C . push", Deny),
            ("git --no-pager push", Deny),
            ("git -P push", Deny),
            ("git --work-tree . push", Deny),
            ("/usr/bin/git -C . push", Deny),
            ("terraform -chdir=x apply", Deny),
            ("git -C . status", Allow),
            // Such options are for the rules that tighten: elsewhere is not what was allowed.
            ("terraform -chdir=x plan", Ask),
        ],
    );
}

#[test]
fn what_stands_behind_an_unknown_program_is_compared_with_the_rules_before() {
    check_lines(
        r#"bash = [
            { pattern = "git push*", action = "deny" },
            { pattern = "terraform *", action = "ask" },
            { pattern = "frob --dry *", action = "allow" },
            { pattern = "*", action = "allow" },
            { pattern = "rm *", action = "deny" },
        ]"#,
        &[
            ("frob git push", Ask),
            ("frob -n 5 /usr/bin/git -C . push --force", Ask),
            ("frob --with=terraform apply", Ask),
            ("frob a b terraform apply", Ask),
            ("/opt/frob git push", Ask),
            // What a rule before allows stays allowed, and so does what only a later one denies.
            ("frob git status", Allow),
            ("frob rm x", Allow),
            ("frob a git-push", Allow),
            ("frob", Allow),
            // What is known takes it for data.
            ("grep git push", Allow),
            ("echo terraform apply", Allow),
        ],
    );
}

#[test]
fn what_runs_in_a_container_or_on_another_machine_is_compared_with_the_rules_before() {
    let rules = r#"bash = [
        { pattern = "drop-it *", action = "deny" },
        { pattern = "git push*", action = "ask" },
        { pattern = "docker *", action = "allow" },
        { pattern = "ssh *", action = "allow" },
        { pattern = "late *", action = "deny" },
    ]"#;
    check_lines(
        rules,
        &[
            ("docker exec web drop-it x", Deny),
            ("docker exec -it -u 0 web drop-it x", Deny),
            ("docker run --rm -v a:/a node drop-it x", Deny),
            ("docker compose exec -T web drop-it x", Deny),
            ("docker exec web git -C x push", Ask),
            ("ssh -p 2 host drop-it x", Deny),
            ("docker exec web late x", Allow),
            ("docker exec web npm test", Allow),
            ("ssh host uptime", Allow),
            ("docker ps drop-it x", Allow),
        ],
    );
}

#[test]
fn the_order_of_rules_decides() {
    check_lines(
        r#"bash = [{ pattern = "git *", action = "allow" }, { pattern = "git push*", action = "deny" }]"#,
        &[("git push", Allow)],
    );
    check_lines(
        r#"bash = [{ pattern = "git push*", action = "deny" }, { pattern = "git *", action = "allow" }]"#,
        &[("git push", Deny), ("git log", Allow)],
    );
}

#[test]
fn files_that_a_line_writes_are_judged() {
    let cargo = r#"bash = [{ pattern = "cargo *", action = "allow" }, { pattern = "/tmp/*", action = "allow" }, { pattern = "*secret*", action = "deny" }]"#;
    let check = |text: &str, path: &str, access: Access, verdict: Verdict| {
        let (found, why) = bash(cargo, &line(text).touching(Subject::path(path, access)));
        assert_eq!(found, verdict, "`{text}` {path}: {why}");
    };
    check("cargo test", "/w/out.txt", Access::Write, Allow);
    check("cd a; cargo test", "/w/out.txt", Access::Write, Allow);
    check("echo x", "/w/Makefile", Access::Write, Ask);
    check("cargo test; tail -1", "/w/Makefile", Access::Write, Ask);
    check("cargo test", "/home/ann/.bashrc", Access::Write, Ask);
    check("cargo test", "/tmp/x", Access::Write, Allow);
    check("cargo test", "/dev/null", Access::Write, Allow);
    check("cargo test", "/w/secrets", Access::Read, Deny);
    check("cat x", "/w/x", Access::Read, Allow);
    let everything = r#"bash = [{ pattern = "*", action = "allow" }]"#;
    let inspection = line("echo x").touching(Subject::path("/elsewhere/x", Access::Write));
    assert_eq!(bash(everything, &inspection).0, Allow);
}

#[test]
fn what_programs_outside_obey_is_changed_only_where_a_rule_names_it() {
    let changing = |tool: &str, rules: &str, path: &str, access: Access| {
        let permissions = permissions(rules);
        let definition = self::tool(tool, ToolTraits::EDIT);
        let inspection = Inspection::mutating().touching(Subject::path(path, access));
        judge(&permissions, &definition, &inspection, TrustLevel::Trusted).0
    };
    let check = |pattern: &str, path: &str, verdict: Verdict| {
        for (tool, prefix) in [("write", ""), ("delete_path", ""), ("write", "> ")] {
            let rules = format!("{tool} = [{{ pattern = \"{prefix}{pattern}\", action = \"allow\" }}]");
            let access = if tool == "delete_path" { Access::Delete } else { Access::Write };
            assert_eq!(changing(tool, &rules, path, access), verdict, "{tool} {prefix}{pattern} {path}");
        }
    };
    check("**", "/w/src/a.rs", Allow);
    check("**", "/w/package.json", Allow);
    check("**", "/w/.envrc", Ask);
    check("**", "/w/sub/.vscode/tasks.json", Ask);
    check("**", "/w/.github", Ask);
    check(".envrc", "/w/.envrc", Allow);
    check("**/CLAUDE.md", "/w/a/CLAUDE.md", Allow);
    check(".github/workflows/**", "/w/.github/workflows/ci.yml", Allow);
    check(".github/**", "/w/.github/workflows/ci.yml", Ask);
    let everything = r#"bash = [{ pattern = "*", action = "allow" }, { pattern = "> .envrc", action = "allow" }]"#;
    let echo = |path: &str| bash(everything, &line("echo x").touching(Subject::path(path, Access::Write)));
    assert_eq!((echo("/w/x").0, echo("/w/.envrc").0), (Allow, Allow));
    assert_eq!(echo("/w/.mcp.json"), (Ask, "is obeyed by coding agents, and no rule names it".to_owned()));
    let open = |pattern: &str| {
        let by = NamedBy::Program;
        let subject = Subject::Paths { pattern: pattern.to_owned(), access: Access::Write, by };
        bash(everything, &line("tee x").touching(subject)).0
    };
    assert_eq!((open("/w/**/.bashrc"), open("**/.mcp.json"), open("/w/src/*.rs")), (Ask, Ask, Allow));
    let named = |program: &str| {
        let by = NamedBy::Program;
        line(program).touching(Subject::path_named_by(by, "/w/.git/config", Access::Write))
    };
    let asking = named("cp x").confirming(ConfirmReason::new("it is obeyed", "shell").about("/w/.git/config"));
    assert_eq!((bash(everything, &named("git config a.b c")).0, bash(everything, &asking).0), (Allow, Ask));
    let reads = line("cat x").touching(Subject::path("/w/.envrc", Access::Read));
    assert_eq!(bash(everything, &reads).0, Allow);
}

#[test]
fn what_a_repository_names_is_changed_only_where_a_rule_names_it() {
    let place = tempfile::tempdir().unwrap();
    let workdir = &place.path().canonicalize().unwrap();
    std::fs::create_dir(workdir.join(".git")).unwrap();
    let config = "[core]\nhooksPath = tools/githooks\n[include]\npath = ../shared.cfg\n";
    std::fs::write(workdir.join(".git/config"), config).unwrap();
    let configured = &ConfiguredFiles::around([workdir.as_path()]);
    let check = |pattern: &str, path: &str, expected: Verdict| {
        let permissions = permissions(&format!("write = [{{ pattern = \"{pattern}\", action = \"allow\" }}]"));
        let definition = &tool("write", ToolTraits::EDIT);
        let inspection = &Inspection::mutating().touching(Subject::path(workdir.join(path), Access::Write));
        let session = &SessionRules::default().of(&SessionId::generate());
        let question = Question { definition, inspection, trust: TrustLevel::Trusted, workdir, session, configured };
        assert_eq!(decide(&permissions, &question).verdict, expected, "{pattern} {path}");
    };
    check("**", "tools/x.py", Allow);
    for path in ["tools/githooks/post-commit", "tools/githooks", "tools", "shared.cfg"] {
        check("**", path, Ask);
    }
    check("tools/**", "tools/githooks/post-commit", Ask);
    check("tools/githooks/**", "tools/githooks/post-commit", Allow);
    check("shared.cfg", "shared.cfg", Allow);
}

#[test]
fn what_is_written_by_redirection_needs_a_rule_unless_it_is_a_plain_output() {
    let rules = r#"bash = [
        { pattern = "> kept/**", action = "deny" },
        { pattern = "> gen/*", action = "allow" },
        { pattern = "ls *", action = "allow" },
        { pattern = "cargo *", action = "allow" },
    ]"#;
    let judged =
        |rules: &str, text: &str, path: &str| bash(rules, &line(text).touching(Subject::path(path, Access::Write)));
    let check = |path: &str, verdict: Verdict| assert_eq!(judged(rules, "ls -l", path).0, verdict, "{path}");
    check("/w/build.log", Allow);
    check("/w/tmp/x", Allow);
    check("/w/build.rs", Ask);
    check("/w/Makefile", Ask);
    check("/w/.git/config", Ask);
    check("/w/x", Ask);
    check("/w/gen/x.rs", Allow);
    check("/w/gen/a/x.rs", Ask);
    check("/w/kept/a.log", Deny);
    check("/elsewhere/a.log", Ask);
    assert_eq!(judged(rules, "cargo build; cargo run", "/w/x").0, Ask);
    // The companions cover no writing, and a rule about writing is none about commands.
    assert_eq!(judged(rules, "echo x", "/w/a.log").0, Ask);
    assert_eq!(judged(rules, "echo x", "/w/gen/a").0, Allow);
    assert_eq!(bash(rules, &line("gen/x")).0, Ask);
    let reads = line("ls -l").touching(Subject::path("/w/kept/a", Access::Read));
    assert_eq!(bash(rules, &reads).0, Allow);
    let everything = r#"bash = [{ pattern = "*", action = "allow" }]"#;
    assert_eq!(judged(everything, "ls -l", "/w/build.rs").0, Allow);
    assert_eq!(judged(rules, "ls -l", "/w/build.rs").1, "no rule of permissions.bash covers writing this file");
    let write = permissions(r#"write = [{ pattern = "> *", action = "allow" }]"#);
    let definition = tool("write", ToolTraits::EDIT);
    for (access, verdict) in [(Access::Write, Allow), (Access::Read, Ask)] {
        let inspection = Inspection::mutating().touching(Subject::path("/w/a", access));
        assert_eq!(judge(&write, &definition, &inspection, TrustLevel::Trusted).0, verdict);
    }
}

#[test]
fn what_cannot_be_seen_through_asks_at_least() {
    let opaque = || Subject::Opaque { why: "eval".into() };
    for (rules, verdict) in [
        (r#"bash = [{ pattern = "*", action = "allow" }]"#, Ask),
        (r#"bash = [{ pattern = "eval x", action = "allow" }]"#, Ask),
        (r#"bash = [{ pattern = "*", action = "deny" }]"#, Deny),
        ("", Ask),
    ] {
        assert_eq!(bash(rules, &line("eval x").touching(opaque())).0, verdict, "{rules}");
    }
    let reader = tool("read", ToolTraits::READ_ONLY);
    let inspection = Inspection::read_only().touching(opaque());
    assert_eq!(judge(&permissions(""), &reader, &inspection, TrustLevel::Trusted).0, Ask);
}

#[test]
fn paths() {
    let rules = permissions(
        r#"write = [
            { pattern = "/etc/*", action = "deny" },
            { pattern = "**/.env", action = "deny" },
            { pattern = "*.key", action = "deny" },
            { pattern = "vendor/", action = "deny" },
            { pattern = "~/.ssh/**", action = "deny" },
            { pattern = "src/*", action = "allow" },
            { pattern = "docs/**", action = "allow" },
            { pattern = "*.md", action = "allow" },
            { pattern = "/data/**", action = "allow" },
            { pattern = "lib/*.rs", action = "ask" },
            { pattern = "lib/**", action = "allow" },
        ]"#,
    );
    let write = tool("write", ToolTraits::EDIT);
    for (path, verdict) in [
        ("/etc/x", Deny),
        ("/etc/ssh/sshd_config", Deny),
        ("/ETC/X", Ask),
        ("/w/.env", Deny),
        ("/w/src/.env", Deny),
        ("/other/.env", Deny),
        ("/w/.env/below", Deny),
        ("/w/docs/a.key", Deny),
        ("/w/vendor", Deny),
        ("/w/vendor/a/b", Deny),
        ("/home/ann/.ssh", Deny),
        ("/home/ann/.ssh/id", Deny),
        ("/w/src/a.rs", Allow),
        ("/w/SRC/A.rs", Ask),
        ("/w/src/a/b.rs", Ask),
        ("/w/docs/a/b", Allow),
        ("/w/docs", Ask),
        ("/x/docs/a", Ask),
        ("/w/deep/README.md", Allow),
        ("/x/README.md", Ask),
        ("/data/a/b", Allow),
        ("/database", Ask),
        ("/w/lib/a.rs", Ask),
        ("/w/lib/a.txt", Allow),
        ("/w/lib/x.rs/y", Ask),
        ("/", Ask),
        ("/w", Ask),
    ] {
        let inspection = Inspection::mutating().touching(Subject::path(path, Access::Write));
        let (found, why) = judge(&rules, &write, &inspection, TrustLevel::Trusted);
        assert_eq!(found, verdict, "{path}: {why}");
    }
}

#[test]
fn both_ends_of_a_move_are_judged() {
    let rules =
        permissions(r#"move_path = [{ pattern = "/etc/*", action = "deny" }, { pattern = "*", action = "allow" }]"#);
    let inspection = |to: &str| {
        let from = Subject::path("/w/a", Access::Delete);
        Inspection::mutating().touching(from).touching(Subject::path(to, Access::Write))
    };
    let definition = tool("move_path", ToolTraits::EDIT);
    assert_eq!(judge(&rules, &definition, &inspection("/etc/x"), TrustLevel::Trusted).0, Deny);
    assert_eq!(judge(&rules, &definition, &inspection("/w/b"), TrustLevel::Trusted).0, Allow);
}

#[test]
fn addresses() {
    let rules = permissions(r#"fetch = [{ pattern = "https://docs.rs/*", action = "allow" }]"#);
    let fetch = tool("fetch", ToolTraits::FETCH);
    for (scheme, host, verdict) in
        [("https", "docs.rs", Allow), ("https", "docs.rs.evil.example", Ask), ("http", "docs.rs", Ask)]
    {
        let url = WebUrl::from_parts(scheme, host, None, "/a/b");
        let inspection = Inspection::read_only().touching(Subject::Url { url: url.clone() });
        assert_eq!(judge(&rules, &fetch, &inspection, TrustLevel::Trusted).0, verdict, "{url}");
    }
}

#[test]
fn without_rules_what_a_tool_promises_decides() {
    let none = permissions("");
    let check = |definition: &ToolDef, verdict: Verdict| {
        for inspection in [Inspection::default(), Inspection::default().touching(Subject::path("/w/a", Access::Read))] {
            let found = judge(&none, definition, &inspection, TrustLevel::Trusted).0;
            assert_eq!(found, verdict, "{}", definition.name);
        }
    };
    check(&tool("read", ToolTraits::READ_ONLY), Allow);
    check(&tool("fetch", ToolTraits::FETCH), Ask);
    check(&tool("edit", ToolTraits::EDIT), Ask);
    check(&tool("other", ToolTraits::CAUTIOUS), Ask);
    let server = ToolOrigin::Mcp { server: "s".into(), trusted: false };
    check(&tool("claims", ToolTraits::READ_ONLY).from_origin(server), Ask);
}

#[test]
fn a_tool_without_subjects_goes_by_a_rule_for_everything() {
    let rules = permissions(
        r#"
        a = [{ pattern = "*", action = "allow" }]
        b = [{ pattern = "x", action = "allow" }]
        c = [{ pattern = "**", action = "deny" }]
        "#,
    );
    for (name, verdict) in [("a", Allow), ("b", Ask), ("c", Deny)] {
        let definition = tool(name, ToolTraits::READ_ONLY);
        assert_eq!(judge(&rules, &definition, &Inspection::default(), TrustLevel::Trusted).0, verdict, "{name}");
    }
}

#[test]
fn trust_and_the_tools_own_wish_only_tighten() {
    let rules = permissions(r#"edit = [{ pattern = "*", action = "allow" }]"#);
    let table = [
        (ToolTraits::READ_ONLY, "read", [Allow, Allow, Ask]),
        (ToolTraits::EDIT, "edit", [Allow, Ask, Deny]),
        (ToolTraits::FETCH, "fetch", [Ask, Ask, Deny]),
    ];
    for (traits, name, verdicts) in table {
        let levels = [TrustLevel::Trusted, TrustLevel::Provisional, TrustLevel::Untrusted];
        for (trust, verdict) in levels.into_iter().zip(verdicts) {
            let definition = tool(name, traits);
            assert_eq!(judge(&rules, &definition, &Inspection::default(), trust).0, verdict, "{name} {trust:?}");
        }
    }
    let wish = ConfirmReason::new("removes files", "tools.shell.confirm_patterns \"rm\"");
    let found = bash(r#"bash = [{ pattern = "rm *", action = "allow" }]"#, &line("rm x").confirming(wish));
    assert_eq!(found, (Ask, "tools.shell.confirm_patterns \"rm\"".to_owned()));
}

#[test]
fn the_deciding_rule_is_named_as_it_stands_in_the_configuration() {
    let rules = r#"bash = [{ pattern = "x", action = "ask" }, { pattern = "cargo *", action = "allow" }]"#;
    let named = |text: &str| bash(rules, &line(text)).1;
    assert_eq!(named("cargo test"), r#"permissions.bash[1] "cargo *""#);
    assert_eq!(named("cd a; cargo test"), r#"permissions.bash[1] "cargo *""#);
    assert_eq!(named("x"), r#"permissions.bash[0] "x""#);
    assert_eq!(named("cd a"), r#"defaults.bash[1] "cd *""#);
    assert_eq!(named("other"), "no rule of permissions.bash matches");
}

#[test]
fn a_session_rule_answers_questions_and_lifts_no_denial() {
    let rules = permissions(r#"bash = [{ pattern = "rm *", action = "deny" }, { pattern = "make*", action = "ask" }]"#);
    let (sessions, session) = (SessionRules::default(), SessionId::generate());
    let definition = tool("bash", ToolTraits::CAUTIOUS);
    let add = |pattern: &str| {
        let rule = StoredRule::new(definition.name.clone(), pattern);
        sessions.add(&session, rule)
    };
    for pattern in ["make *", "rm *", "a; b"] {
        add(pattern).unwrap();
    }
    assert!(add("make [").is_err());
    for (text, verdict) in
        [("make x", Allow), ("rm x", Deny), ("make x; other", Ask), ("makefile", Ask), ("make x; make y", Allow)]
    {
        let view = sessions.of(&session);
        let inspection = line(text);
        let question = Question {
            definition: &definition,
            inspection: &inspection,
            trust: TrustLevel::Trusted,
            workdir: Path::new("/w"),
            session: &view,
            configured: &ConfiguredFiles::default(),
        };
        assert_eq!(decide(&rules, &question).verdict, verdict, "{text}");
    }
    sessions.end(&session);
    assert_eq!(sessions.of(&session).rules().count(), 0);
}

/// A store that nothing is read from.
struct Unread;

#[async_trait::async_trait]
impl ApprovalStore for Unread {
    async fn read(&self) -> Result<ApprovalSnapshot, ApprovalsError> {
        unreachable!("nothing is looked for")
    }

    async fn add(&self, _: &StoredApproval) -> Result<(), ApprovalsError> {
        unreachable!("nothing is added")
    }

    fn max_age(&self) -> std::time::Duration {
        std::time::Duration::ZERO
    }

    fn on_error(&self) -> OnUnreadable {
        OnUnreadable::Keep
    }
}

#[test]
fn what_a_person_rejected_for_good_is_denied_whatever_allows_it() {
    let rules = permissions(r#"bash = [{ pattern = "git *", action = "allow" }]"#);
    let bash = tool("bash", ToolTraits::CAUTIOUS);
    let read = tool("read", ToolTraits { read_only: true, open_world: false, ..ToolTraits::CAUTIOUS });
    let project = || Scope::Project { project: "/w".into() };
    let rejected = |tool: &ToolDef, pattern: &str, scope: Scope, expires: Option<i64>| StoredApproval {
        scope,
        caller: None,
        tool: tool.name.clone(),
        pattern: pattern.to_owned(),
        rejects: true,
        scripts: None,
        at: Timestamp::UNIX_EPOCH,
        expires: expires.map(|second| Timestamp::from_second(second).unwrap()),
        revoked: false,
    };
    let stored = vec![
        rejected(&bash, "git push *", project(), None),
        rejected(&bash, "git commit --amend*", project(), None),
        rejected(&bash, "git fetch*", Scope::Project { project: "/other".into() }, None),
        rejected(&bash, "git stash*", Scope::User, Some(1)),
        rejected(&bash, "> build/**", project(), None),
        rejected(&read, "notes/**", Scope::User, None),
    ];
    let known = ApprovalSnapshot { number: 1, rules: StoredRules::compile(stored) };
    let (sessions, session) =
        (SessionRules::over(Arc::new(Unread), known, Arc::new(SystemClock)), SessionId::generate());
    sessions.add(&session, StoredRule::new(bash.name.clone(), "git push *")).unwrap();
    let view = sessions.of(&session);
    let judged = |definition: &ToolDef, inspection: &Inspection| {
        let workdir = Path::new("/w");
        let configured = &ConfiguredFiles::default();
        let question =
            Question { definition, inspection, trust: TrustLevel::Trusted, workdir, session: &view, configured };
        let decision = decide(&rules, &question);
        (decision.verdict, decision.decided_by.to_string())
    };
    for (text, verdict) in [
        ("git push origin", Deny),
        ("/usr/bin/git push origin", Deny),
        ("git status; 'git' push origin", Deny),
        ("git status", Allow),
        ("git commit -m x", Allow),
        ("git commit $@", Ask),
        ("git fetch origin", Allow),
        ("git stash", Allow),
    ] {
        assert_eq!(judged(&bash, &line(text)).0, verdict, "{text}");
    }
    assert_eq!(judged(&bash, &line("git push origin")).1, r#"rejected "git push *""#);
    let path = |path: &str, access| {
        Inspection::mutating().touching(Subject::Path { path: path.into(), access, by: NamedBy::Call })
    };
    assert_eq!(judged(&read, &path("/w/notes/a", Access::Read)).0, Deny);
    assert_eq!(judged(&read, &path("/w/note", Access::Read)).0, Allow);
    let writes = line("git log").touching(Subject::Path {
        path: "/w/build/a.log".into(),
        access: Access::Write,
        by: NamedBy::Call,
    });
    assert_eq!(judged(&bash, &writes).0, Deny);
}

#[test]
fn ten_thousand_rules_are_judged_alike() {
    let rule = |i: usize| {
        format!(r#"{{ pattern = "tool{i} *", action = "allow" }}, {{ pattern = "deny{i}*x", action = "deny" }},"#)
    };
    let rules = permissions(&format!("bash = [{}]", (0..5000).map(rule).collect::<String>()));
    let definition = tool("bash", ToolTraits::CAUTIOUS);
    for (text, verdict) in [("tool4999 a", Allow), ("tool5000 a", Ask), ("deny4321 x", Deny), ("deny4321 y", Ask)] {
        assert_eq!(judge(&rules, &definition, &line(text), TrustLevel::Trusted).0, verdict, "{text}");
    }
}

#[test]
fn a_line_without_commands_is_allowed_by_a_rule_for_everything_alone() {
    let judged = |rules: &str, text: &str| {
        let (line, program) = (text.to_owned(), String::new());
        let whole = Subject::Command { line, program, argv: vec![], via: vec![] };
        bash(rules, &Inspection::mutating().touching(whole)).0
    };
    let everything = r#"bash = [{ pattern = "*=secret*", action = "deny" }, { pattern = "*", action = "allow" }]"#;
    let table = [("i=$((i+1))", Allow), ("x=secret", Deny), ("((i++))", Allow)];
    for (text, expected) in table {
        assert_eq!(judged(everything, text), expected, "{text}");
    }
    assert_eq!(judged(r#"bash = [{ pattern = "ls*", action = "allow" }]"#, "ls=1"), Ask);
    assert_eq!(judged(r#"bash = [{ pattern = "*", action = "ask" }]"#, "x=1"), Ask);
}
