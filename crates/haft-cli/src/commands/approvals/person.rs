//! Shows questions to a person, one after the other.

use std::{collections::VecDeque, fs::File, io::Write};

use haft::questions::{Choice, EndReason, Event, QuestionWatch};
use rustix::termios::{QueueSelector, tcflush};

use super::{QuestionView, choice, lines, told};
use crate::args::CommonArgs;
use crate::asking::{Reply, Screen};
use crate::commands::call::interrupt;
use crate::exit::Exit;

/// The person at a terminal.
struct Person<'a> {
    watch: QuestionWatch,
    terminal: File,
    notify: Option<&'a str>,
    waiting: VecDeque<QuestionView>,
    current: Option<CurrentQuestion>,
}

/// Question that is currently shown.
struct CurrentQuestion {
    asked: QuestionView,
    /// Whether the next line is the reason for a no.
    why: bool,
    answered: bool,
}

/// Shows questions and reads answers until interrupted or the terminal is gone.
pub(super) async fn watch(
    common: &CommonArgs,
    watch: QuestionWatch,
    notify: Option<&str>,
    terminal: File,
) -> Result<Exit, String> {
    let reading = terminal.try_clone().map_err(|error| format!("the terminal cannot be read: {error}"))?;
    let mut lines = lines::of_terminal(reading);
    let mut person = Person { watch, terminal, notify, waiting: VecDeque::new(), current: None };
    if !common.quiet {
        person.say("watching for questions of clients that cannot ask; Ctrl-C to stop\n");
    }
    let mut interrupted = std::pin::pin!(interrupt());
    loop {
        tokio::select! {
            event = person.watch.next() => match event {
                Some(event) => person.happened(event),
                None => return Ok(Exit::Ok),
            },
            line = lines.recv() => match line {
                Some(line) => person.typed(&line),
                None => return Ok(Exit::Ok),
            },
            signal = &mut interrupted => return Ok(Exit::interrupted(signal)),
        }
    }
}

impl Person<'_> {
    fn happened(&mut self, event: Event) {
        match event {
            Event::Asked(standing) => {
                let Some(asked) = QuestionView::new(*standing) else { return };
                if let Some(line) = self.notify {
                    asked.notify(line);
                }
                self.waiting.push_back(asked);
                if self.current.is_none() {
                    self.show_next();
                }
            }
            Event::Ended { id, how } => {
                self.waiting.retain(|asked| asked.standing.id != id);
                if self.current.as_ref().is_some_and(|current| current.asked.standing.id == id) {
                    let answered = self.current.take().is_some_and(|current| current.answered);
                    self.ended(how, answered);
                }
            }
        }
    }

    fn ended(&mut self, how: EndReason, answered: bool) {
        let front = if answered { "" } else { "\n" };
        self.say(&format!("{front}{}\n", told(how, answered)));
        self.show_next();
    }

    fn show_next(&mut self) {
        let Some(asked) = self.waiting.pop_front() else { return };
        // Input typed before the question was visible does not answer it.
        let _ = tcflush(&self.terminal, QueueSelector::IFlush);
        let more = match self.waiting.len() {
            0 => String::new(),
            more => format!("; {more} more wait"),
        };
        let from = format!("{}{more}", asked.from());
        let text = asked.shown.text(&[from], Screen::of(&self.terminal), asked.seconds());
        self.say(&text);
        self.current = Some(CurrentQuestion { asked, why: false, answered: false });
    }

    fn typed(&mut self, line: &str) {
        let Some(current) = self.current.as_mut().filter(|current| !current.answered) else { return };
        if current.why {
            let why = line.trim().to_owned();
            return self.answer(Choice::No { why: Some(why).filter(|why| !why.is_empty()) });
        }
        let text = match current.asked.shown.reply(line) {
            Reply::Answer(answer) => return self.answer(choice(answer)),
            Reply::NoBecause => {
                current.why = true;
                "why not? ".to_owned()
            }
            Reply::Explain => current.asked.shown.explained(Screen::of(&self.terminal).width),
            Reply::Unknown => current.asked.shown.help(),
        };
        self.say(&text);
    }

    fn answer(&mut self, choice: Choice) {
        if let Some(current) = &mut self.current {
            current.answered = true;
            self.watch.answer(current.asked.standing.id, choice);
        }
    }

    /// Write errors are ignored: a closed terminal is detected when reading.
    fn say(&mut self, text: &str) {
        let _ = self.terminal.write_all(text.as_bytes()).and_then(|()| self.terminal.flush());
    }
}
