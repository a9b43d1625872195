//! `test_summary`: keeps the failures and the summary of a test run; counts passed tests in place.
//! Runners with their own line formats have a file each. Runners whose lines are complete by
//! themselves need only a shape: unittest, go test, mocha, rspec, dotnet, maven, gradle and TAP.

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
