//! Criterion benches with named baselines. Results are compared as ratios, because machines and
//! their loads differ.

use crate::{command, failure::Failure};

/// Runs the benches; the options say how to use a baseline.
pub(crate) fn run(options: &[&str]) -> Result<(), Failure> {
    let mut bench = command::cargo(&["bench", "--package", "tools-bench", "--benches", "--"]);
    command::run(bench.args(criterion_options(options)?))
}

fn criterion_options(options: &[&str]) -> Result<Vec<String>, Failure> {
    match options {
        [] => Ok(Vec::new()),
        ["--save", name] if is_name(name) => Ok(vec!["--save-baseline".to_owned(), (*name).to_owned()]),
        ["--compare", name] if is_name(name) => Ok(vec!["--baseline".to_owned(), (*name).to_owned()]),
        _ => Err(Failure::Usage("usage: cargo xtask bench [--save NAME | --compare NAME]".to_owned())),
    }
}

/// Whether the name is valid: it becomes a folder below `target/criterion`.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_criterions() {
        assert_eq!(criterion_options(&["--save", "main"]).unwrap(), ["--save-baseline", "main"]);
        assert_eq!(criterion_options(&["--compare", "main"]).unwrap(), ["--baseline", "main"]);
        assert!(criterion_options(&[]).unwrap().is_empty());
    }

    #[test]
    fn a_name_stays_below_the_target_folder() {
        for options in [&["--save", "../x"][..], &["--save", ""], &["--save"], &["--compare", "a", "b"], &["x"]] {
            assert!(criterion_options(options).is_err(), "{options:?}");
        }
    }
}
