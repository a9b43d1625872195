//! `haft memory`: lists, prints and removes saved memories of any project, for an operator.

use std::{fmt::Write as _, io::Read as _, path::Path};

use haft::memories;
use haft::memory_store::{Filter, ImportOutcome, Memories, Memory, project_of};
use serde_json::json;

use crate::args::{CommonArgs, MemoryVerb};
use crate::commands::open::{load, workdir};
use crate::exit::Exit;
use crate::output::{self, with_causes};

/// Maximum size in bytes of a file of memories.
const MAX_IMPORT: u64 = 256 << 20;
/// Maximum number of hits of `list --search`.
const HITS: usize = 20;
/// Maximum number of characters of a memory in a list.
const SHORT: usize = 100;

pub(crate) async fn run(common: &CommonArgs, verb: &MemoryVerb) -> Result<Exit, String> {
    let memories = memories(&load(common)?).map_err(|error| error.to_string())?;
    let memories = memories.ok_or("memories are disabled: `tools.memory.enabled` is false")?;
    match verb {
        MemoryVerb::List { all, search } => list(common, &memories, *all, search.as_deref()).await,
        MemoryVerb::Show { id } => show(common, &memories, id).await,
        MemoryVerb::Rm { ids } => remove(common, &memories, ids).await,
        MemoryVerb::Export => export(&memories).await,
        MemoryVerb::Import { file } => import(common, &memories, file.as_deref()).await,
    }
}

async fn list(common: &CommonArgs, memories: &Memories, all: bool, search: Option<&str>) -> Result<Exit, String> {
    let filter = Filter { project: Some(project_of(&workdir(common)?)), user: true, ..Filter::default() };
    let (found, lost) = match search {
        Some(query) => {
            let found = memories.search_readable(query, &filter, HITS).await.map_err(|error| with_causes(&error))?;
            (found.0.into_iter().map(|hit| hit.memory).collect(), found.1)
        }
        None => memories.list_readable((!all).then_some(&filter)).await.map_err(|error| with_causes(&error))?,
    };
    if common.json {
        output::json(&json!({ "memories": found, "unreadable": lost }));
        return Ok(complete(lost));
    }
    for memory in &found {
        output::line(&row(memory));
    }
    if found.is_empty() && !common.quiet {
        output::note("haft: no memories");
    }
    Ok(complete(lost))
}

/// Reports how much a damaged store has lost, and fails then, since the printed list is incomplete.
fn complete(lost: Option<u64>) -> Exit {
    let Some(lost) = lost else { return Exit::Ok };
    output::note(&format!(
        "haft: the store of memories is damaged: {lost} memories cannot be read. Save the others with `haft memory \
         export`, move the folder of the store away, and give them to `haft memory import`"
    ));
    Exit::ToolFailed
}

fn row(memory: &Memory) -> String {
    let mut short: String = memory.content.chars().take(SHORT).collect();
    if short.len() < memory.content.len() {
        short.push('…');
    }
    let short = output::one_line(&short);
    let mark = match (&memory.superseded_by, memory.untrusted) {
        (Some(_), _) => " (superseded)",
        (None, true) => " (from outside)",
        (None, false) => "",
    };
    let day = memory.created_at.strftime("%Y-%m-%d");
    format!("{}  {day}  {:<8} {:<10} {short}{mark}", memory.id, memory.scope.as_str(), memory.kind.as_str())
}

async fn show(common: &CommonArgs, memories: &Memories, id: &str) -> Result<Exit, String> {
    let Some(memory) = memories.get(id).await.map_err(|error| with_causes(&error))? else {
        return Ok(output::failed(common, &format!("there is no memory `{id}`")));
    };
    if common.json {
        output::json(&memory);
        return Ok(Exit::Ok);
    }
    let mut text = format!("{} {} of {}", memory.id, memory.kind.as_str(), memory.scope.as_str());
    let mut row = |name: &str, value: &dyn std::fmt::Display| {
        let _ = write!(text, "\n{name}: {}", output::one_line(&value.to_string()));
    };
    if !memory.owner.is_empty() {
        row("of", &memory.owner);
    }
    row("saved", &memory.created_at);
    row("by", &memory.origin);
    if let Some(session) = &memory.session {
        row("session", session);
    }
    row("may hold text from outside", &memory.untrusted);
    if let Some(expires) = &memory.expires_at {
        row("expires", expires);
    }
    if let Some(other) = &memory.superseded_by {
        row("superseded by", other);
    }
    if !memory.tags.is_empty() {
        row("tags", &memory.tags.join(" "));
    }
    row("found", &format!("{} times", memory.uses));
    output::line(&format!("{text}\n"));
    output::text(&memory.content);
    Ok(Exit::Ok)
}

async fn remove(common: &CommonArgs, memories: &Memories, ids: &[String]) -> Result<Exit, String> {
    let mut exit = Exit::Ok;
    let mut removed = vec![];
    for id in ids {
        if memories.remove(id).await.map_err(|error| with_causes(&error))? {
            removed.push(id);
        } else {
            output::note(&format!("haft: there is no memory `{id}`"));
            exit = Exit::ToolFailed;
        }
    }
    output::done(common, &json!({ "removed": removed }), &format!("removed {}", removed.len()));
    Ok(exit)
}

async fn export(memories: &Memories) -> Result<Exit, String> {
    let (found, lost) = memories.list_readable(None).await.map_err(|error| with_causes(&error))?;
    for memory in found {
        output::json(&memory);
    }
    Ok(complete(lost))
}

async fn import(common: &CommonArgs, memories: &Memories, file: Option<&Path>) -> Result<Exit, String> {
    let text = read(file)?;
    let (mut stored, mut skipped) = (0_u64, 0_u64);
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let memory: Memory = serde_json::from_str(line).map_err(|error| format!("line {number}: {error}"))?;
        match memories.import(memory).await.map_err(|error| format!("line {number}: {}", with_causes(&error)))? {
            ImportOutcome::Stored => stored += 1,
            ImportOutcome::Skipped => skipped += 1,
        }
    }
    let object = json!({ "stored": stored, "skipped": skipped });
    output::done(common, &object, &format!("stored {stored}, skipped {skipped}"));
    Ok(Exit::Ok)
}

fn read(file: Option<&Path>) -> Result<String, String> {
    let mut text = String::new();
    let read = match file.filter(|file| *file != Path::new("-")) {
        Some(file) => std::fs::File::open(file).and_then(|file| file.take(MAX_IMPORT).read_to_string(&mut text)),
        None => std::io::stdin().take(MAX_IMPORT).read_to_string(&mut text),
    };
    match read {
        Ok(_) if text.len() as u64 == MAX_IMPORT => Err("too much to import at once".to_owned()),
        Ok(_) => Ok(text),
        Err(error) => Err(format!("the lines cannot be read: {error}")),
    }
}
