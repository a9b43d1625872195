//! Shows questions as JSON lines to another program, and reads its answers as JSON lines.

use haft::questions::{Choice, EndReason, Event, QuestionWatch};
use serde::Deserialize;
use serde_json::json;

use super::{LAST, QuestionView, lines};
use crate::{commands::call::interrupt, exit::Exit, output};

/// Input line of the other program.
#[derive(Debug, Deserialize)]
struct Line {
    id: u64,
    #[serde(flatten)]
    choice: Choice,
}

/// Prints questions and reads answers until interrupted. Continues to print after the input has
/// ended.
pub(super) async fn watch(mut watch: QuestionWatch, notify: Option<&str>) -> Result<Exit, String> {
    let mut lines = lines::of_stdin();
    let (mut reads, mut interrupted) = (true, std::pin::pin!(interrupt()));
    output::json(&json!({"event": "watching"}));
    while !output::is_unread() {
        tokio::select! {
            event = watch.next() => match event {
                Some(event) => tell(event, notify),
                None => return Ok(Exit::Ok),
            },
            line = lines.recv(), if reads => match line {
                Some(line) => match serde_json::from_str::<Line>(&line) {
                    Ok(Line { id, choice }) => watch.answer(id, choice),
                    Err(error) => output::json(&json!({"event": "not_understood", "problem": error.to_string()})),
                },
                None => reads = false,
            },
            signal = &mut interrupted => {
                // Give the last answers time to be delivered.
                tokio::time::sleep(LAST).await;
                return Ok(Exit::interrupted(signal));
            }
        }
    }
    Ok(Exit::Ok)
}

fn tell(event: Event, notify: Option<&str>) {
    match event {
        Event::Asked(standing) => {
            let Some(asked) = QuestionView::new(*standing) else { return };
            if let Some(line) = notify {
                asked.notify(line);
            }
            let standing = &asked.standing;
            output::json(&json!({
                "event": "asked",
                "id": standing.id,
                "client": standing.asker.client,
                "workdir": standing.asker.workdir,
                "process": standing.asker.process,
                "session_lasts": standing.asker.lasting,
                "seconds": asked.seconds(),
                "question": asked.shown.rows(haft::core::Width::DIALOG),
                "stores": asked.shown.stores(),
                "confirmation": standing.prompt,
            }));
        }
        Event::Ended { id, how } => {
            let how = match how {
                EndReason::Taken => "taken",
                EndReason::Late => "late",
                EndReason::Withdrawn => "withdrawn",
            };
            output::json(&json!({"event": "ended", "id": id, "how": how}));
        }
    }
}
