//! The asking side: puts a question to all watchers at once; the first answer counts.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use tokio::net::UnixStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout_at};
use tools_core::{Absence, Answer, ConfirmPrompt, Confirmer, Question};

use crate::folder::Folder;
use crate::lines;
use crate::message::{Asker, Choice, QuestionMessage, TakenAnswer, VERSION};

/// How often further watchers are looked for while a question is open.
const LOOK_AGAIN: Duration = Duration::from_millis(500);
/// How long a question stays open without a watcher, once there was one: time to start another.
const WITHOUT_WATCHER: Duration = Duration::from_secs(5);

/// Asks every `haft approvals watch` of this user; the first answer counts.
///
/// Returns [`Absence::CannotAsk`] at once if none runs, [`Absence::NoAnswer`] if nobody answers in
/// time. Dropping the future withdraws the question. Asking needs a tokio runtime with I/O and
/// timers.
#[derive(Debug, Clone)]
pub struct Watchers {
    folder: PathBuf,
    asker: Asker,
    patience: Duration,
}

impl Watchers {
    /// The watchers that listen in `folder`, asked on behalf of `asker`. `patience` is the time
    /// limit for an answer.
    pub fn new(folder: impl Into<PathBuf>, asker: Asker, patience: Duration) -> Self {
        Self { folder: folder.into(), asker, patience }
    }

    /// The same, asked on behalf of this process. `lasting` is whether its session goes on after a
    /// call.
    pub fn of_process(folder: impl Into<PathBuf>, patience: Duration, lasting: bool) -> Self {
        let asker = Asker { process: std::process::id(), lasting, ..Asker::default() };
        Self::new(folder, asker, patience)
    }

    /// The same watchers, asked about calls of this client in this working directory.
    #[must_use]
    pub fn on_behalf_of(&self, client: &str, workdir: impl Into<PathBuf>) -> Self {
        let asker = Asker { client: client.to_owned(), workdir: workdir.into(), ..self.asker.clone() };
        Self { asker, ..self.clone() }
    }

    /// The number of watchers that run now.
    pub async fn count(&self) -> usize {
        let Ok(folder) = Folder::open(&self.folder) else { return 0 };
        let mut count = 0;
        for name in folder.sockets() {
            count += usize::from(folder.connect(&name).await.is_ok());
        }
        count
    }

    async fn ask(&self, folder: Folder, question: &Question, asking: &QuestionMessage, until: Instant) -> Answer {
        let asking = Arc::new(serde_json::to_value(asking).unwrap_or_default());
        let taken = Arc::new(AtomicBool::new(false));
        let (mut asked, mut answers) = (HashSet::new(), JoinSet::new());
        let mut alone_since = None;
        loop {
            for name in folder.sockets() {
                // Each is asked once: one that hung up has nothing to say to this question.
                if asked.contains(&name) {
                    continue;
                }
                if let Ok(stream) = folder.connect(&name).await {
                    asked.insert(name);
                    answers.spawn(heard(stream, Arc::clone(&asking), Arc::clone(&taken)));
                }
            }
            if answers.is_empty() {
                if asked.is_empty() {
                    return Answer::Nobody(Absence::CannotAsk);
                }
                if alone_since.get_or_insert_with(Instant::now).elapsed() > WITHOUT_WATCHER {
                    return Answer::Nobody(Absence::NoAnswer);
                }
            } else {
                alone_since = None;
            }
            tokio::select! {
                Some(heard) = answers.join_next() => match heard {
                    Ok(Ok(Some(choice))) => return choice.answer(question, &self.asker),
                    Ok(Ok(None)) | Err(_) => {}
                    Ok(Err(error)) => tracing::warn!(%error, "a watcher does not speak the protocol of approvals"),
                },
                () = sleep(LOOK_AGAIN) => {}
                () = tokio::time::sleep_until(until) => return Answer::Nobody(Absence::NoAnswer),
            }
        }
    }
}

#[async_trait]
impl Confirmer for Watchers {
    async fn confirm(&self, prompt: &ConfirmPrompt) -> Answer {
        let Ok(question) = Question::of(prompt) else { return Answer::Nobody(Absence::CannotAsk) };
        let folder = match Folder::open(&self.folder) {
            Ok(folder) => folder,
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!(folder = %self.folder.display(), %error, "watchers cannot be asked");
                }
                return Answer::Nobody(Absence::CannotAsk);
            }
        };
        let until = Instant::now() + self.patience;
        let left_ms = u64::try_from(self.patience.as_millis()).unwrap_or(u64::MAX);
        let asking = QuestionMessage { version: VERSION, asker: self.asker.clone(), prompt: prompt.clone(), left_ms };
        // A watcher that takes the question and then neither reads nor answers does not hold it up
        // either.
        let asked = timeout_at(until, self.ask(folder, &question, &asking, until)).await;
        asked.unwrap_or(Answer::Nobody(Absence::NoAnswer))
    }
}

/// Puts the question to one watcher; its choice, if it is the first. `None` when it hung up or was
/// late.
async fn heard(
    stream: UnixStream,
    asking: Arc<serde_json::Value>,
    taken: Arc<AtomicBool>,
) -> io::Result<Option<Choice>> {
    let (mut read, mut write) = lines::halves(stream);
    if lines::send(&mut write, &*asking).await.is_err() {
        return Ok(None);
    }
    let Some(choice) = lines::receive::<Choice>(&mut read).await? else { return Ok(None) };
    if taken.swap(true, Ordering::AcqRel) {
        return Ok(None);
    }
    let _ = lines::send(&mut write, &TakenAnswer { taken: true }).await;
    Ok(Some(choice))
}
