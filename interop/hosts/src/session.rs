//! One run of a host with a script, until it ends or its time is up.

use std::{
    fs,
    process::{Command, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use crate::{
    home::Home,
    host::Host,
    model::{Model, Script, Seen, Step},
};

/// The longest that a session may take: 40 starts of a debug binary and of the host's shell.
const LONGEST: Duration = Duration::from_secs(400);

/// What came of it.
pub struct Session {
    /// What the model was shown and told.
    pub seen: Seen,
    /// What the host printed, for whoever looks for the reason of a failure.
    pub printed: String,
}

/// Runs the host until its model has nothing more to ask for.
pub fn run(
    host: &dyn Host,
    home: &Home,
    program: &std::path::Path,
    name: &str,
    steps: Vec<Step>,
) -> Result<Session, String> {
    let seen = Arc::new(Mutex::new(Seen::default()));
    let logs = std::env::var_os("HAFT_INTEROP_LOGS").map(std::path::PathBuf::from);
    let log =
        logs.as_ref().and_then(|folder| fs::File::create(folder.join(format!("{}-{name}.requests", host.name()))).ok());
    let script = Script { steps, seen: seen.clone() };
    let model = Model::start(host.wire(), script, log).map_err(|error| error.to_string())?;
    let mut command = home.command(program);
    host.session(&mut command, home, model.port);
    let printed = ended(command)?;
    if let Some(folder) = logs {
        let _ = fs::write(folder.join(format!("{}-{name}.printed", host.name())), &printed);
    }
    let seen = std::mem::take(&mut *seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    Ok(Session { seen, printed })
}

fn ended(mut command: Command) -> Result<String, String> {
    let output = tempfile::tempfile().map_err(|error| error.to_string())?;
    let copy = || output.try_clone().map(Stdio::from).map_err(|error| error.to_string());
    let mut child = command.stdout(copy()?).stderr(copy()?).spawn().map_err(|error| format!("{command:?}: {error}"))?;
    let until = Instant::now() + LONGEST;
    let is_ended = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(_) => break true,
            None if Instant::now() > until => break false,
            None => std::thread::sleep(Duration::from_millis(50)),
        }
    };
    if !is_ended {
        let _ = child.kill();
        let _ = child.wait();
    }
    let mut text = String::new();
    let mut output = output;
    use std::io::{Read as _, Seek as _};
    let _ = output.rewind().and_then(|()| output.read_to_string(&mut text));
    if is_ended { Ok(text) } else { Err(format!("the host did not end in {} s: {text}", LONGEST.as_secs())) }
}
