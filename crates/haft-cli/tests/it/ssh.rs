//! git over ssh through the gate: a server of this machine, a key that only an agent has.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::client::Client;
use crate::gate::{connections, gated_with, rule};
use crate::support::{Haft, Ran, eventually, finished};

const SERVER: &str = "/usr/sbin/sshd";

/// A server with one repository, and an agent that has the only key to it. Both end when dropped.
struct Remote {
    folder: PathBuf,
    port: u16,
    running: Vec<Child>,
}

impl Remote {
    /// `None` after saying what this machine lacks.
    fn start(folder: PathBuf) -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
        let mut remote = Self { folder, port, running: vec![] };
        let missing = remote.prepare().and_then(|()| remote.run()).err();
        if let Some(why) = missing {
            eprintln!("SKIPPED: no ssh server or no agent here: {why}");
            return None;
        }
        Some(remote)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn prepare(&self) -> Result<(), String> {
        for name in ["host", "key"] {
            let arguments = ["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f"];
            done(Command::new("ssh-keygen").args(arguments).arg(self.path(name)))?;
        }
        let public = fs::read_to_string(self.path("host.pub")).map_err(|error| error.to_string())?;
        let files = [
            ("known", format!("[localhost]:{} {public}", self.port)),
            (
                "sshd_config",
                format!(
                    "Port {}\nListenAddress 127.0.0.1\nHostKey {}\nAuthorizedKeysFile {}\nStrictModes no\n\
                     PasswordAuthentication no\nKbdInteractiveAuthentication no\nUsePAM no\nPidFile none\n",
                    self.port,
                    self.path("host").display(),
                    self.path("key.pub").display(),
                ),
            ),
        ];
        for (name, text) in files {
            fs::write(self.path(name), text).map_err(|error| error.to_string())?;
        }
        let repository = self.path("repository");
        let git = || {
            let mut git = Command::new("git");
            git.arg("-C").arg(&repository).args(["-c", "user.name=t", "-c", "user.email=t@example.org"]);
            git
        };
        fs::create_dir(&repository).map_err(|error| error.to_string())?;
        done(git().args(["init", "--quiet"]))?;
        fs::write(repository.join("a.txt"), "kept there\n").map_err(|error| error.to_string())?;
        done(git().args(["add", "."]))?;
        done(git().args(["commit", "--quiet", "-m", "first"]))
    }

    fn run(&mut self) -> Result<(), String> {
        // The server of root wants this folder, which a service manager makes elsewhere.
        let _ = fs::create_dir("/run/sshd");
        self.start_one(Command::new(SERVER).args(["-D", "-e", "-f"]).arg(self.path("sshd_config")))?;
        self.start_one(Command::new("ssh-agent").args(["-D", "-a"]).arg(self.path("agent")))?;
        if !eventually(|| self.path("agent").exists() && std::net::TcpStream::connect(("127.0.0.1", self.port)).is_ok())
        {
            return Err("they do not start".to_owned());
        }
        done(Command::new("ssh-add").arg("-q").arg(self.path("key")).env("SSH_AUTH_SOCK", self.path("agent")))
    }

    fn start_one(&mut self, command: &mut Command) -> Result<(), String> {
        let log = fs::File::create(self.path("log")).map_err(|error| error.to_string())?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        self.running.push(command.spawn().map_err(|error| error.to_string())?);
        Ok(())
    }

    /// A line that clones the repository. The key of the server is the only one that is accepted.
    fn clones(&self) -> String {
        format!(
            "GIT_SSH_COMMAND=\"$GIT_SSH_COMMAND -o BatchMode=yes -o StrictHostKeyChecking=yes \
             -o UserKnownHostsFile=$PWD/known\" git clone -q ssh://localhost:{port}{repository} copy && cat copy/a.txt",
            port = self.port,
            repository = self.path("repository").display(),
        )
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        for child in &mut self.running {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn done(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)))
    }
}

/// A workspace whose commands may use the agent, and where the key of the server is known.
fn workspace(remote: &Remote, rules: &str) -> Option<Haft> {
    let haft = gated_with("sockets = [\"ssh-agent\"]", rules)?;
    fs::copy(remote.path("known"), haft.workspace.path("known")).expect("it was written");
    Some(haft)
}

fn clone(haft: &Haft, remote: &Remote) -> Ran {
    let mut command = haft.command(&["exec", "--yes", "--", &remote.clones()]);
    command.env("SSH_AUTH_SOCK", remote.path("agent"));
    finished(command)
}

#[test]
fn git_clones_over_ssh_once_its_host_is_allowed() {
    let place = tools_testkit::Workspace::new();
    let Some(remote) = Remote::start(place.root().to_owned()) else { return };
    let host = format!("localhost:{}", remote.port);
    let Some(closed) = workspace(&remote, "") else { return };
    let ran = clone(&closed, &remote);
    assert!(ran.code != 0 && ran.err.contains(&format!("`{host}` is refused")), "{ran:?}");
    let Some(open) = workspace(&remote, &rule(&host, "allow")) else { return };
    let ran = clone(&open, &remote);
    assert_eq!((ran.code, ran.out.as_str()), (0, "kept there\n"), "{ran:?}");
    let lines = connections(&open);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0]["decision"] == "allow" && lines[0]["received"].as_u64() > Some(1_000), "{lines:?}");
}

#[test]
fn a_clone_over_ssh_asks_one_question() {
    let place = tools_testkit::Workspace::new();
    let Some(remote) = Remote::start(place.root().to_owned()) else { return };
    let host = format!("localhost:{}", remote.port);
    let Some(haft) = workspace(&remote, &rule(&host, "ask")) else { return };
    let mut command = haft.command(&["mcp", "serve", "--stdio"]);
    command.env("SSH_AUTH_SOCK", remote.path("agent"));
    let mut client = Client::connect_to(command, &haft.home.path("stderr"), Some("once"), "test");
    let answer = client.call("bash", &json!({"command": remote.clones()}));
    assert!(answer.to_string().contains("kept there"), "{answer}");
    let about_host =
        client.asked.iter().filter(|question| question.starts_with(&format!("network ASK: connect {host}\n")));
    assert_eq!(about_host.count(), 1, "{:?}", client.asked);
}
