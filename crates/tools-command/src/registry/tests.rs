//! Properties of every description: its examples hold, and an option before a subcommand never
//! hides what follows.

use std::collections::{BTreeMap, BTreeSet};

use super::programs::PROGRAMS;
use super::spec::{ArgumentCondition, Expect, Program, Rule, Style, Subcommand};
use super::{Consequence, find};
use crate::{Analysis, Effect, Surroundings, analyse};

use tools_core::Access;

fn surroundings() -> Surroundings {
    Surroundings { home: "/home/me".to_owned(), workdir: "/home/me/project".to_owned() }
}

fn programs() -> impl Iterator<Item = &'static Program> {
    PROGRAMS.iter().copied().flatten()
}

/// The reasons to ask about a line: consequences and opaque parts.
fn reasons(found: &Analysis) -> Vec<(Option<Consequence>, String)> {
    let consequences = found.commands.iter().flat_map(|command| &command.effects).filter_map(|effect| match effect {
        Effect::Is { kind, why } => Some((Some(*kind), why.to_string())),
        _ => None,
    });
    consequences.chain(found.opaque.iter().map(|why| (None, why.clone()))).collect()
}

fn names(found: &Analysis, wanted: Access) -> Vec<&str> {
    let effects = found.commands.iter().flat_map(|command| &command.effects);
    effects
        .filter_map(|effect| match effect {
            Effect::Path { path, access, .. } if *access == wanted => Some(path.text.as_str()),
            _ => None,
        })
        .collect()
}

fn hosts(found: &Analysis) -> Vec<&str> {
    let effects = found.commands.iter().flat_map(|command| &command.effects);
    effects.filter_map(|effect| if let Effect::Host(host) = effect { Some(host.text.as_str()) } else { None }).collect()
}

fn words(found: &Analysis) -> Vec<String> {
    let words = |command: &crate::Command| {
        let args = command.args.iter().map(|arg| arg.text.as_str());
        std::iter::once(command.program.text.as_str()).chain(args).collect::<Vec<_>>().join(" ")
    };
    found.commands.iter().map(words).collect()
}

fn is_met(found: &Analysis, expect: Expect) -> bool {
    let reasons = reasons(found);
    let says = |denied: Option<bool>, part: &str| {
        reasons.iter().any(|(kind, why)| kind.map(Consequence::is_denied) == denied && why.contains(part))
    };
    match expect {
        Expect::Asks(part) => says(Some(false), part),
        Expect::Denied(part) => says(Some(true), part),
        Expect::Opaque(part) => says(None, part),
        Expect::Runs(line) => words(found).iter().any(|words| words == line),
        Expect::Scripts(file) => {
            let scripts = found.commands.iter().flat_map(|command| &command.scripts);
            scripts.map(|script| script.text.trim_start_matches("./")).any(|script| script == file)
        }
        Expect::Reads(path) => names(found, Access::Read).contains(&path),
        Expect::Writes(path) => names(found, Access::Write).contains(&path),
        Expect::Deletes(path) => names(found, Access::Delete).contains(&path),
        Expect::Connects(host) => hosts(found).contains(&host),
        Expect::Is(line) => {
            let canonical = found.commands.iter().filter_map(|command| command.canonical.as_ref());
            canonical.map(|canonical| canonical.words.join(" ")).any(|words| words == line)
        }
    }
}

#[test]
fn every_example_is_true() {
    let mut wrong = Vec::new();
    for line in programs().flat_map(|program| program.plain_lines) {
        let found = analyse(line, &surroundings());
        wrong.extend(reasons(&found).first().map(|reason| format!("{line}: {reason:?}")));
    }
    for (line, expect) in programs().flat_map(|program| program.examples) {
        let found = analyse(line, &surroundings());
        if !is_met(&found, *expect) {
            let effects: Vec<_> = found.commands.iter().map(|command| (&command.line, &command.effects)).collect();
            wrong.push(format!("{line}: expected {expect:?}, found {:?} in {effects:?}", reasons(&found)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_program_has_examples_and_a_name_of_its_own() {
    let mut seen = BTreeSet::new();
    for program in programs() {
        let name = program.all_names().first().expect("a name");
        let mut lines = program.examples.iter().map(|(line, _)| line).chain(program.plain_lines).peekable();
        assert!(lines.peek().is_some(), "`{name}` has no examples");
        for name in program.all_names() {
            assert!(seen.insert(*name), "`{name}` is described twice");
        }
        let is_own = |line: &str| program.all_names().iter().any(|name| line.contains(name.trim_end_matches('*')));
        assert!(lines.all(|line| is_own(line)), "an example of `{name}` is of another program");
        assert!(find(name).is_some());
    }
}

/// A rule on the first of several spellings allows the others: `docker ps|kill` would allow `kill`.
/// So each spelling must be an abbreviation of the first, or be listed as looked up and equivalent.
#[test]
fn spellings_of_one_name_mean_the_same() {
    let is_short = |first: &str, other: &str| {
        let of_gnu = other.strip_prefix('g') == Some(first);
        let numbered = other.strip_prefix(first).is_some_and(|rest| rest.chars().all(|c| "-.0123456789*".contains(c)));
        first.starts_with(other) || other.strip_suffix('s') == Some(first) || of_gnu || numbered
    };
    let mut found = BTreeSet::new();
    for program in programs() {
        let name = program.all_names()[0];
        let mut groups = vec![program.names.join("|")];
        let mut below: Vec<&Subcommand> = program.subcommands.iter().collect();
        while let Some(one) = below.pop() {
            groups.extend(one.names.split_ascii_whitespace().map(str::to_owned));
            below.extend(one.subcommands);
        }
        let is_meant = |group: &String| {
            let (first, others) = group.split_once('|').unwrap_or((group, ""));
            others.split('|').any(|other| !other.is_empty() && !is_short(first, other))
        };
        found.extend(groups.into_iter().filter(is_meant).map(|group| format!("{name} {group}")));
    }
    let looked_up: BTreeSet<String> = SAME.split(", ").map(str::to_owned).collect();
    assert_eq!(found, looked_up);
}

#[test]
fn what_is_printed_is_told_of_names_that_a_program_has() {
    for program in programs() {
        let listed = program.prints.iter().flat_map(|(names, _)| names.split(' '));
        let unknown: Vec<&str> = listed.filter(|name| !program.all_names().contains(name)).collect();
        assert_eq!(unknown, Vec::<&str>::new(), "{:?}", program.all_names());
    }
}

/// Every spelling of a program's options before the subcommand, with a value if one is needed.
fn global_options(program: &Program, without: &BTreeSet<&str>) -> Vec<String> {
    let spelled = |list: &'static str| {
        list.split_ascii_whitespace().flat_map(|group| group.split('|')).filter(|one| !without.contains(one))
    };
    let flags = spelled(program.flags).filter(|one| !one.contains(['*', '#'])).map(str::to_owned);
    let valued = spelled(program.valued).flat_map(|one| {
        let attached = if one.starts_with("--") || program.style == Style::Single {
            format!("{one}=.")
        } else {
            format!("{one}.")
        };
        [format!("{one} ."), attached]
    });
    flags.chain(valued).collect()
}

#[test]
fn an_option_in_front_never_hides_what_follows() {
    let (mut variants, mut loosened) = (0, Vec::new());
    for program in programs() {
        // With another option, a path in an example may be relative to another folder.
        let stopped = program
            .examples
            .iter()
            .filter(|(_, expect)| !matches!(expect, Expect::Reads(_) | Expect::Writes(_) | Expect::Deletes(_)));
        let options = global_options(program, &softening(program));
        // If there are many options and examples, each option is tried with some examples and each
        // example with some options.
        let share = (options.len() * (program.examples.len() + program.plain_lines.len())).div_ceil(MAX_OF_ONE).max(1);
        for (number, (line, expect)) in stopped.enumerate() {
            // The position before the subcommand: directly after the program's own name.
            let Some((at, name)) = program.all_names().iter().find_map(|name| {
                let at = line.split(' ').position(|word| word == *name)?;
                Some((at, *name))
            }) else {
                continue;
            };
            for option in options.iter().skip(number % share).step_by(share) {
                let mut words: Vec<&str> = line.split(' ').collect();
                words.insert(at + 1, option);
                let variant = words.join(" ");
                variants += 1;
                let found = analyse(&variant, &surroundings());
                let is_stricter = !reasons(&found).is_empty() && !matches!(expect, Expect::Denied(_));
                if !is_met(&found, *expect) && !is_stricter {
                    loosened.push(format!("{name}: {variant} (expected {expect:?})"));
                }
            }
        }
    }
    assert!(loosened.is_empty(), "{} of {variants} variants:\n{}", loosened.len(), loosened.join("\n"));
    assert!(variants >= MIN_VARIANTS, "{variants} variants are too few to say much");
}

/// Checks variants of a stopped line in which something is put together at run time: its effect is
/// unknown then, so a question must follow.
fn check_variants(least: usize, variants: impl Fn(&Program, &str) -> Vec<String>) {
    let (mut count, mut loosened) = (0, Vec::new());
    for program in programs() {
        let stopped = |expect| matches!(expect, Expect::Denied(_) | Expect::Asks(_) | Expect::Opaque(_));
        for (line, expect) in program.examples.iter().filter(|(_, expect)| stopped(*expect)) {
            for variant in variants(program, line) {
                count += 1;
                if reasons(&analyse(&variant, &surroundings())).is_empty() {
                    loosened.push(format!("{variant} ({expect:?})"));
                }
            }
        }
    }
    assert!(loosened.is_empty(), "{} of {count} variants:\n{}", loosened.len(), loosened.join("\n"));
    assert!(count >= least, "{count} variants are too few to say much");
}

#[test]
fn an_option_that_is_put_together_is_never_taken_for_nothing() {
    check_variants(MIN_PIECED, |_, line| {
        let words: Vec<&str> = line.split(' ').collect();
        let is_option = |word: &str| {
            let name = word.split('=').next().unwrap_or_default();
            name.len() > 2 && name.starts_with('-') && name.bytes().all(|c| c.is_ascii_alphabetic() || c == b'-')
        };
        // `-Xclang` takes a value that looks like an option, and `--odd` is invented.
        let is_known = |at: usize| words[at] != "--odd" && words[at - 1] != "-Xclang";
        let mut found = Vec::new();
        for (at, word) in words.iter().enumerate().skip(1).filter(|(at, word)| is_option(word) && is_known(*at)) {
            let (start, rest) = word.split_at(if word.starts_with("--") { 3 } else { 1 });
            for pieced in
                [format!("{start}$(echo {rest})"), format!("{start}${{x:-{rest}}}"), format!("$(echo {word})")]
            {
                let mut variant = words.clone();
                variant[at] = &pieced;
                found.push(variant.join(" "));
            }
        }
        found
    });
}

/// The same with an empty expansion inside a word.
#[test]
fn a_word_that_is_put_together_is_never_taken_for_nothing() {
    check_variants(MIN_VARIANTS, |program, line| {
        // The choice of the process is data: `kill $(cat server.pid)`.
        let is_data = program.all_names().iter().any(|name| ["kill", "pkill", "killall"].contains(name));
        if is_data { Vec::new() } else { pieced(line) }
    });
}

/// The line with each plain word after the program spelt by expansions.
fn pieced(line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split(' ').collect();
    let is_plain =
        |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_alphanumeric() || b"-_./:=@,+%".contains(&c));
    let is_quoted = |at: usize| {
        let before = words[..at].join(" ");
        before.matches('\'').count() % 2 == 1 || before.matches('"').count() % 2 == 1
    };
    let mut found = Vec::new();
    // `--odd` is invented, and the word after `for` is not expanded.
    let is_meant = |at: usize| words[at] != "--odd" && words[at - 1] != "for";
    let plain = words.iter().enumerate().skip(1).filter(|(at, word)| is_plain(word) && !is_quoted(*at));
    for (at, word) in plain.filter(|(at, _)| is_meant(*at)) {
        let mut spellings = vec![format!("\"$(echo {word})\"")];
        if let Some((name, value)) = word.split_once('=') {
            spellings.push(format!("{name}=\"$(echo {value})\""));
        }
        for cut in [0, 1, word.len() / 2] {
            let (start, rest) = word.split_at(cut);
            spellings.extend(["${nil:-}", "${nil}", "\"$nil\""].map(|empty| format!("{start}{empty}{rest}")));
        }
        for spelling in &spellings {
            let mut variant = words.clone();
            variant[at] = spelling;
            found.push(variant.join(" "));
        }
    }
    found
}

/// A rule about an option that no syntax lists would never apply. Programs share rules, so it is
/// enough that one of them lists the option.
#[test]
fn every_option_of_a_rule_is_listed() {
    let mut is_known: BTreeMap<&str, bool> = BTreeMap::new();
    for program in programs() {
        let mut syntaxes = vec![program.syntax()];
        let mut rules: Vec<&Rule> = program.rules.iter().collect();
        let mut below: Vec<&Subcommand> = program.subcommands.iter().collect();
        while let Some(one) = below.pop() {
            syntaxes.push(one.syntax);
            rules.extend(one.rules);
            below.extend(one.subcommands);
        }
        let lists = syntaxes.iter().flat_map(|syntax| [syntax.flags, syntax.valued, syntax.optional, syntax.last]);
        let listed: BTreeSet<&str> = lists.flat_map(|list| list.split([' ', '|', '\n'])).collect();
        for options in rules.into_iter().flat_map(Rule::options) {
            let all = options.split_ascii_whitespace().all(|option| listed.contains(option));
            *is_known.entry(options).or_default() |= all;
        }
    }
    let dead: Vec<&str> = is_known.into_iter().filter(|(_, is_known)| !is_known).map(|(options, _)| options).collect();
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

/// Options that make a command do less: some rule has the condition that they are absent.
fn softening(program: &Program) -> BTreeSet<&'static str> {
    fn of(subcommands: &'static [Subcommand]) -> Vec<&'static Rule> {
        subcommands.iter().flat_map(|one| one.rules.iter().chain(of(one.subcommands))).collect()
    }
    let rules = program.rules.iter().chain(of(program.subcommands));
    let lacks = rules.flat_map(Rule::when).filter_map(|when| match when {
        ArgumentCondition::Lacks(options) => Some(options.split(' ')),
        _ => None,
    });
    let softening: BTreeSet<&str> = lacks.flatten().chain(["--help", "-h", "--version"]).collect();
    let syntaxes = [program.syntax()].into_iter().chain(program.subcommands.iter().map(|one| one.syntax));
    let groups = syntaxes.flat_map(|syntax| [syntax.flags, syntax.valued, syntax.optional]);
    let groups = groups.flat_map(str::split_ascii_whitespace);
    let alike =
        groups.filter(|group| group.split('|').any(|one| softening.contains(one))).flat_map(|group| group.split('|'));
    alike.chain(softening.iter().copied()).collect()
}

/// Maximum number of variants of one program.
const MAX_OF_ONE: usize = 120;

/// Fewer variants would mean that examples lost their options.
const MIN_PIECED: usize = 500;

/// Fewer variants would mean that descriptions lost their options or their examples.
const MIN_VARIANTS: usize = 10_000;

/// Spellings that were looked up, after the name of their program.
const SAME: &str = "\
    bun remove|rm, bundle bundle|bundler, cargo remove|rm, cargo workspaces|ws, composer composer|composer.phar, \
    conda remove|uninstall, direnv allow|permit|grant, docker bake|f, docker rm|remove, fd fd|fdfind, \
    gh codespace|cs, git add|stage, git init|init-db, git remove|rm, glab ci|pipeline|pipe, glab pulls|pull|pr, \
    glab repo|project|repos, gradle gradle|gradlew|gradlew.bat, helm dependency|dep|dependencies, helm pull|fetch, \
    helm show|inspect, helm uninstall|del|delete|un, hg config|showconfig|debugconfig, hg hg|chg|rhg, \
    hg purge|clean, hg remove|rm, hg update|up|checkout|co, ip neighbour|n|ne|nei|neigh|neighbor, jj commit|ci, \
    jj op|operation, make make|gmake|bmake|remake, mapfile mapfile|readarray, mise exec|x, mise mise|rtx, \
    mvn mvn|mvnw|mvnd|mvnw.cmd|mvnDebug, ninja ninja|samu, npm adduser|login|add-user, npm bugs|issues, \
    npm ci|clean-install|ic|install-clean|isntall-clean, npm dedupe|ddp, npm docs|home, npm exec|x, \
    npm explain|why, npm init|create|innit, npm install-ci-test|cit|clean-install-test|sit, npm install-test|it, \
    npm install|i|in|ins|inst|insta|instal|isnt|isnta|isntal|isntall|add, npm link|ln, npm list|ls, npm org|ogr, \
    npm owner|author, npm rebuild|rb, npm run|run-script|rum|urn, npm search|find|s|se, npm test|t|tst, \
    npm uninstall|un|unlink|remove|rm|r, npm update|up|upgrade|udpate, npm version|verison, npm view|v|info|show, \
    pdm exec|x, pnpm link|ln, pnpm remove|rm|uninstall|un, pnpm run|run-script, pnpm test|t|tst, \
    pnpm update|up|upgrade, pytest pytest|py.test|pytest-3, source source|., \
    start-server-and-test start-server-and-test|server-test, svn blame|praise|annotate|ann, svn checkout|co, \
    svn commit|ci, svn copy|cp, svn delete|del|remove|rm, svn list|ls, svn move|mv|rename|ren, \
    svn propdel|pdel|pd, svn propset|pset|ps, tar tar|gtar|bsdtar, task task|go-task, \
    tmux display-popup|popup, tmux new-window|neww, tmux pipe-pane|pipep, tmux respawn-pane|respawnp, \
    tmux respawn-window|respawnw, tmux split-window|splitw, \
    wasm-pack login|adduser|add-user, yarn yarn|yarnpkg, yq eval-all|ea";
