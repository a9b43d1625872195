//! Programs that work on another machine: logins, copies, and the local commands that connect them.

use super::files::{inside, is_obeyed};
use crate::reader::{ELSEWHERE, Value};
use crate::registry::apply::joined;
use crate::registry::prelude::*;
use tools_core::Access;

/// Settings of `ssh` that run nothing on this machine.
const PLAIN: &str = "stricthostkeychecking userknownhostsfile globalknownhostsfile connecttimeout connectionattempts batchmode \
     loglevel identityfile identitiesonly identityagent serveraliveinterval serveralivecountmax port user \
     hostname compression tcpkeepalive passwordauthentication pubkeyauthentication kbdinteractiveauthentication \
     preferredauthentications requesttty addressfamily bindaddress ciphers kexalgorithms macs hostkeyalgorithms \
     pubkeyacceptedalgorithms controlmaster controlpersist exitonforwardfailure forwardx11 proxyjump";

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["ssh", "slogin", "autossh"],
        flags: "-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y",
        valued: "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -P -p -Q -R -S -W -w",
        rules: &[
            when(Lacks("-V -Q"), RunsLineThere(At::From(1))),
            when(Lacks("-V -Q"), NeedsNetwork),
            when(Lacks("-V -Q"), Connects(At::Nth(0))),
            always(ByOption(settings)),
            when(Has("-F -I"), Hides("`ssh` with settings or a library from a file")),
            always(Writes(At::Value("-E"))),
            always(ByOption(local_login)),
        ],
        examples: &[
            ("ssh -o ProxyCommand='rm -rf x' h", Expect::Runs("rm -rf x")),
            ("ssh h -oproxycommand=x", Expect::Opaque("`proxycommand`")),
            ("ssh -o PermitLocalCommand=yes h", Expect::Opaque("`permitlocalcommand`")),
            ("ssh -F x h", Expect::Opaque("settings or a library")),
            ("ssh localhost rm -rf x", Expect::Runs("rm -rf x")),
            ("ssh -t h 'cd x; rm -rf y'", Expect::Asks("runs `rm -rf y` elsewhere")),
            ("ssh h \"$x\"", Expect::Opaque("known only then")),
            ("ssh me@h", Expect::Connects("tcp://h")),
        ],
        plain_lines: &["ssh h 'ls /var/log'", "ssh -V", "ssh -o StrictHostKeyChecking=no h uptime"],
        ..Program::EXACT
    },
    Program {
        names: &["ssh-copy-id"],
        flags: "-f -n -s -x -h",
        valued: "-F -i -o -p -t",
        rules: &[
            always(Says(Consequence::ChangesIdentity, "lets a key sign in to another machine")),
            always(ByOption(settings)),
            always(By(copied)),
            when(Has("-F"), Hides("a connection with settings from elsewhere")),
        ],
        examples: &[
            ("ssh-copy-id me@h", Expect::Asks("lets a key sign in")),
            ("ssh-copy-id -i x.pub -p 22 h", Expect::Connects("tcp://h")),
            ("ssh-copy-id -o ProxyCommand='rm -rf x' h", Expect::Runs("rm -rf x")),
        ],
        ..Program::EXACT
    },
    Program {
        family: &["scp", "sftp", "mosh"],
        flags: "-3 -4 -6 -A -a -C -f -N -O -p -q -R -r -T -v",
        valued: "-B -b -c -D -F -i -J -l -o -P -S -s -X --ssh --client --server --port --predict",
        rules: &[
            always(NeedsNetwork),
            always(ByOption(settings)),
            always(By(copied)),
            when(Has("-F -b -s --server"), Hides("a connection with settings from elsewhere")),
            always(RunsLineWithMore(At::Value("-S -D --ssh --client"))),
            when(Has("-S -D --ssh --client"), Hides("a connection through a program of its own choice")),
        ],
        examples: &[
            ("scp -S ./x a h:b", Expect::Opaque("a program of its own choice")),
            ("scp -oProxyCommand=x a h:b", Expect::Opaque("`proxycommand`")),
            ("scp h:a .envrc", Expect::Writes(".envrc")),
            ("scp private/a h:b", Expect::Reads("private/a")),
            ("sftp -b x h", Expect::Opaque("settings from elsewhere")),
            ("mosh --ssh='rm -rf x' h", Expect::Runs("rm -rf x $@")),
        ],
        plain_lines: &["scp -r src h:"],
        ..Program::EXACT
    },
    Program {
        names: &["rsync"],
        flags: "-v|--verbose -q|--quiet -c|--checksum -a|--archive -r|--recursive -R|--relative -b|--backup -u|--update --inplace --append \
                    --append-verify -d|--dirs -l|--links -L|--copy-links -k|--copy-dirlinks -K|--keep-dirlinks -H|--hard-links -p|--perms \
                    -E|--executability -A|--acls -X|--xattrs -o|--owner -g|--group --devices --specials -D -t|--times -U|--atimes -N|--crtimes \
                    -O|--omit-dir-times -J|--omit-link-times --super --fake-super -S|--sparse --preallocate -n|--dry-run -W|--whole-file -x|--one-file-system \
                    --existing --ignore-existing --remove-source-files --del --delete --delete-before --delete-during --delete-delay --delete-after \
                    --delete-excluded --ignore-missing-args --delete-missing-args --ignore-errors --force --partial --delay-updates -m|--prune-empty-dirs \
                    --numeric-ids -I|--ignore-times --size-only -y|--fuzzy -z|--compress -C|--cvs-exclude -0|--from0 -s|--secluded-args --protect-args --stats -8|--8-bit-output \
                    -h|--human-readable --progress -P -i|--itemize-changes --list-only -4|--ipv4 -6|--ipv6 --daemon --no-* --munge-links --mkpath --open-noatime --trust-sender",
        valued: "-f|--filter --exclude --exclude-from --include --include-from --files-from -e|--rsh --rsync-path -B|--block-size --chmod --chown --usermap --groupmap \
                     --backup-dir --suffix --partial-dir -T|--temp-dir --max-delete --max-size --min-size --timeout --contimeout --compare-dest --copy-dest --link-dest \
                     --compress-level --skip-compress --bwlimit --write-batch --only-write-batch --read-batch --log-file --log-file-format --out-format --password-file \
                     --address --port --sockopts --protocol --iconv --checksum-seed --info --debug --config -M|--remote-option --early-input --stop-after --modify-window --checksum-choice --compress-choice",
        optional: "--outbuf",
        rules: &[
            always(By(copied)),
            always(ByOption(reached)),
            always(RunsLine(At::Value("--rsync-path"))),
            when(
                Has("--rsync-path --daemon --config --remote-option"),
                Hides("`rsync` with a program for the other side"),
            ),
            when_all(
                &[
                    Has(
                        "--del --delete --delete-before --delete-during --delete-delay --delete-after --delete-excluded --delete-missing-args \
                --remove-source-files",
                    ),
                    Lacks("--dry-run --list-only"),
                ],
                Says(Consequence::Destroys, "deletes files"),
            ),
            always(Writes(At::Value("--log-file --write-batch --only-write-batch --backup-dir"))),
            always(Reads(At::Value("--files-from --exclude-from --include-from --password-file --read-batch"))),
        ],
        examples: &[
            ("rsync -e 'rm -rf x' a h:b", Expect::Runs("rm -rf x $@")),
            ("rsync -ae 'rm -rf x' a h:b", Expect::Runs("rm -rf x $@")),
            ("rsync -ave 'ssh -o ProxyCommand=x' a h:b", Expect::Opaque("`proxycommand`")),
            ("rsync -ave 'ssh -F x' a h:b", Expect::Opaque("settings or a library")),
            ("rsync -ave 'ssh -p 2222' a \"$h\":b", Expect::Opaque("arguments from elsewhere")),
            ("rsync --rsh=ssh me@h:b c", Expect::Connects("tcp://h")),
            ("rsync --rsync-pa='rm -rf x' a h:b", Expect::Opaque("for the other side")),
            ("rsync -a --delete a/ b/", Expect::Asks("deletes files")),
            ("rsync -a --delete-ex a/ b/", Expect::Asks("deletes files")),
            ("rsync -a x/hooks .git", Expect::Writes(".git")),
            ("rsync h:x/.envrc sub.d", Expect::Writes("sub.d/.envrc")),
            ("rsync -a a h:b", Expect::Connects("tcp://h:b")),
        ],
        plain_lines: &[
            "rsync -ave 'ssh -p 2222' a me@h:b", "rsync -an --delete a/ b/", "rsync -av --exclude target src/ backup/",
        ],
        ..Program::GNU
    },
];

/// The command that runs on this machine if the target host is this machine.
fn local_login(parsed: &Parsed<'_>) -> Vec<Effect> {
    let host = parsed.operand(0).map_or("", |host| host.text.rsplit('@').next().unwrap_or_default());
    let is_here = ["localhost", "127.", "::1", "0.0.0.0"].iter().any(|here| host.starts_with(here));
    let line = joined(parsed.from(1).to_vec());
    line.filter(|_| is_here).map(Effect::Line).into_iter().collect()
}

/// Effects of settings given by `-o`.
fn settings(parsed: &Parsed<'_>) -> Vec<Effect> {
    let mut found = Vec::new();
    for value in parsed.values("-o") {
        let (key, line) = value.text.trim().split_once(['=', ' ']).unwrap_or((&value.text, ""));
        let key = key.trim().to_lowercase();
        let key = key.trim_matches(['"', '\'']).to_owned();
        if !PLAIN.split(' ').any(|plain| plain == key) {
            found.push(Effect::hidden(format!("the setting `{key}` of `{}` may run a program", parsed.command.name())));
            found.extend(value.is_exact.then(|| Effect::Line(Value::exact(line.trim_start_matches(['=', ' '])))));
        }
    }
    found
}

/// The command with which `rsync` connects to the other side. For an `ssh` login the added
/// arguments are known: the host, and `rsync` there.
fn reached(parsed: &Parsed<'_>) -> Vec<Effect> {
    let line = |line: Value| match login(&line, parsed) {
        Some(login) => Effect::Line(Value::exact(&login)),
        None => Effect::Line(Value { text: format!("{} {ELSEWHERE}", line.text), ..line }),
    };
    parsed.values("--rsh").map(|value| line(value.clone())).collect()
}

fn login(line: &Value, parsed: &Parsed<'_>) -> Option<String> {
    let is_login = line.is_exact && line.text.split_whitespace().next() == Some("ssh");
    let remote = parsed.operands().find(|operand| is_remote(&operand.text)).filter(|_| is_login)?;
    let (host, _) = remote.text.split_once(':')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@._-".contains(c);
    let is_host = remote.is_exact && !host.starts_with('-') && host.chars().all(is_plain);
    is_host.then(|| format!("{} {host} rsync --server .", line.text))
}

/// The files and hosts of a copy: `host:path` is on another machine.
fn copied(parsed: &Parsed<'_>) -> Vec<Effect> {
    if !matches!(parsed.command.name(), "scp" | "rsync") {
        let host = parsed.operand(0).cloned();
        let fetches = parsed.command.name() == "sftp" && host.as_ref().is_some_and(|host| host.text.contains(':'));
        let folder = parsed.operand(1).cloned().unwrap_or_else(|| Value::exact("."));
        return host.map(Effect::Host).into_iter().chain(fetches.then_some(Effect::Unpacks(folder))).collect();
    }
    let last = parsed.operands.len().saturating_sub(1);
    let effect = |(at, operand): (usize, &Value)| {
        if is_remote(&operand.text) {
            return Effect::Host(operand.clone());
        }
        let is_target = at == last && at > 0;
        let access = if is_target { Access::Write } else { Access::Read };
        Effect::Path { path: operand.clone(), access, is_tree: !is_target }
    };
    let found = parsed.operands().enumerate().map(effect);
    let target = parsed.operand(last).filter(|target| last > 0 && !is_remote(&target.text));
    let unpacks = target.cloned().map(Effect::Unpacks);
    found.chain(unpacks).chain(obeyed_inside(parsed, last)).collect()
}

/// Files with obeyed names that a copy puts into a folder.
fn obeyed_inside(parsed: &Parsed<'_>, last: usize) -> Vec<Effect> {
    let Some(target) = parsed.operand(last).filter(|target| last > 0 && !is_remote(&target.text)) else {
        return Vec::new();
    };
    let named = parsed.operands().take(last).filter_map(|source| inside(target, source));
    named.filter(|path| is_obeyed(&path.text)).map(|path| Effect::path(path, Access::Write)).collect()
}

fn is_remote(text: &str) -> bool {
    let is_url = ["rsync://", "scp://", "sftp://"].iter().any(|start| text.starts_with(start));
    is_url || text.split_once(':').is_some_and(|(host, _)| !host.contains('/') && !host.is_empty())
}
