//! `haft approvals watch`, with somebody who answers the first question with a yes and every other
//! one with a no.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Stdio},
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};

use crate::home::Home;

/// Somebody who watches.
pub struct Watcher {
    child: Child,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Watcher {
    /// Starts to watch, and waits until questions can come.
    pub fn start(home: &Home, haft: &Path) -> Result<Self, String> {
        let mut command = home.command(haft);
        command.args(["--json", "approvals", "watch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the watcher has no pipes".to_owned());
        };
        let mut lines = BufReader::new(output).lines();
        lines.next().and_then(Result::ok).ok_or("the watcher did not start")?;
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = asked.clone();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let Ok(event) = serde_json::from_str::<Value>(&line) else { continue };
                if event["event"] != "asked" {
                    continue;
                }
                let mut seen = seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let word = if seen.is_empty() { "once" } else { "no" };
                seen.push(event.clone());
                let _ = writeln!(input, "{}", json!({"id": event["id"], "answer": word}));
            }
        });
        Ok(Self { child, asked })
    }

    /// The questions so far.
    pub fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
