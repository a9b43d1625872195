//! Questions during a running call: the call waits for the answer, and the runner of the call asks
//! the person.

use std::pin::pin;

use tokio::sync::{mpsc, oneshot};

use super::{Absence, Answer, ConfirmPrompt, Confirmer};

/// Maximum number of waiting questions.
const MAX_WAITING: usize = 64;

/// Sends questions of a running call, and of work it started, while somebody serves the [`Desk`].
/// Travels in the call context; cheap to clone.
#[derive(Debug, Clone)]
pub struct Questions(mpsc::Sender<OpenQuestion>);

/// Receiver of a call's questions.
#[derive(Debug)]
pub struct Desk(mpsc::Receiver<OpenQuestion>);

#[derive(Debug)]
struct OpenQuestion {
    prompt: ConfirmPrompt,
    answer: oneshot::Sender<Answer>,
}

impl Questions {
    /// Asks, and waits for the answer; [`Absence::CannotAsk`] at once if nobody serves the desk any
    /// more.
    ///
    /// The answer applies only to this question: the asker stores what it implies.
    pub async fn ask(&self, prompt: ConfirmPrompt) -> Answer {
        let (answer, answered) = oneshot::channel();
        if self.0.send(OpenQuestion { prompt, answer }).await.is_err() {
            return Answer::Nobody(Absence::CannotAsk);
        }
        answered.await.unwrap_or(Answer::Nobody(Absence::CannotAsk))
    }
}

impl Desk {
    /// Creates a desk and the sender of its questions.
    pub fn open() -> (Questions, Self) {
        let (to, from) = mpsc::channel(MAX_WAITING);
        (Questions(to), Self(from))
    }

    /// Asks `confirmer` the incoming questions one after the other until `work` is done. Questions
    /// still open then are withdrawn.
    pub async fn while_running<T>(mut self, confirmer: &dyn Confirmer, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            let standing = tokio::select! {
                biased;
                done = &mut work => return done,
                Some(standing) = self.0.recv() => standing,
            };
            tokio::select! {
                biased;
                done = &mut work => return done,
                answer = confirmer.confirm(&standing.prompt) => drop(standing.answer.send(answer)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;

    use super::*;
    use crate::{NobodyToAsk, ToolName};

    struct Yes;

    #[async_trait]
    impl Confirmer for Yes {
        async fn confirm(&self, prompt: &ConfirmPrompt) -> Answer {
            if prompt.reason == "never" { std::future::pending().await } else { Answer::Once }
        }
    }

    fn prompt(reason: &str) -> ConfirmPrompt {
        ConfirmPrompt::new(ToolName::parse("network").unwrap(), reason, vec![])
    }

    #[tokio::test]
    async fn questions_are_answered_while_the_call_runs_and_not_afterwards() {
        let (questions, desk) = Desk::open();
        let asking = questions.clone();
        let work = async move {
            let (first, second) = tokio::join!(asking.ask(prompt("a")), asking.ask(prompt("b")));
            (first, second)
        };
        assert_eq!(desk.while_running(&Yes, work).await, (Answer::Once, Answer::Once));
        assert_eq!(questions.ask(prompt("late")).await, Answer::Nobody(Absence::CannotAsk));
    }

    #[tokio::test]
    async fn a_question_that_stands_does_not_hold_the_call_up() {
        let (questions, desk) = Desk::open();
        let standing = tokio::spawn({
            let questions = questions.clone();
            async move { questions.ask(prompt("never")).await }
        });
        let work = async {
            for _ in 0..10 {
                tokio::task::yield_now().await;
            }
            7
        };
        assert_eq!(desk.while_running(&Yes, work).await, 7);
        assert_eq!(standing.await.unwrap(), Answer::Nobody(Absence::CannotAsk));
    }

    #[tokio::test]
    async fn nobody_answers_at_once() {
        let (questions, desk) = Desk::open();
        let answer = desk.while_running(&NobodyToAsk, async move { questions.ask(prompt("a")).await }).await;
        assert_eq!(answer, Answer::Nobody(Absence::CannotAsk));
    }
}
