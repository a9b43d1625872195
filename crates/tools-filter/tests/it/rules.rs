//! Which rule a command gets, and what a user's rules and settings change.

use tools_filter::{CommandMatcher, Exit, FilterConfig, FilterPipeline, Rule, StrategyConfig};

#[test]
fn each_command_gets_its_rule() {
    let pipeline = FilterPipeline::builtin();
    let table = [
        ("cargo test", Some("cargo-test")),
        ("cd x; cargo test", Some("cargo-test")),
        ("A=1 cargo test --lib 2>&1 | tail -5", Some("cargo-test")),
        ("cargo test && echo done", None),
        ("cargo testify", None),
        ("cargo nextest run", Some("cargo-nextest")),
        ("cargo +nightly clippy -- -D warnings", Some("cargo-clippy")),
        ("cargo check", Some("cargo-build")),
        ("git -C x status", Some("git-status")),
        ("git diff HEAD~1", Some("git-diff")),
        ("git log --oneline", Some("git-log")),
        ("git push origin main", Some("git-transfer")),
        ("cargo update", Some("cargo-update")),
        ("psql -f a.sql", Some("sql")),
        ("ls -la", Some("listing")),
        ("find . -name '*.rs'", Some("listing")),
        ("tree -L 2", Some("listing")),
        ("tail -n 100 /var/log/syslog", Some("log-dedup")),
        ("docker logs web", Some("log-dedup")),
        ("journalctl -u x", Some("log-dedup")),
        ("docker build -t x .", Some("docker-build")),
        ("docker-compose up -d", Some("docker-build")),
        ("npm ci", Some("npm-install")),
        ("yarn install", Some("npm-install")),
        ("pnpm i", Some("npm-install")),
        ("python3 -m pip install x", Some("pip-install")),
        ("pip uninstall -y x", Some("pip-uninstall")),
        ("make -j8", Some("make")),
        ("makeinfo x", None),
        ("makepkg", None),
        ("ninja -C out", Some("make")),
        ("python -m pytest -q", Some("pytest")),
        ("go test ./...", Some("go-test")),
        ("terraform plan", Some("terraform")),
        ("kubectl get pods -A", Some("kubectl")),
        ("brew install x", Some("brew")),
        ("npx jest", Some("js-test")),
        ("pnpm vitest run", Some("js-test")),
        ("npx tsc --noEmit", Some("tsc")),
        ("npx eslint src", Some("eslint")),
        ("ruff check .", Some("ruff")),
        ("mypy src", Some("mypy")),
        ("gcc -c a.c", Some("compiler")),
        ("curl -O https://x", Some("transfer")),
        ("./gradlew build", Some("jvm")),
        ("mvn test", Some("jvm")),
        ("dotnet build", Some("dotnet")),
        ("bundle exec rspec", Some("rspec")),
        ("npx nx run-many", Some("js-build")),
        ("turbo run build", Some("js-build")),
        ("", None),
        ("cat кириллица-кириллица-кириллица-кириллица", Some("long-lines")),
    ];
    for (command, expected) in table {
        assert_eq!(pipeline.rule_for(command).map(Rule::name), expected, "{command}");
    }
    assert!(pipeline.rule_names().count() >= 19);
}

/// What a reader needs although lines of its form are noise as a rule.
#[test]
fn news_in_a_usual_form_is_shown() {
    let table = [
        (
            "curl -vk https://a.test",
            Exit::Code(0),
            "*   Trying 127.0.0.1:8463...\n*  subject: CN=a.test; O=x\n* SSL certificate verify result: \
             self-signed certificate (18), continuing anyway.\n> Accept: */*\n< HTTP/1.0 404 Not Found\n",
            &["CN=a.test", "self-signed certificate"][..],
        ),
        (
            "wget http://a.test/big",
            Exit::Code(0),
            "HTTP request sent, awaiting response... 200 OK\n     0K .......... ..........  1% 1.49M 2s\n",
            &["200 OK"],
        ),
        (
            "go test -v ./store",
            Exit::Code(0),
            "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestSkip\n    a_test.go:32: needs redis\n\
             --- SKIP: TestSkip (0.00s)\nPASS\n",
            &["TestSkip", "needs redis"],
        ),
        (
            "npm install",
            Exit::Code(7),
            "> a@1.0.0 postinstall\n> node patch.js\n\nnpm error code 7\n",
            &["postinstall", "npm error code 7"],
        ),
    ];
    for (command, exit, text, news) in table {
        let shown = FilterPipeline::builtin().filter(command, exit, text.as_bytes()).text;
        assert!(news.iter().all(|news| shown.contains(news)), "{command}: {shown}");
    }
}

const USER: &str = r#"
[[rules]]
name = "mine"
match = { prefix = "cargo test" }
strategy = { type = "strip_noise", patterns = ["^junk"] }
[[rules]]
name = "git-status"
enabled = false
[[rules]]
name = "broken"
match = { prefix = "x" }
strategy = { type = "truncate", max_lines = 5, head = 5, tail = 5 }
[[rules]]
name = "capture"
match = { prefix = "x" }
strategy = { type = "group_by_rule", rule_pattern = "no group" }
"#;

#[test]
fn rules_of_a_user_come_first_and_replace_built_in_ones() {
    let (pipeline, errors) = FilterPipeline::compile(&FilterConfig::default(), Some(USER));
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "rule `broken` is skipped: `max_lines` is less than `head` and `tail` together",
            "rule `capture` is skipped: `rule_pattern` needs a capture group"
        ]
    );
    assert_eq!(pipeline.rule_for("cargo test").map(Rule::name), Some("mine"));
    assert_eq!(pipeline.rule_for("git status").map(Rule::name), None);
    assert_eq!(
        pipeline.filter("cargo test", Exit::Code(0), b"junk that is longer than a mark\nresult\n").text,
        "[… 1 line]\nresult\n"
    );
}

#[test]
fn older_keys_set_the_parameters_of_built_in_rules() {
    let config: FilterConfig = toml::from_str(
        "[git]\nmax_diff_lines = 4\nmax_log_entries = 1\n[clippy]\nenabled = false\n[test]\nmax_failures = 3\n",
    )
    .unwrap();
    let (pipeline, errors) = FilterPipeline::compile(&config, None);
    assert_eq!(errors, []);
    let diff = "diff --git a/a b/a\nindex 1..2\n--- a/a\n+++ b/a\n@@ -1,9 +1,9 @@\n context line number one\n-old line number one\n+new line number one\n+new line number two, which is long\n+new line number three, which is long\n";
    let filtered = pipeline.filter("git diff", Exit::Code(0), diff.as_bytes()).text;
    assert!(filtered.contains("diff --git a/a b/a") && filtered.contains("+3 -1 in all"), "{filtered}");
    let log = "commit aaaaaaaaaaaaaaaa\nAuthor: A\nDate:   D\n\n    one\n\ncommit bbbbbbbbbbbbbbbb\nAuthor: A\nDate:   D\n\n    two\n";
    assert!(
        pipeline.filter("git log", Exit::Code(0), log.as_bytes()).text.ends_with("[… 1 more commits; ask with -n]\n")
    );
    assert!(!pipeline.filter("git log -2", Exit::Code(0), log.as_bytes()).text.contains("more commits"));
    assert_eq!(pipeline.rule_for("cargo clippy").map(Rule::name), None);
    assert!(toml::from_str::<FilterConfig>("nonsense = 1").is_err());
}

#[test]
fn switched_off_filters_leave_text_but_for_what_a_terminal_resolves() {
    let config = FilterConfig { enabled: false, ..FilterConfig::default() };
    let (pipeline, _) = FilterPipeline::compile(&config, Some(USER));
    let filtered = pipeline.filter("cargo test", Exit::Code(0), b"\x1b[31mjunk\x1b[0m\n\n\n\nx");
    assert_eq!((filtered.text.as_str(), filtered.report.stats), ("junk\n\n\n\nx", None));
}

#[test]
fn runs_of_blank_lines_collapse_whatever_the_rule_finds() {
    let filtered = FilterPipeline::builtin().filter("cargo build", Exit::Code(0), b"a\n\n\n\nb\n");
    assert_eq!(filtered.text, "a\n\nb\n");
    let filtered = FilterPipeline::builtin().filter("git status", Exit::Code(1), b"a\n\n\n\nb\n");
    assert_eq!(filtered.text, "a\n\nb\n");
}

#[test]
fn a_host_can_add_a_rule_of_its_own() {
    let matcher = CommandMatcher::Custom(std::sync::Arc::new(|command| command.words.len() == 3));
    let strategy: StrategyConfig = toml::from_str("type = \"keep_matching\"\npatterns = [\"^keep\"]").unwrap();
    let pipeline = FilterPipeline::builtin().with_rule(Rule::new("host", matcher, vec![strategy]).unwrap());
    let text = "keep this\nand leave this one out of it, please\n";
    assert_eq!(pipeline.filter("a b c", Exit::Code(0), text.as_bytes()).text, "keep this\n[… 1 line]\n");
    assert_eq!(pipeline.filter("a b c", Exit::Code(1), text.as_bytes()).text, text);
    let (full, partial, fallback) = pipeline.metrics().confidence().totals();
    assert_eq!((full, partial, fallback), (1, 0, 1));
}

/// The rules of the guide hold as they stand there.
#[test]
fn the_rules_in_the_guide_are_right() {
    let guide = include_str!("../../../../docs/writing-a-filter.md");
    let rules = guide.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the guide has rules");
    let (pipeline, errors) = FilterPipeline::compile(&FilterConfig::default(), Some(rules));
    assert_eq!(errors, []);
    assert_eq!(pipeline.rule_for("bazel test //...").map(Rule::name), Some("bazel"));
    assert_eq!(pipeline.rule_for("./report.sh -v").map(Rule::name), Some("long-report"));
    assert_eq!(pipeline.rule_for("git log").map(Rule::name), None);
    let plain = "cd app && RUST_LOG=1 timeout 60 cargo +nightly test 2>&1 | tail -80";
    assert_eq!(pipeline.rule_for(plain).map(Rule::name), Some("cargo-test"));
}

#[test]
fn what_was_uninstalled_is_named() {
    let text = "Found existing installation: mccabe 0.7.0\nUninstalling mccabe-0.7.0:\n  \
        Successfully uninstalled mccabe-0.7.0\n";
    let filtered = FilterPipeline::builtin().filter("pip uninstall -y mccabe", Exit::Code(0), text.as_bytes()).text;
    assert!(filtered.ends_with("  Successfully uninstalled mccabe-0.7.0\n"), "{filtered}");
}
