//! `haft sessions`: manages saved conversations.

use haft::agents::sessions::{SessionEntry, Sessions, SessionsError};
use haft::config::LoadedConfig;
use haft::core::SessionId;
use haft::{overflow_archive, saved_sessions};
use serde_json::json;

use crate::args::{CommonArgs, SessionsVerb};
use crate::commands::open::load;
use crate::exit::Exit;
use crate::output::{self, one_line};

pub(crate) async fn run(common: &CommonArgs, verb: &SessionsVerb) -> Result<Exit, String> {
    let loaded = load(common)?;
    let sessions = saved_sessions(&loaded).map_err(|error| error.to_string())?;
    let unreadable = |error: SessionsError| error.to_string();
    match verb {
        SessionsVerb::List => {
            let all = sessions.list().await.map_err(unreadable)?;
            for entry in &all {
                print(common, entry);
            }
            if all.is_empty() && !common.quiet && !common.json {
                output::note("no saved sessions");
            }
            Ok(Exit::Ok)
        }
        SessionsVerb::Show { id } => match sessions.find(&parse(id)?).await.map_err(unreadable)? {
            Some(kept) if common.json => {
                output::json(&kept);
                Ok(Exit::Ok)
            }
            Some(kept) => {
                print(common, &SessionEntry::from(&kept));
                output::text(&kept.history.transcript());
                Ok(Exit::Ok)
            }
            None => Ok(missing(common, id)),
        },
        SessionsVerb::Rm { id } => remove(common, &loaded, &sessions, id).await,
    }
}

/// Removes a session and its stored output.
async fn remove(common: &CommonArgs, loaded: &LoadedConfig, sessions: &Sessions, id: &str) -> Result<Exit, String> {
    let session = parse(id)?;
    let archive = overflow_archive(loaded).map_err(|error| error.to_string())?;
    let was_there = sessions.remove(&session).await.map_err(|error| format!("`{id}` cannot be removed: {error}"))?;
    let outputs = match archive {
        Some(archive) => archive.remove_conversation(session.as_str()).await.map_err(|error| error.to_string())?,
        None => 0,
    };
    if !was_there && outputs == 0 {
        return Ok(missing(common, id));
    }
    let text = format!("removed {}, and {outputs} stored outputs", one_line(id));
    output::done(common, &json!({"ok": true, "session": id, "outputs": outputs}), &text);
    Ok(Exit::Ok)
}

fn parse(id: &str) -> Result<SessionId, String> {
    SessionId::parse(id).map_err(|error| error.to_string())
}

fn missing(common: &CommonArgs, id: &str) -> Exit {
    output::failed(common, &format!("there is no session `{}`", one_line(id)))
}

fn print(common: &CommonArgs, entry: &SessionEntry) {
    let SessionEntry { session, workdir, title, turns, messages, written } = entry;
    if common.json {
        return output::json(&json!({
            "session": session, "workdir": workdir, "title": title, "turns": turns,
            "written": written.to_string(), "messages": messages,
        }));
    }
    output::line(&format!(
        "{session}  {written:.0}  {turns} turns  {}  {}",
        one_line(&workdir.to_string_lossy()),
        one_line(title)
    ));
}
