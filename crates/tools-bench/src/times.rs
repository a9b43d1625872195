//! Measured durations, and their comparison.

use std::time::{Duration, Instant};

/// The durations of one measured operation.
#[derive(Debug, Default, Clone)]
pub struct Times(Vec<Duration>);

impl Times {
    /// Adds a duration.
    pub fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// The duration that `share` of all durations do not exceed; zero without durations.
    pub fn quantile(&self, share: f64) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a share of a small count"
        )]
        let index = ((sorted.len().saturating_sub(1)) as f64 * share).round() as usize;
        sorted.get(index).copied().unwrap_or_default()
    }

    /// The median.
    pub fn median(&self) -> Duration {
        self.quantile(0.5)
    }

    /// [`Times::quantile`] in milliseconds.
    pub fn ms(&self, share: f64) -> f64 {
        self.quantile(share).as_secs_f64() * 1e3
    }
}

/// The duration of `work`.
pub fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begun = Instant::now();
    let result = work();
    (begun.elapsed(), result)
}

/// Prints a comparison of `a` with the reference `b`, by their medians.
pub fn compare(what: &str, a: &Times, reference: &str, b: &Times) {
    let ratio = ratio(a.median(), b.median());
    println!("{what}: p50 {:.4} ms, {reference} {:.4} ms, {ratio:.2} x", a.ms(0.5), b.ms(0.5));
}

/// `a` as a multiple of `b`.
pub fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64().max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_few_and_none() {
        let mut times = Times::default();
        assert_eq!(times.median(), Duration::ZERO);
        for milliseconds in [3, 1, 2] {
            times.push(Duration::from_millis(milliseconds));
        }
        assert_eq!(times.median(), Duration::from_millis(2));
        assert_eq!(times.quantile(1.0), Duration::from_millis(3));
    }
}
