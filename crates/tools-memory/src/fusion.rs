//! Merges rankings by reciprocal rank fusion.

use std::collections::HashMap;

/// Weight of first ranks compared to later ones; the usual value of the method.
const K: f64 = 60.0;

/// The score of each identifier in any of the rankings, each of which is sorted best first.
pub(crate) fn fused<'a>(rankings: &[Vec<&'a str>]) -> HashMap<&'a str, f64> {
    let mut scores = HashMap::new();
    for ranking in rankings {
        for (rank, id) in (1_u32..).zip(ranking) {
            *scores.entry(*id).or_insert(0.0) += 1.0 / (K + f64::from(rank));
        }
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_rankings_name_comes_before_what_only_one_does() {
        let scores = fused(&[vec!["a", "b", "c"], vec!["c", "b", "d"]]);
        let mut ids: Vec<&str> = scores.keys().copied().collect();
        ids.sort_by(|left, right| scores[right].total_cmp(&scores[left]).then(left.cmp(right)));
        assert_eq!(ids, ["c", "b", "a", "d"]);
    }
}
