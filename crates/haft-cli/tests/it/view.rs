//! What commands see of a made-up home: no credentials, what toolchains need, caches of their own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::client::Client;
use crate::support::{Haft, Ran, finished, with_toolchain};

const ALLOW: &str = "[tools.shell]\ntimeout = 300\n[[tools.permissions.bash]]\npattern = \"*\"\naction = \"allow\"\n";

/// Files that hold credentials, each at its usual place in a home.
const CREDENTIALS: &str = "
    .ssh/id_rsa .ssh/id_ed25519 .ssh/id_ecdsa .ssh/config .ssh/authorized_keys .aws/credentials .aws/config
    .aws/sso/cache/x.json .azure/accessTokens.json .azure/msal_token_cache.json .config/gcloud/credentials.db
    .config/gcloud/application_default_credentials.json .kube/config .docker/config.json .gnupg/private-keys-v1.d/a.key
    .gnupg/secring.gpg .netrc .npmrc .pypirc .pgpass .git-credentials .vault-token .htpasswd .env proj2/.env
    proj2/.env.local proj2/secrets/a.txt proj2/config/master.key proj2/server.pem Documents/passwords.kdbx
    .cargo/credentials .cargo/credentials.toml .gem/credentials .terraform.d/credentials.tfrc.json .terraformrc
    .config/gh/hosts.yml .config/hub .config/glab-cli/config.yml .config/op/config .local/share/keyrings/login.keyring
    .password-store/a.gpg .bash_history .zsh_history .python_history .node_repl_history .mysql_history .psql_history
    .sqlite_history .rediscli_history .local/share/fish/fish_history .claude/.credentials.json .claude.json
    .codex/auth.json .gemini/oauth_creds.json .local/share/opencode/auth.json .config/github-copilot/hosts.json
    .config/github-copilot/apps.json .config/git/credentials .my.cnf .mylogin.cnf .mozilla/firefox/x.default/cookies.sqlite
    .mozilla/firefox/x.default/key4.db .mozilla/firefox/x.default/logins.json .config/google-chrome/Default/Cookies
    .config/google-chrome/Default/LoginData .config/chromium/Default/Cookies .config/BraveSoftware/Brave/Default/Cookies
    .config/microsoft-edge/Default/Cookies .thunderbird/x/logins.json .config/sops/age/keys.txt .config/age/keys.txt
    .config/rclone/rclone.conf .gradle/gradle.properties .m2/settings.xml .m2/settings-security.xml
    .config/containers/auth.json .bitcoin/wallet.dat .ethereum/keystore/k .electrum/wallets/w .monero/w.keys
    .config/solana/id.json .config/Exodus/seed.seco .config/doctl/config.yaml .config/hcloud/cli.toml .config/heroku/x
    .config/netlify/config.json .netlify/config.json .vercel/auth.json .local/share/com.vercel.cli/auth.json
    .config/configstore/firebase-tools.json .fly/config.yml .config/stripe/config.toml .oci/config .aliyun/config.json
    .databrickscfg .snowsql/config .dbt/profiles.yml .kaggle/kaggle.json .cache/huggingface/token .config/wandb/settings
    .s3cfg .boto .passwd-s3fs .smbcredentials .davfs2/secrets .config/filezilla/sitemanager.xml .local/share/remmina/a.remmina
    .config/Slack/Cookies .config/discord/x .config/Signal/config.json .config/Bitwarden/data.json .local/share/kwalletd/k.kwl
    .pki/nssdb/key4.db .Xauthority .ICEauthority .composer/auth.json .config/composer/auth.json .bundle/config
    .pip/pip.conf .config/pip/pip.conf .yarnrc.yml .condarc .sbt/.credentials .ivy2/.credentials .hex/hex.config
    .nuget/NuGet/NuGet.Config .pulumi/credentials.json .vault_pass .travis/config.yml .circleci/cli.yml .railway/config.json
    .wrangler/config/default.toml .supabase/access-token .config/ngrok/ngrok.yml .cloudflared/cert.pem .msmtprc .mbsyncrc
    .offlineimaprc .fetchmailrc .cvspass .subversion/auth/svn.simple/x .wgetrc .curlrc .vnc/passwd .weechat/sec.conf
    .minikube/ca.key .config/argocd/config .config/openstack/clouds.yaml .edgerc .ovh.conf .config/helm/registry.json";

/// A home outside of the temporary folder, which commands have one of their own of.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir_in("/var/tmp").expect("a folder is made"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().expect("it is there").join(name)
    }

    fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("it is below the home")).expect("a folder is made");
        std::fs::write(&path, content).expect("a file is written");
        path
    }

    fn with(config: &str) -> Self {
        let home = Self::new();
        home.file(".config/haft/config.toml", config);
        std::fs::create_dir_all(home.path("work")).expect("a folder is made");
        home
    }

    /// The same where commands run in namespaces; `None` after saying that they do not.
    fn concealed(config: &str) -> Option<Self> {
        Some(Self::with(config)).filter(Self::is_concealed)
    }

    fn command(&self, folder: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_haft"));
        let kept = std::env::vars_os().filter(|(name, _)| {
            let name = name.to_string_lossy();
            !["HOME", "CARGO_HOME", "XDG_"].iter().any(|start| name.starts_with(start)) && !name.starts_with("HAFT_")
        });
        command.args(arguments).current_dir(self.path(folder)).env_clear().envs(kept).env("HOME", self.path(""));
        with_toolchain(&mut command);
        command.stdin(Stdio::null());
        command
    }

    fn run(&self, folder: &str, arguments: &[&str]) -> Ran {
        finished(self.command(folder, arguments))
    }

    /// Runs a line in the workspace and gives its report.
    fn bash(&self, line: &str) -> Value {
        self.run("work", &["call", "--json", "--yes", "bash", &format!("command={line}")]).json()
    }

    /// Runs a line that has to succeed.
    fn works(&self, line: &str) -> String {
        let report = self.bash(line);
        assert_eq!(report["raw_response"]["exit_code"], json!(0), "{line}\n{report:#}");
        report["raw_response"]["stdout"].as_str().unwrap_or_default().to_owned()
    }

    fn level(&self) -> String {
        let report = self.bash("true");
        report["raw_response"]["sandbox"]["level"].as_str().unwrap_or_default().to_owned()
    }

    /// Whether commands run in namespaces here; says so when they do not.
    fn is_concealed(&self) -> bool {
        let level = self.level();
        if level != "namespaces" {
            eprintln!("SKIPPED: commands are confined by `{level}` here");
        }
        level == "namespaces"
    }
}

/// Puts a credential of its own into each file, and gives a line that prints all that can be read.
fn planted(home: &Home) -> (Vec<&'static str>, String) {
    let names: Vec<&str> = CREDENTIALS.split_whitespace().collect();
    for (number, name) in names.iter().enumerate() {
        home.file(name, &format!("canary-{number}-of-{}\n", names.len()));
    }
    let list = names.join("\n");
    home.file("work/list", &list);
    (
        names,
        "while read -r f; do cat \"$HOME/$f\" && echo \"was: $f\"; done < \"$HOME/work/list\" 2>/dev/null; true"
            .to_owned(),
    )
}

fn readable<'a>(names: &[&'a str], text: &str) -> Vec<&'a str> {
    let is_there = |(number, _): &(usize, &&str)| text.contains(&format!("canary-{number}-of-"));
    names.iter().enumerate().filter(is_there).map(|(_, name)| *name).collect()
}

#[test]
fn no_credential_of_a_home_can_be_read_by_a_command() {
    let Some(home) = Home::concealed(ALLOW) else { return };
    let (names, line) = planted(&home);
    assert!(names.len() >= 102, "{}", names.len());
    let none: Vec<&str> = vec![];
    assert_eq!(readable(&names, &home.bash(&line).to_string()), none);
    let all = format!("{line} | sort; find \"$HOME\" /root /home -type f -size -1k -exec cat {{}} + 2>/dev/null; true");
    assert_eq!(readable(&names, &home.bash(&all).to_string()), none);
}

#[test]
fn no_credential_of_a_home_can_be_read_over_mcp() {
    let Some(home) = Home::concealed(ALLOW) else { return };
    let (names, line) = planted(&home);
    let stderr = home.path("stderr");
    let mut client = Client::connect_to(home.command("work", &["mcp", "serve", "--stdio"]), &stderr, None, "test");
    let answer = client.request(7, "tools/call", &json!({"name": "bash", "arguments": {"command": line}}));
    assert_eq!(answer["result"]["isError"], json!(false), "{answer:#}");
    assert_eq!(readable(&names, &answer.to_string()), Vec::<&str>::new());
}

#[test]
fn credentials_stay_hidden_where_the_home_is_the_workspace_or_is_opened() {
    let Some(home) = Home::concealed(ALLOW) else { return };
    let (names, line) = planted(&home);
    let call = format!("command={line}");
    let report = home.run("", &["call", "--json", "--yes", "bash", &call]).json();
    assert_eq!(readable(&names, &report.to_string()), Vec::<&str>::new());
    home.file(".config/haft/config.toml", &ALLOW.replace("timeout", "read_paths = [\"~\"]\ntimeout"));
    home.file("notes", "to be seen");
    let seen = home.bash(&format!("cat ../notes; {line}")).to_string();
    assert!(seen.contains("to be seen"), "{seen}");
    assert_eq!(readable(&names, &seen), Vec::<&str>::new());
}

#[test]
fn what_is_not_seen_is_named_with_the_key_that_grants_it() {
    let Some(home) = Home::concealed(ALLOW) else { return };
    home.file("other/notes", "of another project");
    let report = home.bash("cat ../other/notes");
    let text = report["text"].as_str().unwrap_or_default();
    assert!(!text.contains("of another project") && text.contains("`tools.shell.read_paths`"), "{text}");
    let hidden = home.bash("cat ~/.ssh/id_rsa");
    assert!(!hidden["text"].as_str().unwrap_or_default().contains("read_paths"), "{hidden}");
    home.file(".config/haft/config.toml", &ALLOW.replace("timeout", "read_paths = [\"~/other\"]\ntimeout"));
    home.file("other/.env", "secret-of-it");
    assert_eq!(home.works("cat ../other/notes"), "of another project");
    assert!(!home.bash("cat ../other/.env").to_string().contains("secret-of-it"));
    let doctor = home.run("work", &["doctor"]).out;
    assert!(doctor.contains("/other (`tools.shell.read_paths`)"), "{doctor}");
}

/// Commands have a folder of their own in the place of `/tmp`.
#[test]
fn what_is_granted_in_the_temporary_folder_of_the_machine_is_read_there_and_no_more() {
    let other = tempfile::Builder::new().prefix("granted-").tempdir_in("/tmp").expect("a folder is made");
    let at = other.path().display().to_string();
    for (name, content) in [("notes", "of another project"), (".env", "secret-of-it")] {
        std::fs::write(other.path().join(name), content).expect("a file is written");
    }
    let Some(home) = Home::concealed(ALLOW) else { return };
    assert!(!home.bash(&format!("cat {at}/notes")).to_string().contains("of another project"));
    let granted = format!("read_paths = [\"{at}\"]\ntimeout");
    home.file(".config/haft/config.toml", &ALLOW.replace("timeout", &granted));
    assert_eq!(home.works(&format!("cat {at}/notes")), "of another project");
    let hidden = home.bash(&format!("cat {at}/.env; echo x > {at}/notes; touch /tmp/own && ls /tmp")).to_string();
    assert!(!hidden.contains("secret-of-it") && hidden.contains("own"), "{hidden}");
    assert_eq!(std::fs::read_to_string(other.path().join("notes")).ok().as_deref(), Some("of another project"));
    let doctor = home.run("work", &["doctor"]).out;
    assert!(doctor.contains(&format!("{at} (`tools.shell.read_paths`)")), "{doctor}");
}

/// The workspace lies in a folder of the system, with more files beside a closed one than there can
/// be rules.
#[test]
fn what_others_leave_in_folders_of_the_system_is_not_there_however_full_the_workspace_is() {
    let others: Vec<tempfile::TempDir> = ["/tmp", "/var/tmp"]
        .map(|place| tempfile::Builder::new().prefix("others-").tempdir_in(place).expect("a folder is made"))
        .into();
    let work = tempfile::Builder::new().prefix("work-").tempdir_in("/tmp").expect("a folder is made");
    let work = work.path().canonicalize().expect("it is there");
    std::fs::write(work.join(".env"), "closed").expect("a file is written");
    for number in 0..1600 {
        std::fs::write(work.join(format!("f{number}")), "").expect("a file is written");
    }
    for sandbox in ["best-effort", "landlock"] {
        let home = Home::with(&ALLOW.replace("timeout", &format!("sandbox = \"{sandbox}\"\ntimeout")));
        let mut line = format!("cat {}", home.file("notes", "of the home").display());
        for other in &others {
            std::fs::write(other.path().join("notes"), "of another project").expect("a file is written");
            line = format!("{line} {}/notes", other.path().display());
        }
        if home.level().is_empty() || home.level() == "off" {
            eprintln!("SKIPPED: no `{sandbox}` here");
            continue;
        }
        let folder = work.to_str().expect("its name is text");
        let report =
            home.run(folder, &["call", "--json", "--yes", "bash", &format!("command={line}; ls | wc -l")]).json();
        let seen = report["raw_response"]["stdout"].as_str().unwrap_or_default();
        assert_eq!(seen.trim(), "1600", "{sandbox}: {report:#}");
    }
}

#[test]
fn the_report_on_the_machine_and_a_call_name_the_same_gaps() {
    for sandbox in ["best-effort", "landlock", "off"] {
        let home = Home::with(&ALLOW.replace("timeout", &format!("sandbox = \"{sandbox}\"\ntimeout")));
        home.file("work/.env", "x");
        let report = home.bash("true");
        let Some(level) = report["raw_response"]["sandbox"]["level"].as_str() else {
            eprintln!("SKIPPED: no `{sandbox}` here");
            continue;
        };
        let doctor = home.run("work", &["doctor", "--json"]).json();
        assert_eq!(doctor["sandbox"], level, "{doctor}");
        assert_eq!(doctor["not_stopped"], report["raw_response"]["sandbox"]["not_stopped"], "{level}");
        assert_eq!(doctor["view"]["concealed"].as_array().is_some_and(Vec::is_empty), level == "off", "{doctor}");
    }
}

#[test]
fn git_knows_who_commits_and_no_credential() {
    let home = Home::with(ALLOW);
    home.file(
        ".gitconfig",
        "[user]\n\tname = Jo Doe\n\temail = jo@example.org\n[credential]\n\thelper = store\n[url \"https://tok-3n@x.example/\"]\n\tinsteadOf = x:\n",
    );
    if !home.is_concealed() {
        return;
    }
    let line = "git init -q . && touch a && git add a && git commit -qm first && git log --format='%an %ae' && git config --list --global";
    let out = home.works(line);
    assert!(out.starts_with("Jo Doe jo@example.org\n"), "{out}");
    assert!(out.contains("url.https://x.example/.insteadof") && !out.contains("helper"), "{out}");
    let refused = home.bash("git config --global user.name Other");
    assert_ne!(refused["raw_response"]["exit_code"], json!(0));
    assert!(std::fs::read_to_string(home.path(".gitconfig")).expect("it stays").contains("tok-3n"));
}

#[test]
fn where_no_file_can_stand_in_anothers_place_variables_lead_to_the_copies() {
    let home = Home::with(&ALLOW.replace("timeout", "sandbox = \"landlock\"\ntimeout"));
    home.file(".config/git/config", "[user]\n\tname = Jo Doe\n[credential]\n\thelper = store\n");
    home.file(".npmrc", "save-exact=true\n//r.example/:_authToken=tok-3n\n");
    home.file(".config/uv/uv.toml", "offline = true\n");
    home.file(".config/go/env", "GOFLAGS=-mod=mod\n");
    home.file(".cargo/config.toml", "[net]\noffline = true\n");
    if home.level() != "landlock" {
        eprintln!("SKIPPED: no `landlock` here");
        return;
    }
    assert_eq!(home.works("git config user.name"), "Jo Doe\n");
    let seen = home.works("cat \"$GIT_CONFIG_GLOBAL\" \"$NPM_CONFIG_USERCONFIG\" \"$UV_CONFIG_FILE\" \"$GOENV\"");
    assert!(["Jo Doe", "save-exact", "offline", "-mod=mod"].iter().all(|text| seen.contains(text)), "{seen}");
    assert!(!seen.contains("tok-3n") && !seen.contains("helper"), "{seen}");
    assert_ne!(home.bash("cat ~/.npmrc")["raw_response"]["exit_code"], json!(0));
    // Also where temporary files lie in a folder that commands do not see.
    std::fs::create_dir(home.path("temporary")).expect("a folder is made");
    let mut command = home.command("work", &["call", "--json", "--yes", "bash", "command=git config user.name"]);
    command.env("TMPDIR", home.path("temporary"));
    assert_eq!(finished(command).json()["raw_response"]["stdout"], json!("Jo Doe\n"));
    // What no variable leads to is named.
    let doctor = home.run("work", &["doctor", "--json"]).json();
    let named = |list: &str| doctor["view"][list].to_string();
    assert!(named("unreachable").contains(".cargo/config.toml"), "{doctor}");
    assert!(!named("handed_in").contains("cargo") && named("handed_in").contains(".config/uv/uv.toml"), "{doctor}");
    assert!(home.run("work", &["doctor"]).out.contains("no variable leads to a copy"));
}

#[test]
fn a_work_tree_and_a_part_of_a_repository_work_and_their_neighbours_are_not_there() {
    let Some(home) = Home::concealed(ALLOW) else { return };
    let git = |folder: &str, arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments).current_dir(home.path(folder));
        let ran = finished(command);
        assert_eq!(ran.code, 0, "{ran:?}");
    };
    home.file("main/part/file", "x");
    home.file("main/beside", "seen beside");
    home.file("main/.env", "never");
    git("main", &["init", "-q", "."]);
    git("main", &["add", "part", "beside"]);
    git("main", &["commit", "-qm", "first"]);
    git("main", &["worktree", "add", "-q", "../tree"]);
    home.file("neighbour/x", "unseen");
    let run = |folder: &str, line: &str| {
        home.run(folder, &["call", "--json", "--yes", "bash", &format!("command={line}")]).out
    };
    assert!(run("tree", "git log --format=%s").contains("first"));
    let part =
        run("main/part", "git status --short; git log --format=%s; cat ../beside; cat ../.env; cat ../../neighbour/x");
    assert!(part.contains("first") && part.contains("seen beside"), "{part}");
    assert!(!part.contains("never") && !part.contains("unseen"), "{part}");
    // A file in a workspace opens no repository that does not know of it.
    home.file("work/.git", &format!("gitdir: {}\n", home.path("main/.git").display()));
    assert!(!run("work", "git log --format=%s").contains("first"));
    home.file("made/x", "");
    run("made", "mkdir .git && echo ../../main/.git > .git/common\\dir");
    assert!(!run("made", "cat ../main/.git/HEAD").contains("refs/heads"));

    let git = home.path("main/.git").canonicalize().unwrap();
    let commit = "git -c user.name=a -c user.email=a@example.com commit -qm second --allow-empty";
    let failed = run("tree", commit);
    let note = format!("`{}` is read-only for commands", git.display());
    assert!(failed.contains(&note) && failed.contains("`tools.shell.allowed_paths`"), "{failed}");
    let unseen = run("tree", "touch ../main/y");
    assert!(unseen.contains("`tools.shell.allowed_paths`") && !unseen.contains("read_paths"), "{unseen}");
    let doctor = home.run("tree", &["doctor"]).out;
    assert!(doctor.contains(&format!("commands may only read {}: `git commit` fails", git.display())), "{doctor}");
    let paths = format!("[tools.shell]\nallowed_paths = ['.', '{}']", git.display());
    home.file(".config/haft/config.toml", &ALLOW.replace("[tools.shell]", &paths));
    run("tree", commit);
    assert!(run("tree", "git log --format=%s").contains("second"));
    assert!(!home.run("tree", &["doctor"]).out.contains("`git commit` fails"));
}

#[test]
fn what_commands_put_into_caches_is_theirs_alone() {
    let home = Home::with(ALLOW);
    let own = home.file(".cache/pip/wheel", "genuine");
    home.file(".npm/_cacache/x", "genuine");
    home.file(".cargo/registry/cache/i/a-1.crate", "genuine");
    if !home.is_concealed() {
        return;
    }
    let places = [
        ".cache/pip/wheel",
        ".npm/_cacache/x",
        ".cargo/registry/cache/i/a-1.crate",
        "go/pkg/mod/x",
        ".m2/repository/x",
    ];
    for place in places {
        home.works(&format!("mkdir -p \"$(dirname ~/{place})\" && rm -f ~/{place} && echo poison > ~/{place}"));
    }
    for place in places {
        assert_eq!(home.works(&format!("cat ~/{place}")), "poison\n", "{place}");
        let outside = std::fs::read_to_string(home.path(place)).unwrap_or_default();
        assert!(outside.is_empty() || outside == "genuine", "{place}: {outside}");
    }
    assert_eq!(std::fs::read_to_string(own).expect("it stays"), "genuine");
    assert_ne!(home.bash("echo x > ~/.bashrc")["raw_response"]["exit_code"], json!(0));
}

/// Fetches and builds with the network, and again without it. The network is open: nobody is there
/// to be asked about hosts.
fn builds(program: &str, prepare: &str, fetch: &str, again: &str, expected: &str) {
    if !tools_testkit::installed(&[program]) {
        return;
    }
    let Some(home) = Home::concealed(&ALLOW.replace("timeout", "network = \"open\"\ntimeout")) else { return };
    home.works(prepare);
    let fetched = home.bash(fetch);
    if fetched["raw_response"]["exit_code"] != json!(0) {
        let text = fetched["text"].as_str().unwrap_or_default();
        assert!(!text.contains("ead-only") && !text.contains("ermission denied"), "{text}");
        eprintln!("SKIPPED: `{fetch}` cannot reach its registry: {text}");
        return;
    }
    assert!(fetched["raw_response"]["stdout"].as_str().unwrap_or_default().contains(expected), "{fetched:#}");
    home.file(".config/haft/config.toml", &ALLOW.replace("timeout", "network = \"off\"\ntimeout"));
    assert!(home.works(again).contains(expected), "{again}");
    let left: Vec<_> = [".cargo", ".npm", ".cache", ".m2", "go", ".gradle", ".local/share"]
        .iter()
        .filter(|name| home.path(name).exists())
        .collect();
    assert!(left.is_empty(), "nothing comes to be in the home itself: {left:?}");
}

#[test]
fn cargo_builds_with_a_dependency_in_a_fresh_home() {
    builds(
        "cargo",
        "cargo init -q --name tiny --vcs none . && echo 'fn main() { println!(\"{}\", itoa::Buffer::new().format(42)); }' > src/main.rs",
        "cargo add -q itoa && cargo run -q",
        "rm -rf target && cargo run -q --offline",
        "42",
    );
}

#[test]
fn npm_installs_in_a_fresh_home() {
    let run = "node -e 'console.log(require(\"is-odd\")(41))'";
    builds(
        "npm",
        "npm init -y",
        &format!("npm install --no-audit --no-fund is-odd && {run}"),
        &format!("rm -rf node_modules && npm ci --offline --no-audit --no-fund && {run}"),
        "true",
    );
}

#[test]
fn pnpm_installs_in_a_fresh_home() {
    let run = "node -e 'console.log(require(\"is-odd\")(41))'";
    builds(
        "pnpm",
        "echo '{\"name\":\"t\",\"version\":\"1.0.0\"}' > package.json",
        &format!("pnpm add is-odd && {run}"),
        &format!("rm -rf node_modules && pnpm install --offline --frozen-lockfile && {run}"),
        "true",
    );
}

#[test]
fn go_builds_in_a_fresh_home() {
    let source = r#"package main

import (
	"fmt"

	"golang.org/x/text/width"
)

func main() { fmt.Println(width.Fold.String("built")) }
"#;
    builds(
        "go",
        &format!("printf 'module x.example/t\\n\\ngo 1.19\\n' > go.mod && cat > main.go <<'END'\n{source}END"),
        "go get golang.org/x/text@v0.3.8 && go run .",
        "go run .",
        "built",
    );
}

/// What a toolchain brings itself builds without any network.
fn builds_alone(program: &str, line: &str) {
    if !tools_testkit::installed(&[program]) {
        return;
    }
    let Some(home) = Home::concealed(&ALLOW.replace("timeout", "network = \"off\"\ntimeout")) else { return };
    // Java takes the home from the user database.
    let line = format!("export JAVA_TOOL_OPTIONS=\"$JAVA_TOOL_OPTIONS -Duser.home=$HOME\"\n{line}");
    assert!(home.works(&line).contains("built"));
    let left: Vec<_> = [".cache", ".m2", "go", ".gradle"].iter().filter(|name| home.path(name).exists()).collect();
    assert!(left.is_empty(), "nothing comes to be in the home itself: {left:?}");
}

#[test]
fn go_tests_and_runs_without_a_network_in_a_fresh_home() {
    let files = "printf 'module x.example/t\\n\\ngo 1.19\\n' > go.mod
printf 'package main\\n\\nfunc main() { println(\"made\") }\\n' > main.go
printf 'package main\\n\\nimport \"testing\"\\n\\nfunc TestOne(t *testing.T) { t.Log(\"built\") }\\n' > main_test.go";
    builds_alone("go", &format!("{files}\ngo vet . && go run . && go test -v ."));
}

#[test]
fn gradle_builds_without_a_network_in_a_fresh_home() {
    let files = "mkdir -p src/main/java
printf 'public class Main { public static void main(String[] a) { System.out.println(\"built\"); } }\\n' > src/main/java/Main.java
printf \"apply plugin: 'java'\\napply plugin: 'application'\\nmainClassName = 'Main'\\n\" > build.gradle";
    builds_alone("gradle", &format!("{files}\ngradle --offline --no-daemon -q run"));
}

#[test]
fn maven_builds_with_a_dependency_in_a_fresh_home() {
    let home = "export JAVA_TOOL_OPTIONS=\"$JAVA_TOOL_OPTIONS -Duser.home=$HOME\"";
    let project = "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>\
<groupId>t</groupId><artifactId>t</artifactId><version>1</version><properties>\
<maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target></properties>\
<dependencies><dependency><groupId>org.apache.commons</groupId><artifactId>commons-lang3</artifactId>\
<version>3.12.0</version></dependency></dependencies></project>";
    let source = "public class Main { public static void main(String[] a) { \
System.out.println(org.apache.commons.lang3.StringUtils.capitalize(\"built\")); } }";
    let run = "java -cp target/classes:$(find ~/.m2/ -name commons-lang3-3.12.0.jar) Main";
    builds(
        "mvn",
        &format!("mkdir -p src/main/java && echo '{project}' > pom.xml && echo '{source}' > src/main/java/Main.java"),
        &format!("{home} && mvn -q -B compile && {run}"),
        &format!("{home} && rm -rf target && mvn -q -B -o compile && {run}"),
        "Built",
    );
}

#[test]
fn pip_and_uv_install_in_a_fresh_home() {
    let run = "python -c 'import six; print(six.PY3)'";
    builds(
        "python3",
        "python3 -m venv v",
        &format!(
            "v/bin/pip install -q six uv && v/bin/uv venv -q u && v/bin/uv pip install -q -p u/bin/python six && u/bin/{run}"
        ),
        &format!(
            "rm -rf u && v/bin/uv venv -q u && v/bin/uv pip install -q --offline -p u/bin/python six && u/bin/{run}"
        ),
        "True",
    );
}

#[test]
fn make_builds_in_a_fresh_home() {
    if !tools_testkit::installed(&["make", "gcc"]) {
        return;
    }
    let home = Home::with(&ALLOW.replace("timeout", "network = \"off\"\ntimeout"));
    home.file("work/main.c", "#include <stdio.h>\nint main(void) { puts(\"built\"); }\n");
    home.file("work/Makefile", "main: main.c\n\tgcc -o main main.c\n");
    assert!(home.works("make && ./main").ends_with("built\n"));
}

#[test]
fn a_folder_of_programs_in_a_home_brings_what_it_leads_to_and_no_more() {
    let home = Home::with(ALLOW);
    home.file("tools/thing-1.0/bin/thing", "#!/bin/sh\ncat \"$(dirname \"$0\")/../lib/data\"\n");
    home.file("tools/thing-1.0/lib/data", "from its library\n");
    home.file(".local/lib/node_modules/cli/bin.sh", "#!/bin/sh\ncat \"$(dirname \"$(readlink -f \"$0\")\")/part\"\n");
    home.file(".local/lib/node_modules/cli/part", "from its part\n");
    home.file("private/.secret", "no");
    std::fs::create_dir_all(home.path(".local/bin")).expect("a folder is made");
    for program in ["tools/thing-1.0/bin/thing", ".local/lib/node_modules/cli/bin.sh"] {
        executable(&home.path(program));
    }
    std::os::unix::fs::symlink("../lib/node_modules/cli/bin.sh", home.path(".local/bin/cli")).expect("links");
    if !home.is_concealed() {
        return;
    }
    let mut command = home.command(
        "work",
        &["call", "--json", "--yes", "bash", "command=thing; cli; ls ~ ~/tools; cat ~/private/.secret"],
    );
    let path = std::env::var("PATH").unwrap_or_default();
    let own = [home.path("tools/thing-1.0/bin"), home.path(".local/bin")].map(|folder| folder.display().to_string());
    command.env("PATH", format!("{}:{path}", own.join(":")));
    let out = finished(command).out;
    assert!(out.contains("from its library") && out.contains("from its part"), "{out}");
    assert!(!out.contains("private\\n"), "{out}");
}

fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("the mode is changed");
}

#[test]
fn a_made_up_home_in_the_temporary_folder_is_concealed_too() {
    let haft = Haft::configured(ALLOW);
    haft.home.file(".netrc", "canary-of-tmp");
    haft.home.file(".gitconfig", "[user]\n\tname = Jo Doe\n");
    let out = haft
        .run(&["call", "--json", "--yes", "bash", "command=cat ~/.netrc; git config user.name; touch ~/.cache/x"])
        .out;
    assert!(!out.contains("canary-of-tmp") && out.contains("Jo Doe"), "{out}");
    assert!(!haft.home.path(".cache/x").exists());
}
