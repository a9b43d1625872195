//! `haft batch`: calls as JSON lines, results as JSON lines, in the same order.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use haft::Toolbox;
use haft::audit::noted_head;
use haft::core::{CallId, CallerId, SessionId, ToolCall, TrustLevel};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::args::CommonArgs;
use crate::commands::call::{Consent, make};
use crate::commands::open::open_introduced;
use crate::exit::Exit;
use crate::output;

/// Maximum length of a line in bytes. A longer line is answered with an error.
const MAX_LINE_LEN: u64 = 64 * 1024 * 1024;

/// One line of the input.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: Option<Id>,
    tool: String,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    approve: bool,
    session: Option<String>,
    workdir: Option<PathBuf>,
    trust: Option<TrustLevel>,
    caller: Option<String>,
}

/// Identifier as callers write it: a string or a number.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Id {
    Text(String),
    Number(u64),
}

impl Id {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
        }
    }
}

/// Makes the calls. A bad line is answered with an error, and the others still run.
pub(crate) async fn run(common: &CommonArgs, file: Option<&Path>) -> Result<Exit, String> {
    let toolbox = open_introduced(common).await?;
    let _watch = toolbox.watch(|name| std::env::var(name).ok());
    let mut input: Box<dyn BufRead> = match file.filter(|file| *file != Path::new("-")) {
        None => Box::new(BufReader::new(io::stdin())),
        Some(path) => {
            let file = File::open(path).map_err(|error| format!("`{}`: {error}", path.display()))?;
            Box::new(BufReader::new(file))
        }
    };
    let mut exit = Exit::Ok;
    // Stop when standard output is closed: the results of further calls would be lost.
    while !output::is_unread()
        && let Some(line) = next_line(&mut input).map_err(|error| format!("the input cannot be read: {error}"))?
    {
        let answer = match line {
            Ok(text) if text.trim().is_empty() => continue,
            Ok(text) => one(&toolbox, &text).await,
            Err(problem) => Err((None, problem)),
        };
        match answer {
            Ok(report) => output::json(&report),
            Err((id, problem)) => {
                exit = Exit::ToolFailed;
                output::json(&bad_line(id.as_deref(), &problem));
            }
        }
    }
    // The head of the session, to be noted where no tool can write.
    let head = Some(toolbox.config()).filter(|config| config.tools.audit.enabled && !common.quiet);
    if let Some(head) = head.and_then(|config| noted_head(&config.tools.audit.file(&haft::config::places::state_dir())))
    {
        output::note(&format!("audit head: {head}"));
    }
    Ok(exit)
}

async fn one(toolbox: &Toolbox, text: &str) -> Result<haft::CallReport, (Option<String>, String)> {
    let line: Line = serde_json::from_str(text).map_err(|error| {
        let id = serde_json::from_str::<Value>(text).ok().and_then(|line| line["id"].as_str().map(str::to_owned));
        (id, format!("not a valid call: {error}"))
    })?;
    let id = line.id.as_ref().map(Id::text);
    let bad = |problem: String| (id.clone(), problem);
    let mut call = ToolCall::new(&line.tool, line.params).map_err(|error| bad(error.to_string()))?;
    if let Some(id) = &id {
        call = call.with_id(CallId::parse(id).map_err(|error| bad(error.to_string()))?);
    }
    if let Some(caller) = &line.caller {
        call = call.with_caller(CallerId::parse(caller).map_err(|error| bad(error.to_string()))?);
    }
    let mut cx = toolbox.context();
    if let Some(session) = &line.session {
        cx = cx.in_session(SessionId::parse(session).map_err(|error| bad(error.to_string()))?);
    }
    if let Some(workdir) = &line.workdir {
        let workdir = toolbox.context().workdir().join(workdir);
        cx = cx.with_workdir(workdir);
    }
    if let Some(trust) = line.trust {
        cx = cx.capped(trust);
    }
    let consent = if line.approve { Consent::Given } else { Consent::Refused };
    Ok(make(toolbox, call, &cx, consent).await)
}

/// Reads the next line: its text, or what is wrong with it; `None` at the end.
fn next_line(input: &mut dyn BufRead) -> io::Result<Option<Result<String, String>>> {
    let mut bytes = Vec::new();
    let read = input.take(MAX_LINE_LEN).read_until(b'\n', &mut bytes)?;
    if read == 0 {
        return Ok(None);
    }
    if !bytes.ends_with(b"\n") && bytes.len() as u64 == MAX_LINE_LEN {
        input.skip_until(b'\n')?;
        return Ok(Some(Err(format!("the line is longer than {MAX_LINE_LEN} bytes"))));
    }
    Ok(Some(String::from_utf8(bytes).map_err(|error| format!("the line is not UTF-8: {error}"))))
}

fn bad_line(id: Option<&str>, problem: &str) -> Value {
    json!({
        "id": id,
        "tool": null,
        "ok": false,
        "decision": "deny",
        "text": problem,
        "raw_response": null,
        "error": {
            "category": "invalid_parameters",
            "code": "bad_line",
            "message": problem,
            "suggestion": "Write one JSON object per line: {\"id\",\"tool\",\"params\",\"approve\"?,\"session\"?,\"workdir\"?,\"trust\"?,\"caller\"?}.",
            "retryable": false,
        },
        "confirmation": null,
        "filter": null,
        "overflow": null,
        "warnings": [],
        "truncated": false,
        "cached": false,
        "duration_ms": 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_one_by_one_and_bad_ones_say_why() {
        let mut input: &[u8] = b"{\"a\":1}\n\xff\n\nlast";
        let mut seen = vec![];
        while let Some(line) = next_line(&mut input).unwrap() {
            seen.push(line.map_err(|problem| problem.chars().take(20).collect::<String>()));
        }
        let text = |text: &str| Ok(text.to_owned());
        assert_eq!(seen, [text("{\"a\":1}\n"), Err("the line is not UTF-".to_owned()), text("\n"), text("last")]);
    }
}
