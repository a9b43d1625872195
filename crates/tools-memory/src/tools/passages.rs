//! Ranks passages of conversations for a query, for stores without an index.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;

use super::ConversationHit;

/// Maximum number of characters of a passage.
const PASSAGE_CHARS: usize = 1_000;

/// A passage of a conversation.
#[derive(Debug, Clone)]
pub struct Passage {
    /// Its ID.
    pub id: String,
    /// The text.
    pub text: String,
    /// Time when it was said or saved.
    pub at: Timestamp,
    /// Whether it may contain text from outside: a model may repeat what it has read.
    pub untrusted: bool,
}

impl Passage {
    /// The passages with words of the query, the best first. Rare words count more, and a word
    /// counts once per passage.
    pub fn ranked(query: &str, passages: Vec<Self>, limit: usize) -> Vec<ConversationHit> {
        let asked: BTreeSet<String> = words(query).collect();
        let counted: Vec<HashMap<String, f64>> = passages
            .iter()
            .map(|passage| {
                let mut counts = HashMap::new();
                for word in words(&passage.text).filter(|word| asked.contains(word)) {
                    *counts.entry(word).or_insert(0.0) += 1.0;
                }
                counts
            })
            .collect();
        let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
        let all = count(passages.len());
        let rarity = |word: &String| {
            let holding = count(counted.iter().filter(|counts| counts.contains_key(word)).count());
            ((all - holding + 0.5) / (holding + 0.5)).ln().max(1e-6)
        };
        let weights: HashMap<&String, f64> = asked.iter().map(|word| (word, rarity(word))).collect();
        let mut hits: Vec<ConversationHit> = passages
            .into_iter()
            .zip(&counted)
            .filter(|(_, counts)| !counts.is_empty())
            .map(|(passage, counts)| ConversationHit {
                id: passage.id,
                content: passage.text.chars().take(PASSAGE_CHARS).collect(),
                created_at: passage.at,
                score: counts.iter().map(|(word, count)| weights[word] * count / (count + 1.0)).sum(),
                untrusted: passage.untrusted,
            })
            .collect();
        hits.sort_by(|one, other| {
            let by_age = || other.created_at.cmp(&one.created_at);
            other.score.total_cmp(&one.score).then_with(by_age).then_with(|| one.id.cmp(&other.id))
        });
        hits.truncate(limit);
        hits
    }
}

/// The words of a text, in lower case.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_decide_and_what_has_none_is_left_out() {
        let passage = |id: &str, text: &str| Passage {
            id: id.to_owned(),
            text: text.to_owned(),
            at: Timestamp::UNIX_EPOCH,
            untrusted: false,
        };
        let all = || {
            let said =
                [("a", "the port, the port"), ("b", "the harbour is closed"), ("c", "nothing"), ("d", "the end")];
            said.map(|(id, text)| passage(id, text)).into()
        };
        let ids = |query: &str, limit: usize| {
            Passage::ranked(query, all(), limit).into_iter().map(|hit| hit.id).collect::<String>()
        };
        assert_eq!(ids("is the HARBOUR open?", 9), "bad");
        assert_eq!(ids("port", 9), "a");
        assert_eq!(ids("the", 2).len(), 2);
        assert_eq!(ids("?!", 9), "");
    }
}
