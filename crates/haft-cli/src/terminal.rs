//! Asks at the terminal of this process (`/dev/tty`). Input typed ahead is discarded, and no answer
//! means no.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use haft::core::{Absence, Answer, ConfirmPrompt, Confirmer};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{QueueSelector, tcflush};

use crate::asking::{Reply, Screen, TerminalQuestion};

/// Asks the person at the controlling terminal; [`Absence::CannotAsk`] at once if there is none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    /// Time after which an unanswered question counts as a no.
    pub(crate) patience: Duration,
    /// Whether the session continues after the call. If not, "for this session" is not offered.
    pub(crate) lasting: bool,
}

impl Default for Terminal {
    fn default() -> Self {
        Self { patience: Duration::from_mins(2), lasting: false }
    }
}

impl Terminal {
    /// For a session of many calls.
    pub(crate) fn of_session() -> Self {
        Self { lasting: true, ..Self::default() }
    }
}

#[async_trait]
impl Confirmer for Terminal {
    async fn confirm(&self, prompt: &ConfirmPrompt) -> Answer {
        let Some(shown) = TerminalQuestion::new(prompt, self.lasting) else {
            return Answer::Nobody(Absence::CannotAsk);
        };
        let patience = self.patience;
        let asking = tokio::task::spawn_blocking(move || ask(&shown, patience));
        asking.await.unwrap_or(Answer::Nobody(Absence::CannotAsk))
    }
}

/// Opens the controlling terminal; `None` if there is none.
pub(crate) fn controlling() -> Option<File> {
    OpenOptions::new().read(true).write(true).open("/dev/tty").ok()
}

/// Blocks until there is an answer or the time is over.
fn ask(shown: &TerminalQuestion, patience: Duration) -> Answer {
    let Some(mut tty) = controlling() else { return Answer::Nobody(Absence::CannotAsk) };
    // Input typed before the question was visible does not answer it.
    let _ = tcflush(&tty, QueueSelector::IFlush);
    let (until, screen) = (Instant::now() + patience, Screen::of(&tty));
    let mut text = shown.text(&[], screen, patience.as_secs());
    loop {
        if tty.write_all(text.as_bytes()).and_then(|()| tty.flush()).is_err() {
            return Answer::Nobody(Absence::CannotAsk);
        }
        let Some(line) = read_line(&tty, until) else { return Answer::Nobody(Absence::NoAnswer) };
        text = match shown.reply(&line) {
            Reply::Answer(answer) => return answer,
            Reply::NoBecause => {
                let _ = tty.write_all(b"why not? ");
                return Answer::No(read_line(&tty, until).map(|why| why.trim().to_owned()));
            }
            Reply::Explain => shown.explained(screen.width),
            Reply::Unknown => shown.help(),
        };
    }
}

/// Reads a line from the terminal; `None` if it is gone or the time is over.
fn read_line(tty: &File, until: Instant) -> Option<String> {
    let left = until.checked_duration_since(Instant::now())?;
    let timeout = Timespec::try_from(left).ok()?;
    let mut waiting = [PollFd::new(tty, PollFlags::IN)];
    if poll(&mut waiting, Some(&timeout)).ok()? == 0 {
        return None;
    }
    let mut line = String::new();
    let read = BufReader::new(tty).read_line(&mut line).ok()?;
    (read > 0).then_some(line)
}
