//! `test_summary`: of a test run the failures and the summary stay; what passed is counted where it
//! stood. What the lines of a runner look like stands in a file of its own, or in a shape where a
//! line says all itself: unittest, go test, mocha, rspec, dotnet, maven, gradle and TAP.

mod config;
mod javascript;
mod nextest;
mod pytest;
mod ruler;
mod run;
mod rust;
mod short_summary;
mod skipped;

pub(crate) use config::TestSummary;
