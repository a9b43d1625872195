//! The compiled policy of the shell, and the handle that swaps it while calls run.

use std::path::{Path, PathBuf};

use tools_core::{ConfirmReason, KeyFault, Shared, ToolError};
use tools_sandbox::expand_home;
use tools_sandbox::kernel::{
    Confinement, Limits, Network, SOCKET_NAMES, SandboxMode, granted_sockets, resolve_by_words,
};

use crate::blocklist::{self, BlockRules, Objection};
use crate::caches::cache_folders;
use crate::config::{NetworkMode, SandboxChoice, ShellConfig};
use crate::confirm;
use crate::error::ShellError;
use crate::pattern::CommandPattern;
use crate::size::{self, parse_size};
use crate::transaction::SnapshotScope;
use tools_command::{Analysis, Surroundings, analyse};

/// Maximum timeout in seconds: a week.
const MAX_TIMEOUT: u64 = 604_800;
/// Maximum grace period in milliseconds: a minute.
const MAX_GRACE_MS: u64 = 60_000;

/// The section `[tools.shell]`, compiled. A command keeps the one it started with.
#[derive(Debug, Clone)]
pub struct ShellPolicy {
    pub(crate) config: ShellConfig,
    pub(crate) blocked: Vec<CommandPattern>,
    pub(crate) confirmed: Vec<CommandPattern>,
    pub(crate) file_size: Option<u64>,
    pub(crate) memory: Option<u64>,
    pub(crate) shared_memory: Option<u64>,
    pub(crate) temporary_files: Option<u64>,
    pub(crate) record: Option<PathBuf>,
    pub(crate) cache_limit: Option<u64>,
    pub(crate) sent_per_host: Option<u64>,
    pub(crate) scope: SnapshotScope,
}

impl ShellConfig {
    /// Compiles the configuration.
    ///
    /// # Errors
    /// Names the key whose value cannot be used.
    pub fn compile(&self) -> Result<ShellPolicy, KeyFault> {
        let fault = |key: &str, problem: &str| KeyFault::new(key, problem);
        if self.timeout == 0 {
            return Err(fault("timeout", "expected at least 1 second"));
        }
        if self.job_timeout == 0 {
            return Err(fault("job_timeout", "expected at least 1 second"));
        }
        if self.job_timeout > MAX_TIMEOUT {
            return Err(fault("job_timeout", "expected at most 604800 seconds, a week"));
        }
        if self.timeout > MAX_TIMEOUT {
            return Err(fault("timeout", "expected at most 604800 seconds, a week"));
        }
        if self.kill_grace_ms > MAX_GRACE_MS {
            return Err(fault("kill_grace_ms", "expected at most 60000 milliseconds, a minute"));
        }
        let patterns = |key, texts: &[String]| {
            let compiled: Option<Vec<_>> = texts.iter().map(|text| CommandPattern::compile(text)).collect();
            compiled.ok_or_else(|| fault(key, "an empty pattern; expected a program and words"))
        };
        let bytes = |key, text: &str| {
            parse_size(text).map_err(|size::SizeError| fault(key, "expected a size like `1 GiB`, or `unlimited`"))
        };
        let is_socket = |name: &String| name.starts_with('/') || SOCKET_NAMES.contains(&name.as_str());
        if !self.sockets.iter().all(is_socket) {
            return Err(fault("sockets", "expected `ssh-agent`, `docker`, `database`, `display` or an absolute path"));
        }
        Ok(ShellPolicy {
            record: None,
            temporary_files: bytes("limits.temporary_files", &self.limits.temporary_files)?,
            shared_memory: bytes("limits.shared_memory", &self.limits.shared_memory)?,
            blocked: patterns("blocked_commands", &self.blocked_commands)?,
            confirmed: patterns("confirm_patterns", &self.confirm_patterns)?,
            file_size: bytes("limits.file_size", &self.limits.file_size)?,
            memory: bytes("limits.memory", &self.limits.memory)?,
            cache_limit: bytes("cache_limit", &self.cache_limit)?,
            sent_per_host: bytes("sent_per_host", &self.sent_per_host)?,
            scope: SnapshotScope::compile(&self.transaction_scope)
                .map_err(|problem| fault("transaction_scope", &problem))?,
            config: self.clone(),
        })
    }
}

impl ShellPolicy {
    /// The reason why nobody may run this line, judged as if it ran in the root folder without a
    /// home; `None` if the list has no objection.
    pub fn find_blocked_command(&self, line: &str) -> Option<String> {
        let surroundings = Surroundings::default();
        self.blocked(&analyse(line, &surroundings), &surroundings).map(|objection| objection.why)
    }

    /// Sets the file that records the confinement that this machine supported before.
    #[must_use]
    pub fn remembering(self, record: PathBuf) -> Self {
        Self { record: Some(record), ..self }
    }

    pub(crate) fn blocked(&self, found: &Analysis, surroundings: &Surroundings) -> Option<Objection> {
        let rules =
            BlockRules { extra: &self.blocked, has_network: self.config.network != NetworkMode::Off, surroundings };
        blocklist::objection(found, &rules)
    }

    /// The confinement of a command that may write `writable`, and cannot read `hidden` or write
    /// `protected`.
    pub fn confinement(&self, writable: Vec<PathBuf>, hidden: Vec<PathBuf>, protected: Vec<PathBuf>) -> Confinement {
        let mode = match self.config.sandbox {
            SandboxChoice::Namespaces => SandboxMode::Namespaces,
            SandboxChoice::Landlock => SandboxMode::Landlock,
            SandboxChoice::BestEffort => SandboxMode::BestEffort,
            SandboxChoice::Off => SandboxMode::Off,
        };
        let network = match self.config.network {
            NetworkMode::Open => Network::Open,
            NetworkMode::Gate => Network::Gate,
            NetworkMode::Off => Network::Closed,
        };
        let some = |value: u64| (value > 0).then_some(value);
        let limits = Limits {
            processes: some(self.config.limits.processes),
            file_size: self.file_size,
            memory: self.memory,
            cpu_secs: some(self.config.limits.cpu_secs),
            core: Some(self.config.limits.core),
            shared_memory: self.shared_memory,
        };
        let sockets = granted_sockets(&self.config.sockets, |name| std::env::var(name).ok());
        let record = self.record.clone();
        Confinement { mode, record, writable, hidden, protected, sockets, network, limits, ..Confinement::default() }
    }

    /// The folders that a command of this working directory may write, canonical if they exist.
    ///
    /// # Errors
    /// If one is in an unknown home, or if none is configured and the working directory is the root
    /// of the machine.
    pub fn roots(&self, workdir: &Path, home: Option<&str>) -> Result<Vec<PathBuf>, ToolError> {
        if self.config.allowed_paths.is_empty() {
            return match resolve_by_words(workdir) {
                everything if everything.parent().is_none() => Err(ShellError::Everything.into()),
                folder => Ok(vec![folder]),
            };
        }
        let place = |path: &String| match expand_home(path, home.map(Path::new)) {
            Some(place) => Ok(resolve_by_words(&workdir.join(place))),
            None => Err(ShellError::AllowedPath { path: path.clone() }.into()),
        };
        self.config.allowed_paths.iter().map(place).collect()
    }

    /// The folders beside `roots` that a command of this working directory may write and shares
    /// with unconfined programs.
    pub(crate) fn shared_caches(&self, roots: &[PathBuf], home: Option<&str>) -> Vec<PathBuf> {
        cache_folders(&self.config.caches, home, roots)
    }

    /// Places outside of the workspace that commands may read, with the reason of each. `~` is
    /// `home`, other paths are relative to `workdir`.
    pub(crate) fn read_places(&self, workdir: &Path, home: Option<&Path>) -> Vec<(PathBuf, String)> {
        let place = |path: &String| {
            let place = expand_home(path, home).map(|place| workdir.join(place))?;
            Some((place, "`tools.shell.read_paths`".to_owned()))
        };
        self.config.read_paths.iter().filter_map(place).collect()
    }

    /// The maximum size of the caches of commands, in bytes; `None` for no limit.
    pub fn cache_limit(&self) -> Option<u64> {
        self.cache_limit
    }

    /// The maximum number of bytes sent to one host through the gate; `None` for no limit.
    pub fn sent_per_host(&self) -> Option<u64> {
        self.sent_per_host
    }

    pub(crate) fn confirm(&self, found: &Analysis, surroundings: &Surroundings) -> Option<ConfirmReason> {
        confirm::reason(found, &self.confirmed, surroundings)
    }
}

/// Swaps the policy of the shell at run time. Clones share it.
#[derive(Debug, Clone)]
pub struct ShellPolicyHandle(Shared<ShellPolicy>);

impl ShellPolicyHandle {
    /// A handle on a compiled policy.
    pub fn new(policy: ShellPolicy) -> Self {
        Self(Shared::new(policy))
    }

    /// The present policy.
    pub(crate) fn load(&self) -> std::sync::Arc<ShellPolicy> {
        self.0.load()
    }

    /// Compiles a configuration and puts it in force.
    ///
    /// # Errors
    /// As [`ShellConfig::compile`]; then the policy does not change.
    pub fn rebuild(&self, config: &ShellConfig) -> Result<(), KeyFault> {
        self.0.store(config.compile()?);
        Ok(())
    }
}

/// The surroundings of a line: the user's home and the call's working folder.
pub(crate) fn surroundings(home: Option<&str>, workdir: &Path) -> Surroundings {
    Surroundings {
        home: home.unwrap_or_default().trim_end_matches('/').to_owned(),
        workdir: workdir.to_string_lossy().trim_end_matches('/').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use super::*;

    #[test]
    fn times_beyond_their_bounds_are_refused_by_name() {
        let key = |config: ShellConfig| config.compile().err().map_or_else(String::new, |fault| fault.key);
        let timeout = |timeout| key(ShellConfig { timeout, ..ShellConfig::default() });
        let grace = |kill_grace_ms| key(ShellConfig { kill_grace_ms, ..ShellConfig::default() });
        assert_eq!([timeout(0), timeout(604_801), timeout(u64::MAX)], ["timeout"; 3]);
        assert_eq!([grace(60_001), grace(i64::MAX.unsigned_abs())], ["kill_grace_ms"; 2]);
        assert_eq!([timeout(604_800), grace(60_000), grace(0)], [""; 3]);
        let sockets = |name: &str| key(ShellConfig { sockets: vec![name.to_owned()], ..ShellConfig::default() });
        assert_eq!([sockets("agent"), sockets("ssh-agent"), sockets("/run/x")], ["sockets", "", ""]);
    }

    /// The verdict that a person would see, `allow`, `confirm` or `block`, with the reason.
    fn judged(line: &str, has_network: bool) -> (&'static str, String) {
        static OPEN: OnceLock<ShellPolicy> = OnceLock::new();
        static CLOSED: OnceLock<ShellPolicy> = OnceLock::new();
        let compiled = |has_network| {
            let network = if has_network { NetworkMode::Open } else { NetworkMode::Off };
            ShellConfig { network, ..ShellConfig::default() }.compile().unwrap()
        };
        let policy = if has_network { &OPEN } else { &CLOSED }.get_or_init(|| compiled(has_network));
        let around = surroundings(Some("/home/me"), Path::new("/home/me/project"));
        let found = analyse(line, &around);
        match (policy.blocked(&found, &around), policy.confirm(&found, &around)) {
            (Some(objection), _) => ("block", objection.why),
            (None, Some(asked)) => ("confirm", asked.reason),
            (None, None) => ("allow", String::new()),
        }
    }

    fn judge(line: &str, has_network: bool) -> &'static str {
        judged(line, has_network).0
    }

    fn lines(fixture: &str) -> impl Iterator<Item = String> {
        fixture.lines().map(|line| line.replace('⏎', "\n"))
    }

    /// Each line of the fixture has a command, its verdict and a part of the reason, separated by
    /// tabs.
    #[test]
    fn what_could_do_harm_is_stopped_for_its_reason() {
        let mut wrong = Vec::new();
        for row in lines(include_str!("fixtures/stopped.txt")) {
            let mut parts = row.rsplitn(3, '\t');
            let (part, verdict, line) = (parts.next(), parts.next(), parts.next());
            let (Some(part), Some(verdict), Some(line)) = (part, verdict, line) else {
                wrong.push(format!("not a command, a verdict and a reason: {row}"));
                continue;
            };
            let (found, why) = judged(line, false);
            if found != verdict || !why.contains(part) {
                wrong.push(format!("{}\t{found}\t{why}", line.replace('\n', "⏎")).replace('\n', "⏎"));
            }
        }
        assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
    }

    #[test]
    fn everyday_lines_pass() {
        let stopped: Vec<_> = lines(include_str!("fixtures/passed.txt"))
            .filter_map(|line| {
                let (verdict, why) = judged(&line, false);
                (verdict != "allow").then(|| format!("{line}: {why}"))
            })
            .collect();
        assert_eq!(stopped, Vec::<String>::new());
    }

    #[test]
    fn what_nobody_can_allow_is_blocked_whatever_surrounds_it() {
        let around = [
            "{}",
            "ls; {}",
            "( {} )",
            "{ {}; }",
            "! {}",
            "true && {}",
            "x=1 {}",
            "if {}; then :; fi",
            "while {}; do :; done",
            "f() { {}; }",
            "env {}",
            "env -i A=b {}",
            "nice -n 5 {}",
            "timeout 5 {}",
            "command {}",
            "setsid {}",
            "xargs {}",
            "exec {}",
            "echo $( {} )",
            "echo `{}`",
            "cat <( {} )",
            "bash -c '{}'",
            "eval '{}'",
            "cat <<E\n$( {} )\nE",
            "case x in x) {};; esac",
            "coproc {}",
            "time {}",
            "busybox {}",
            "{} &",
            "{} | cat",
            "echo | {}",
            "nohup {} > x 2>&1 &",
        ];
        for command in ["sudo id", "rm -rf /", "mkfs.ext4 /dev/sda", "shutdown now", "dd if=a of=/dev/sda"] {
            for frame in around {
                let line = frame.replace("{}", command);
                assert_eq!(judge(&line, true), "block", "{line}");
            }
        }
    }

    #[test]
    fn the_network_switch_decides_about_network_programs() {
        for line in ["curl http://x", "wget x", "nc x 1", "echo a | ncat b 1"] {
            assert_eq!((judge(line, false), judge(line, true)), ("block", "allow"), "{line}");
        }
    }

    #[test]
    fn commands_are_found_behind_what_they_are_run_through() {
        for line in [
            "perf stat curl x",
            "perf stat -r 3 -- curl x",
            "perf record -g -e cycles curl x",
            "perf mem record curl x",
            "proot curl x",
            "bwrap --ro-bind / / curl x",
            "watchexec -e rs -- curl x",
            "watchexec 'curl x'",
            "nodemon -x 'curl x'",
            "nodemon --exec 'curl x'",
            "nix-shell -p a --run 'curl x'",
            "conda run -n base curl x",
            "cross-env A=1 curl x",
            "cross-env-shell A=1 'curl x'",
            "dotenv -- curl x",
            "dotenv -e .env curl x",
            "dotenv run curl x",
            "op run --env-file=a -- curl x",
            "aws-vault exec profile -- curl x",
            "aws-vault exec profile curl x",
            "envdir folder curl x",
            "shopt -s expand_aliases; alias c=curl\nc x",
        ] {
            assert_eq!((judge(line, false), judge("perf report", false)), ("block", "allow"), "{line}");
        }
    }

    #[test]
    fn arguments_that_come_from_elsewhere_are_told() {
        let check = |line: &str, expected: &str| {
            let found = analyse(line, &Surroundings::default());
            let inner = found.commands.last().unwrap();
            let words: Vec<_> =
                std::iter::once(inner.name()).chain(inner.args.iter().map(|arg| arg.text.as_str())).collect();
            let words = words.join(" ");
            assert_eq!(words, expected, "{line}");
            assert_eq!(inner.is_open, words.contains("$@") || words.contains("{}"), "{line}");
        };
        check("echo x | xargs wc", "wc $@");
        check("xargs -a f -n1 -P2 -- wc -l", "wc -l $@");
        check("bash -c 'xargs wc'", "wc $@");
        check("xargs nice wc", "wc $@");
        check("xargs -I% wc a/% b", "wc a/{} b");
        check("xargs -0rI % wc %", "wc {}");
        check("xargs -i wc {}", "wc {}");
        check("xargs --replace=% wc %", "wc {}");
        check("xargs -I% -n1 wc %", "wc {} $@");
        check("xargs -I% wc x", "wc x");
        check("find . -exec wc {} +", "wc {}");
        check("find . -exec wc x \\;", "wc x");
        check("fd -x wc", "wc {}");
        check("fd -x wc {/.}", "wc {}");
        check("alias w='wc -l'", "wc -l $@");
    }

    #[test]
    fn the_workspace_and_what_it_lies_in_are_protected() {
        let table = [
            ("rm -rf /home/me/project", "block"),
            ("rm -rf .", "block"),
            ("rm -rf ..", "block"),
            ("rm -rf /home/me", "block"),
            ("cd / && rm -rf *", "block"),
            ("rm -rf /tmp/build", "confirm"),
            ("rm -rf target", "confirm"),
            ("rm -rf ./a/../b", "confirm"),
            ("cd sub && rm -rf *", "confirm"),
            ("rm -rf /home/me/project/target", "confirm"),
            ("rm -rf sub/..", "block"),
        ];
        for (line, expected) in table {
            assert_eq!(judge(line, true), expected, "{line}");
        }
    }

    #[test]
    fn the_operators_words_are_heard() {
        let blocked_commands = vec!["kubectl delete".into(), "drop table".into()];
        let policy = ShellConfig { blocked_commands, ..ShellConfig::default() }.compile().unwrap();
        assert!(policy.find_blocked_command("env kubectl -n x delete pod y").is_some());
        assert_eq!(policy.find_blocked_command("kubectl get pods"), None);
        assert!(policy.find_blocked_command("psql -c 'DROP  TABLE x'").is_some());
        assert_eq!(policy.find_blocked_command("grep 'drop table' x.sql"), None);
    }

    #[test]
    fn a_handle_swaps_the_policy_and_keeps_it_when_the_new_one_is_wrong() {
        let handle = ShellPolicyHandle::new(ShellConfig::default().compile().unwrap());
        let before = handle.load();
        handle.rebuild(&ShellConfig { network: NetworkMode::Off, ..ShellConfig::default() }).unwrap();
        assert!(before.config.network == NetworkMode::Gate && handle.load().config.network == NetworkMode::Off);
        let wrong = ShellConfig { blocked_commands: vec![" ".into()], ..ShellConfig::default() };
        assert_eq!(handle.rebuild(&wrong).unwrap_err().key, "blocked_commands");
        assert!(handle.load().config.network == NetworkMode::Off);
    }

    proptest::proptest! {
        #[test]
        fn any_text_gets_a_verdict(text: String) {
            judge(&text, true);
        }

        #[test]
        fn any_mix_of_the_language_gets_a_verdict(pieces in proptest::collection::vec(proptest::sample::select(vec![
            "$(", "${", "`", "'", "\"", "(", ")", "{", "}", "<<E\n", "\nE\n", "<<<", "<(", "((", "))", "[[", "]]", ";", "&", "|", "\n", " ",
            "if", "then", "fi", "do", "done", "for", "case", "in", "esac", "x", "=", "\\", "$'", "~", "*", "#", "эхо", "sudo", "rm -rf /",
            "bash -c ", "eval ", "env -S", "xargs -I{} ", "[", "]", "1>", "&>", "function f", "coproc", "time", "!",
        ]), 0..40)) {
            judge(&pieces.concat(), true);
        }
    }

    #[test]
    fn everything_is_writable_only_where_somebody_names_it() {
        let root = Path::new("/");
        let usual = ShellConfig::default().compile().unwrap();
        assert_eq!(usual.roots(root, None).unwrap_err().code(), "everything_allowed");
        let named = ShellConfig { allowed_paths: vec!["/".to_owned()], ..ShellConfig::default() };
        assert_eq!(named.compile().unwrap().roots(root, None).unwrap(), [root]);
    }
}
