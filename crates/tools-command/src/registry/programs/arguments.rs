//! Programs that add arguments from elsewhere to the command they run.

use crate::reader::{ELSEWHERE, Input, PLACEHOLDER, Value};
use crate::registry::prelude::*;

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["xargs", "gxargs"],
        flags: "-0|--null -r|--no-run-if-empty -p|--interactive -t|--verbose -x|--exit -o|--open-tty --show-limits",
        valued: "-a|--arg-file -d|--delimiter -E -I -J -L -n|--max-args -P|--max-procs -s|--max-chars -S -R \
                     --process-slot-var",
        optional: "-i|--replace -e|--eof -l|--max-lines",
        rules: &[
            when(Lacks("-I -J --replace"), By(appended)),
            when_all(&[Has("-I -J --replace"), Lacks("-n -L --max-lines")], By(replaced)),
            // It depends on the version which of the two options counts.
            when_all(&[Has("-I -J --replace"), Has("-n -L --max-lines")], By(appended)),
            always(Reads(At::Value("--arg-file"))),
        ],
        is_exhaustive: true,
        examples: &[
            ("ls | xargs sudo rm", Expect::Denied("takes other rights")),
            ("xargs -0 -P4 -I{} sudo {}", Expect::Denied("takes other rights")),
            ("ls | xargs -I% mv % %.bak", Expect::Runs("mv {} {}.bak")),
            ("ls | xargs -Isudo -l sudo id", Expect::Denied("takes other rights")),
            ("ls | xargs -i {}", Expect::Opaque("named only when it runs")),
            ("ls | xargs -I{} sh -c 'sudo {}'", Expect::Opaque("completed only when it runs")),
            ("echo id | xargs env", Expect::Opaque("known only when it runs")),
            ("echo id | xargs sh -c", Expect::Opaque("known only then")),
            ("ls | xargs -I{} bash {}", Expect::Opaque("known only when it runs")),
            ("ls | xargs python3", Expect::Opaque("arguments from elsewhere")),
            ("ls | xargs --odd rm", Expect::Opaque("`--odd` of `xargs`")),
            ("echo a .envrc | xargs -n1 tee", Expect::Writes(".envrc")),
            ("echo .en | xargs -I% tee %vrc", Expect::Writes(".envrc")),
            ("echo --to-command=id -xf x | xargs tar", Expect::Opaque("may be an option")),
            ("cat x | grep y | xargs -I{} sort {}", Expect::Opaque("may be an option")),
            ("find . -printf x | xargs tar cf y", Expect::Opaque("may be an option")),
            ("cat x | xargs -I{} sed {} y", Expect::Opaque("completed only when it runs")),
            ("cat x | xargs -I{} python3 -c {}", Expect::Opaque("completed only when it runs")),
            ("xargs -a f echo", Expect::Reads("f")),
        ],
        plain_lines: &[
            "ls | xargs -n1 grep -l x", "ls | xargs python3 a.py", "find . -name '*.rs' | sort | xargs tar cf y",
            "grep -rl x src | xargs -0 sort", "ls | xargs awk '{} {print}'",
        ],
        ..Program::LEADING
    },
    Program {
        family: &["parallel", "sem"],
        flags: "-0|--null -k|--keep-order -m -q|--quote -r|--no-run-if-empty -t|--verbose -u|--ungroup -v -X|--xargs \
                    --bar --dry-run --dryrun --eta --fg --bg --line-buffer|--lb --linebuffer --pipe --pipepart --plus \
                    --progress --resume --resume-failed --shuf --tag --will-cite --wait --files --gnu --group --id-file \
                    --link --no-notice -V --semaphore --st --compress --hgrp --unsafe",
        valued: "-a|--arg-file -C|--colsep -d|--delimiter -I -j|--jobs -P|--max-procs -n|--max-args -N \
                     --max-replace-args -s|--max-chars --delay --halt --joblog --results --timeout --retries --nice \
                     --block --id --semaphorename --tagstring --load --memfree --memsuspend --rpl --termseq --env -L|-l \
                     --tmpdir --workdir|--wd --recstart --recend --header",
        optional: "-i|--replace --tmux",
        rules: &[
            always(By(parallel)),
            when(Has("--rpl"), Hides("replacements that are code")),
            always(Reads(At::Value("--arg-file"))),
            always(StartsIn(At::Value("--workdir"))),
            always(Writes(At::Value("--joblog --results"))),
        ],
        examples: &[
            ("parallel sudo ::: id", Expect::Denied("takes other rights")),
            ("parallel --rpl '{x} system(\"id\")' echo {x} ::: a", Expect::Opaque("that are code")),
            ("parallel --tagstring '{= system(\"id\") =}' echo ::: a", Expect::Opaque("that are code")),
            ("parallel --workdir '{=system(1)=}' echo ::: a", Expect::Opaque("that are code")),
            ("parallel --results '{= `id` =}' echo ::: a", Expect::Opaque("that are code")),
            ("parallel echo '{=system(1)=}' ::: a", Expect::Opaque("that are code")),
            ("parallel ::: 'sudo id'", Expect::Denied("takes other rights")),
            ("parallel -j4 'sudo id; echo {}' ::: a", Expect::Denied("takes other rights")),
            ("ls | parallel", Expect::Opaque("lines from elsewhere")),
            ("parallel :::: x", Expect::Opaque("lines from elsewhere")),
            ("parallel tee ::: .envrc", Expect::Writes(".envrc")),
            ("parallel --sshlogin host ls ::: a", Expect::Opaque("`--sshlogin` of `parallel`")),
        ],
        plain_lines: &[
            "parallel --tagstring '{}' echo {.} ::: '{=a'", "parallel gzip ::: a b", "parallel -j 4 echo {} ::: a b",
        ],
        ..Program::LEADING
    },
    Program {
        names: &["fd", "fdfind"],
        flags: "-H|--hidden -I|--no-ignore -u|--unrestricted -s|--case-sensitive -i|--ignore-case -g|--glob --regex \
                    -F|--fixed-strings -a|--absolute-path -l|--list-details -L|--follow -p|--full-path -0|--print0 -1 \
                    -q|--quiet --show-errors --no-ignore-vcs --no-ignore-parent --no-require-git --one-file-system --prune \
                    --hyperlink --no-hidden --ignore --no-follow --relative-path --strip-cwd-prefix --and",
        valued: "-d|--max-depth --min-depth --exact-depth -E|--exclude -t|--type -e|--extension -S|--size \
                     --changed-within --newer --changed-before --older -o|--owner --format --batch-size --ignore-file \
                     -c|--color -j|--threads --max-results --base-directory -C --path-separator --search-path \
                     --max-buffer-time",
        last: "-x|--exec -X|--exec-batch",
        rules: &[always(ByOption(fd))],
        is_exhaustive: true,
        prints: &[("fd fdfind", Prints::FoundNames)],
        examples: &[
            ("fd -x sudo id", Expect::Denied("takes other rights")),
            ("fd -xsudo", Expect::Denied("takes other rights")),
            ("fd --exec=sudo", Expect::Denied("takes other rights")),
            ("fd -e rs -X wc -l", Expect::Runs("wc -l {}")),
            ("fd -x {}", Expect::Opaque("named only when it runs")),
            ("fd -e rs -x mv {} {.}.bak", Expect::Runs("mv {} {}.bak")),
        ],
        plain_lines: &["fd -HI -t f x src"],
        ..Program::EXACT
    },
    Program {
        names: &["run-parts"],
        flags: "--test --list -v|--verbose --report --reverse --exit-on-error --new-session --lsbsysinit --stdin",
        valued: "-u|--umask -a|--arg --regex",
        rules: &[when(Lacks("--test --list"), Hides("`run-parts` runs every program in a folder"))],
        examples: &[("run-parts ./hooks", Expect::Opaque("every program in a folder"))],
        plain_lines: &["run-parts --test x"],
        ..Program::GNU
    },
];

/// The command of `xargs` with further arguments at its end.
fn appended(parsed: &Parsed<'_>) -> Vec<Effect> {
    let (own, words) = (parsed.from(0), in_place(parsed));
    let mut found = given(parsed, words.clone(), More::Behind);
    // If nothing is replaced after all, the program is a different one.
    if words.first() != own.first() {
        found.extend(given(parsed, own.to_vec(), More::Behind));
    }
    found
}

/// The command of `xargs` with its arguments in place of a placeholder.
fn replaced(parsed: &Parsed<'_>) -> Vec<Effect> {
    given(parsed, in_place(parsed), More::Braces)
}

/// The words of the command, with [`PLACEHOLDER`] for the text that `-I` names.
fn in_place(parsed: &Parsed<'_>) -> Vec<Value> {
    let own = parsed.values("-I -J").last().map(|value| value.text.clone());
    let replaced = parsed.given("--replace").last();
    let short = replaced.map(|given| given.value.as_ref().map_or(PLACEHOLDER.to_owned(), |value| value.text.clone()));
    let placeholder = own.or(short).filter(|text| !text.is_empty());
    replace(parsed.from(0), placeholder.as_deref())
}

fn given(parsed: &Parsed<'_>, words: Vec<Value>, more: More) -> Vec<Effect> {
    let runs = (!words.is_empty()).then_some(Effect::Words { words, more: Some(more), has_variables: false });
    let fills = match &parsed.command.input {
        Input::Text(text) => text.split_whitespace().map(Value::exact).collect(),
        Input::None | Input::Unknown => Vec::new(),
    };
    [Effect::Fills(fills)].into_iter().chain(runs).chain(parsed.doubt()).collect()
}

fn replace(words: &[Value], placeholder: Option<&str>) -> Vec<Value> {
    let replaced = |word: &Value| match placeholder {
        Some(own) => Value { text: word.text.replace(own, PLACEHOLDER), ..word.clone() },
        None => word.clone(),
    };
    words.iter().map(replaced).collect()
}

/// The command of `parallel` is a shell line. Without a command, the arguments after `:::` are
/// lines.
fn parallel(parsed: &Parsed<'_>) -> Vec<Effect> {
    let own = parsed.command.args.iter().take_while(|arg| !arg.text.starts_with(":::"));
    // This includes the values of options: `--tagstring '{= … =}'`.
    if own.into_iter().any(|arg| arg.text.contains("{=")) {
        return vec![Effect::hidden("`parallel` with replacements that are code")];
    }
    if let Some(doubt) = parsed.doubt() {
        let behind = parsed.from(1).to_vec();
        return vec![doubt, Effect::runs(parsed.from(0).to_vec()), Effect::runs(behind)];
    }
    let words = parsed.from(0);
    let end = words.iter().position(|word| word.text.starts_with(":::")).unwrap_or(words.len());
    let (own, given) = words.split_at(end);
    if own.is_empty() {
        let lines = given.iter().filter(|word| !word.text.starts_with(":::")).cloned().map(Effect::Line);
        let is_elsewhere = given.is_empty() || given.iter().any(|word| word.text.starts_with("::::"));
        let hidden = is_elsewhere.then(|| Effect::hidden("`parallel` runs lines from elsewhere"));
        return lines.chain(hidden).collect();
    }
    let mut placeholder: Option<String> = parsed.values("-I").last().map(|value| value.text.clone());
    for other in ["{/.}", "{//}", "{/}", "{.}", "{#}", "{%}"] {
        placeholder =
            placeholder.or_else(|| own.iter().any(|word| word.text.contains(other)).then(|| other.to_owned()));
    }
    let own = replace(own, placeholder.as_deref());
    if own.iter().any(|word| word.text.contains([' ', ';', '|', '&', '$', '`', '(', '<', '>', '\n'])) {
        let is_exact = own.iter().all(|word| word.is_exact);
        let text = own.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        // `parallel` quotes the inserted arguments.
        return vec![Effect::Line(Value { text: text.replace(PLACEHOLDER, ELSEWHERE), is_exact, has_pattern: false })];
    }
    let fills = given.iter().filter(|word| !word.text.starts_with(":::")).cloned().collect();
    let has_place = own.iter().any(|word| word.text.contains(PLACEHOLDER));
    let more = if has_place { More::Braces } else { More::Behind };
    vec![Effect::Fills(fills), Effect::Words { words: own, more: Some(more), has_variables: false }]
}

/// The command of `fd`: each path replaces `{}` and similar placeholders, or is appended if there
/// is none.
fn fd(parsed: &Parsed<'_>) -> Vec<Effect> {
    let mut found: Vec<Effect> = Vec::new();
    let mut words = parsed.behind("--exec --exec-batch");
    if let Some(end) = words.iter().position(|word| word.text == ";") {
        words.truncate(end);
    }
    let mut is_replaced = false;
    for word in &mut words {
        for placeholder in ["{/.}", "{//}", "{/}", "{.}"] {
            word.text = word.text.replace(placeholder, PLACEHOLDER);
        }
        is_replaced |= word.text.contains(PLACEHOLDER);
    }
    if words.is_empty() {
        return found;
    }
    if !is_replaced {
        words.push(Value::exact(PLACEHOLDER));
    }
    found.push(Effect::Words { words, more: Some(More::Braces), has_variables: false });
    found
}
