//! Older configurations: what they become, and that they go on meaning the same.

use haft::Toolbox;
use haft::config::{LoadedConfig, migrate};
use haft::core::{ToolCall, Verdict};
use tools_testkit::Workspace;

/// The text that `old` becomes, which is left alone from then on.
fn check(old: &str, new: &str, warnings: &[&str]) {
    let migrated = migrate(old).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(migrated.text, new, "{migrated:#?}");
    assert_eq!(migrated.warnings.len(), warnings.len(), "{migrated:#?}");
    for (found, part) in migrated.warnings.iter().zip(warnings) {
        assert!(found.contains(part), "{migrated:#?}");
    }
    let again = migrate(&migrated.text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((&again.text, &again.changes, &again.filter_rules), (&migrated.text, &vec![], &None));
}

#[test]
fn a_configuration_of_today_stays_as_it_is() {
    for text in ["", "# nothing\n", "[tools.shell]\ntimeout = 5 # short\n", "[tools.filters]\nenabled = false\n"] {
        check(text, text, &[]);
    }
}

#[test]
fn retries_move_with_their_comments() {
    check(
        "# mine\n[agent]\n# how often\nmax_tool_retries = 3 # thrice\nmax_retry_duration_secs = 9\n\n[tools.shell]\ntimeout = 5\n",
        "# mine\n[agent]\n\n[tools.shell]\ntimeout = 5\n\n[tools.retry]\n# how often\nmax_attempts = 3 # thrice\nbudget_secs = 9\n",
        &[],
    );
    check(
        "[agent]\nmax_tool_retries = 3\nhallucination_detection = true\n[tools.retry]\nmax_attempts = 5\n",
        "[agent]\nhallucination_detection = true\n[tools.retry]\nmax_attempts = 5\n",
        &["`agent.max_tool_retries` is set beside `tools.retry.max_attempts`: the new key counts"],
    );
    check("agent.max_tool_retries = 3\n", "[tools.retry]\nmax_attempts = 3\n", &[]);
    check("agent = { max_tool_retries = 3 }\n", "[tools.retry]\nmax_attempts = 3\n", &[]);
    check(
        "[tools]\nretry = { base_ms = 1 }\n[agent]\nmax_tool_retries = 3\n",
        "[tools]\nretry = { base_ms = 1 , max_attempts = 3 }\n",
        &[],
    );
}

#[test]
fn the_switch_of_the_network_is_a_choice_of_three() {
    check(
        "[tools.shell]\n# closed\nallow_network = false # really\ntimeout = 5\n",
        "[tools.shell]\ntimeout = 5\n# closed\nnetwork = \"off\" # really\n",
        &[],
    );
    check("[tools.shell]\nallow_network = true\n", "[tools.shell]\nnetwork = \"open\"\n", &[]);
    check(
        "[tools.shell]\nallow_network = true\nnetwork = \"gate\"\n",
        "[tools.shell]\nnetwork = \"gate\"\n",
        &["the new key counts"],
    );
}

#[test]
fn the_tool_that_read_on_is_the_one_that_reads_what_is_stored() {
    check(
        "[[tools.permissions.more]]\npattern = \"*\"\naction = \"allow\"\n",
        "[[tools.permissions.read_overflow]]\npattern = \"*\"\naction = \"allow\"\n",
        &[],
    );
    check("[tools.utility]\nexempt_tools = [\"more\"]\n", "[tools.utility]\nexempt_tools = [\"read_overflow\"]\n", &[]);
    check(
        "[[tools.policy.rules]]\neffect = \"deny\"\ntool = \"more\"\n",
        "[[tools.policy.rules]]\neffect = \"deny\"\ntool = \"read_overflow\"\n",
        &[],
    );
}

#[test]
fn tools_are_named_as_they_are_today() {
    check(
        "[tools.permissions]\n# look\nglob = [{ pattern = \"src/**\", action = \"allow\" }]\n",
        "[tools.permissions]\n# look\nfind_path = [{ pattern = \"src/**\", action = \"allow\" }]\n",
        &[],
    );
    check(
        "[[tools.permissions.find_path]]\npattern = \"a\"\naction = \"allow\"\n[[tools.permissions.glob]]\npattern = \"*\"\naction = \"deny\"\n",
        "[[tools.permissions.find_path]]\npattern = \"a\"\naction = \"allow\"\n[[tools.permissions.find_path]]\npattern = \"*\"\naction = \"deny\"\n",
        &["its rules follow those of the new name"],
    );
    check(
        "[tools.utility]\nexempt_tools = [\"load_skill\", \"scheduler\", \"glob\"]\n",
        "[tools.utility]\nexempt_tools = [\"load_skill\", \"schedule_periodic\", \"schedule_deferred\", \"cancel_task\", \"find_path\"]\n",
        &[],
    );
    check(
        "[[tools.policy.rules]]\neffect = \"deny\"\ntool = \"scheduler\" # all\n",
        "[[tools.policy.rules]]\neffect = \"deny\"\ntool = \"schedule_periodic\" # all\n[[tools.policy.rules]]\neffect = \"deny\"\ntool = \"schedule_deferred\" # all\n[[tools.policy.rules]]\neffect = \"deny\"\ntool = \"cancel_task\" # all\n",
        &[],
    );
    check("[tools.trust.tools]\nglob = \"trusted\"\n", "[tools.trust.tools]\nfind_path = \"trusted\"\n", &[]);
}

#[test]
fn lists_of_the_shell_become_rules() {
    check(
        "[tools.shell]\ntimeout = 5\nblocked_commands = [\"nc\"]\nconfirm_patterns = [\"make deploy\"]\n",
        r#"[tools.shell]
timeout = 5
confirm_patterns = []

[tools.permissions]
bash = [
    { pattern = "nc", action = "deny" },
    { pattern = "nc *", action = "deny" },
    { pattern = "make{ , * }deploy", action = "ask" },
    { pattern = "make{ , * }deploy *", action = "ask" },
]
"#,
        &[],
    );
    // Before those that are there, in the form that these have.
    check(
        "[tools.shell]\nblocked_commands = [\"nc\"]\n\n[tools.permissions]\nbash = [\n    # all\n    { pattern = \"*\", action = \"allow\" },\n]\n",
        "\n[tools.permissions]\nbash = [\n    { pattern = \"nc\", action = \"deny\" },\n    { pattern = \"nc *\", action = \"deny\" },\n    # all\n    { pattern = \"*\", action = \"allow\" },\n]\n",
        &[],
    );
    check(
        "[[tools.permissions.bash]]\n# all\npattern = \"*\"\naction = \"allow\"\n[tools.shell]\nconfirm_patterns = [\"make\"]\n",
        "\n[[tools.permissions.bash]]\npattern = \"make\"\naction = \"ask\"\n\n[[tools.permissions.bash]]\npattern = \"make *\"\naction = \"ask\"\n[[tools.permissions.bash]]\n# all\npattern = \"*\"\naction = \"allow\"\n[tools.shell]\nconfirm_patterns = []\n",
        &[],
    );
    // What says what holds anyway goes; an empty list stays: it means something.
    check("[tools.shell]\nconfirm_patterns = []\n", "[tools.shell]\nconfirm_patterns = []\n", &[]);
}

#[test]
fn what_rules_cannot_say_stays() {
    let statements = "[tools.shell]\nconfirm_patterns = [\"make\", \"drop table\"]\n[tools.permissions]\nbash = [{ pattern = \"*\", action = \"allow\" }]\n";
    let migrated = migrate(statements).expect("it is TOML");
    assert!(migrated.text.contains("confirm_patterns = [\"drop table\"]"), "{}", migrated.text);
    assert!(migrated.warnings[0].contains("`drop table`"), "{migrated:?}");
    // A question before a denial would lift it.
    let denial = "[tools.shell]\nconfirm_patterns = [\"make\"]\n[tools.permissions]\nbash = [{ pattern = \"make *\", action = \"deny\" }]\n";
    check(denial, denial, &["stays"]);
}

#[test]
fn unknown_keys_stay_and_are_named() {
    let old = "[agent]\nmax_tool_retries = 3\nmood = \"good\"\n\n[plugins] # of somebody\npath = 1\n";
    let migrated = migrate(old).expect("it is TOML");
    assert_eq!(migrated.unknown, ["agent.mood", "plugins"]);
    assert!(migrated.text.contains("mood = \"good\"") && migrated.text.contains("[plugins] # of somebody\npath = 1\n"));
    assert_eq!(migrate("a = \n").expect_err("it is no TOML").place, Some(haft::config::Place::Line(1)));
}

#[test]
fn limits_of_filters_become_rules_that_filter_the_same() {
    use haft::filter::{Exit, FilterConfig, FilterPipeline};
    let old = "[tools.filters]\nenabled = true\n[tools.filters.test]\nmax_failures = 1\n[tools.filters.git]\nenabled = false\n";
    let migrated = migrate(old).expect("it is TOML");
    assert_eq!(migrated.text, "[tools.filters]\nenabled = true\n");
    let rules = migrated.filter_rules.expect("there are rules");
    let config = LoadedConfig::parse(old, &|_| None).expect("it is read as it is, too");
    let (before, _) = FilterPipeline::compile(&config.config.tools.filters, None);
    let (after, errors) = FilterPipeline::compile(&FilterConfig::default(), Some(&rules));
    assert!(errors.is_empty(), "{errors:?}");
    let printed: Vec<String> = (0..40).map(|number| format!("printed {number} of many\n")).collect();
    let printed = printed.concat();
    let output = format!(
        "running 3 tests\ntest a ... FAILED\ntest b ... FAILED\ntest c ... ok\n\nfailures:\n\n---- a stdout ----\n{printed}\n---- b stdout ----\n{printed}\nfailures:\n    a\n    b\n\ntest result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
    );
    let output = output.as_bytes();
    for command in commands() {
        let names = [&before, &after].map(|pipeline| pipeline.rule_for(&command).map(|rule| rule.name().to_owned()));
        assert_eq!(names[0], names[1], "{command}");
    }
    let filtered = [&before, &after].map(|pipeline| pipeline.filter("cargo test", Exit::Code(101), output).text);
    assert_eq!(filtered[0], filtered[1]);
    assert_ne!(filtered[0], FilterPipeline::builtin().filter("cargo test", Exit::Code(101), output).text);
    assert_eq!(migrate("[tools.filters.git]\nmax_diff_lines = 500\n").expect("it is TOML").text, "");
}

/// Everyday commands and attacks, and for each list of the test below commands that are close to
/// what it names.
fn commands() -> Vec<String> {
    // Behind a tab stands what is expected of a line.
    let line = |row: &str| row.split('\t').next().unwrap_or_default().replace('⏎', "\n");
    let lines = |fixture: &str| fixture.lines().map(line).collect::<Vec<_>>();
    let mut all = lines(include_str!("../../../tools-shell/src/fixtures/passed.txt"));
    all.extend(lines(include_str!("../../../tools-shell/src/fixtures/stopped.txt")));
    let heads = ["kubectl", "terraform", "git push", "nc", "ncat", "make", "docker", "echo"];
    let words =
        ["", "delete", "apply", "-f", "-uf", "--force", "--force-with-lease", "--forced", "deploy", "x delete-me"];
    for head in heads {
        for word in words {
            for form in ["{h} {w}", "{h} -v {w} last", "timeout 5 {h} {w}", "/usr/bin/{h} '{w}'", "{h} {w} | tail -3"] {
                all.push(form.replace("{h}", head).replace("{w}", word));
            }
        }
    }
    all
}

#[tokio::test]
async fn an_older_configuration_and_what_it_becomes_judge_alike() {
    let lists = "[tools.shell]\nblocked_commands = [\"kubectl delete\", \"terraform apply\", \"nc\", \"drop table\"]\nconfirm_patterns = [\"git push -f\", \"git push --force\", \"make deploy\", \"rm\", \"truncate table\"]\n";
    let all = "[tools.permissions]\nbash = [{ pattern = \"*\", action = \"allow\" }]\n";
    let some = "[[tools.permissions.bash]]\npattern = \"git *\"\naction = \"allow\"\n[[tools.permissions.bash]]\npattern = \"docker *\"\naction = \"deny\"\n[[tools.permissions.glob]]\npattern = \"*\"\naction = \"allow\"\n";
    let blocked = "[tools.shell]\nblocked_commands = [\"nc\", \"docker\"]\n";
    let commands = commands();
    assert!(commands.len() >= 1000, "{}", commands.len());
    let workspace = Workspace::new();
    let workdir = workspace.dir("work");
    for old in
        [lists.to_owned(), [lists, all].concat(), [lists, some].concat(), blocked.to_owned(), [blocked, all].concat()]
    {
        let new = migrate(&old).expect("it is TOML").text;
        assert_ne!(old, new);
        let verdicts = [verdicts(&old, &workdir, &commands).await, verdicts(&new, &workdir, &commands).await];
        for (number, command) in commands.iter().enumerate() {
            let [before, after] = [verdicts[0][number], verdicts[1][number]];
            assert_eq!(before, after, "{command}\n{old}\n{new}");
        }
    }
}

/// Lines that hold the words of an entry in any order, its letters apart and in clusters, and lines
/// that only come close.
fn variations(entry: &str) -> Vec<String> {
    let words: Vec<&str> = entry.split_whitespace().collect();
    let (program, words) = words.split_first().expect("it has a program");
    let is_letter = |word: &str| word.len() == 2 && word.starts_with('-') && word != "--";
    let letters: String = words.iter().filter(|word| is_letter(word)).map(|word| &word[1..]).collect();
    let others: Vec<&str> = words.iter().copied().filter(|word| !is_letter(word)).collect();
    let mut all = vec![(*program).to_owned()];
    for mut order in orders(words) {
        all.push(format!("{program} {}", order.join(" ")));
        all.push(format!("{program} x {} 'y z'", order.join(" between ")));
        order.pop();
        all.push(format!("{program} {}", order.join(" ")));
    }
    if !letters.is_empty() {
        let reversed: String = letters.chars().rev().collect();
        for cluster in [
            letters.clone(),
            reversed.clone(),
            format!("q{letters}"),
            format!("uvqnwx{letters}"),
            format!("{reversed}wxzyq"),
            format!("1{}23456789", letters.chars().flat_map(|letter| [letter, '0']).collect::<String>()),
        ] {
            for mut order in orders(&others) {
                order.push("last");
                all.push(format!("{program} -{cluster} {}", order.join(" ")));
                all.push(format!("{program} {} -{cluster}", order.join(" ")));
            }
        }
    }
    for word in words.iter().filter(|word| word.starts_with("--")) {
        for longer in [format!("{word}=x"), format!("{word}-more"), format!("{word}more")] {
            all.push(format!("{program} {}", words.join(" ").replacen(word, &longer, 1)));
        }
    }
    all
}

fn orders<'a>(words: &[&'a str]) -> Vec<Vec<&'a str>> {
    if words.is_empty() {
        return vec![vec![]];
    }
    let begun = |at: usize| {
        let rest = [&words[..at], &words[at + 1..]].concat();
        orders(&rest).into_iter().map(move |order| [vec![words[at]], order].concat())
    };
    (0..words.len()).flat_map(begun).collect()
}

#[tokio::test]
async fn every_order_and_cluster_is_blocked_as_before() {
    every_order_and_cluster_is_judged_as_before("blocked_commands").await;
}

#[tokio::test]
async fn every_order_and_cluster_is_asked_about_as_before() {
    every_order_and_cluster_is_judged_as_before("confirm_patterns").await;
}

async fn every_order_and_cluster_is_judged_as_before(list: &str) {
    let mut entries: Vec<String> = [
        "tar -x -f",
        "y -a -b -c",
        "y -a -b -c -d",
        "git push -f",
        "git clean -f -d",
        "docker run --privileged -v --net=host",
        "git push --force",
        "kubectl delete ns --all",
        "y a b c d",
        "y a a",
        "y --force --force-with-lease",
        "y -",
        "y -é",
    ]
    .map(str::to_owned)
    .into();
    // Up to three words of each kind.
    let words = ["", " -a", " --long", " word"];
    for first in words {
        for second in words {
            for third in ["", " -b", " --long"] {
                entries.push(format!("z{first}{second}{third}"));
            }
        }
    }
    entries.sort();
    entries.dedup();
    let workspace = Workspace::new();
    let workdir = workspace.dir("work");
    let all = "[tools.permissions]\nbash = [{ pattern = \"*\", action = \"allow\" }]\n";
    for entry in &entries {
        let commands = variations(entry);
        for rules in ["", all] {
            let old = format!("[tools.shell]\n{list} = [{entry:?}]\n{rules}");
            let migrated = migrate(&old).expect("it is TOML");
            // The same text is judged the same.
            if migrated.text != old {
                let verdicts =
                    [verdicts(&old, &workdir, &commands).await, verdicts(&migrated.text, &workdir, &commands).await];
                for (number, command) in commands.iter().enumerate() {
                    let [before, after] = [verdicts[0][number], verdicts[1][number]];
                    assert_eq!(before, after, "{command}\n{old}\n{}", migrated.text);
                }
            }
            // What stays is named.
            let stays = migrated.text.contains(&format!("{list} = [{entry:?}]"));
            let is_named = migrated.warnings.iter().any(|warning| warning.contains(&format!("`{entry}`")));
            assert_eq!(stays, is_named, "{old}\n{migrated:#?}");
        }
    }
}

async fn verdicts(text: &str, workdir: &std::path::Path, commands: &[String]) -> Vec<Verdict> {
    let mut loaded = LoadedConfig::parse(text, &|_| None).unwrap_or_else(|error| panic!("{error}"));
    loaded.config.tools.audit.enabled = false;
    let toolbox = Toolbox::builder(loaded, workdir).build().unwrap_or_else(|error| panic!("{error}"));
    let mut found = Vec::new();
    for command in commands {
        let call = ToolCall::new("bash", serde_json::json!({ "command": command })).expect("an object");
        found.push(toolbox.explain(call, &toolbox.context()).await.verdict);
    }
    found
}

#[test]
fn an_older_configuration_is_read_as_what_it_becomes_and_says_so() {
    let old =
        "# older\n[agent]\nmax_tool_retries = 4\n\n[tools.permissions]\nglob = [{ pattern = 7, action = \"allow\" }]\n";
    let error = LoadedConfig::parse(old, &|_| None).expect_err("a pattern is a text").to_string();
    assert!(error.contains("line 6: `tools.permissions.find_path[0].pattern`"), "{error}");
    let loaded = LoadedConfig::parse(&old.replace('7', "\"*\""), &|_| None).expect("it is read");
    assert_eq!(loaded.config.tools.retry.max_attempts, 4);
    assert_eq!(loaded.older.len(), 2, "{:?}", loaded.older);
    let place = loaded.effective().into_iter().find(|(path, ..)| path == "tools.retry.max_attempts");
    assert_eq!(place.and_then(|(_, _, place)| place), Some(haft::config::Place::Line(3)));
    let today = LoadedConfig::parse("[tools.retry]\nmax_attempts = 4\n", &|_| None).expect("it is read");
    assert!(today.older.is_empty());
}
