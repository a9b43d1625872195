//! Here-documents: their text begins after the line that contains the `<<`, and may contain
//! substitutions.

use super::cursor::{Parser, PendingHeredoc, Problem};
use super::tree::Word;

impl Parser<'_> {
    /// Reads the delimiter after `<<` or `<<-`.
    pub(super) fn announce_here_document(&mut self, strips_tabs: bool) -> Result<Word, Problem> {
        self.blanks();
        let word = self.word()?;
        let Some(delimiter) = word.literal().filter(|delimiter| !delimiter.contains('\n')) else {
            return Problem::new("a here-document with a delimiter that is not plain text");
        };
        let is_plain = word.is_quoted();
        let via = self.via.clone();
        self.pending.push(PendingHeredoc { delimiter, is_plain, strips_tabs, command: None, via });
        Ok(word)
    }

    /// Assigns the here-documents announced since `from` to the command that was just added.
    pub(super) fn feed_here_documents(&mut self, from: usize, command: usize) {
        for pending in self.pending.iter_mut().skip(from) {
            pending.command.get_or_insert(command);
        }
    }

    /// Reads the text of a here-document from the current position.
    pub(super) fn here_document(&mut self, pending: PendingHeredoc) -> Result<(), Problem> {
        let mut body = String::new();
        loop {
            if self.peek().is_none() {
                return Problem::new(format!("a here-document without its end `{}`", pending.delimiter));
            }
            let start = self.at;
            while self.peek().is_some_and(|character| character != '\n') {
                self.at += 1;
            }
            let line = self.slice(start, self.at);
            self.at += usize::from(self.peek().is_some());
            let line = if pending.strips_tabs { line.trim_start_matches('\t') } else { &line };
            // A line that continues the one before does not end the text.
            let before = body.strip_suffix('\n').unwrap_or_default();
            let is_joined = !pending.is_plain && before.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1;
            if line == pending.delimiter && !is_joined {
                // The line end after the delimiter belongs to the list, which may need it as a
                // separator.
                self.at -= usize::from(self.text.get(self.at.wrapping_sub(1)) == Some(&'\n'));
                break;
            }
            body.push_str(line);
            body.push('\n');
        }
        let mut text = Some(body.clone());
        if !pending.is_plain {
            let mut word = Word::default();
            let outer = std::mem::replace(&mut self.via, pending.via);
            self.inner(&body, None, |parser| {
                while parser.peek().is_some() {
                    parser.quoted_character(&mut word, false)?;
                }
                Ok(())
            })?;
            self.via = outer;
            text = word.literal();
        }
        if let Some(command) = pending.command.and_then(|index| self.found.commands.get_mut(index)) {
            command.feed_text(text);
        }
        Ok(())
    }
}
