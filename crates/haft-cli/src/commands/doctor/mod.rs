//! `haft doctor`: what works on this machine, which hosts are set up, and what is not stopped.

mod databases;
mod findings;
mod run;

pub(crate) use findings::Doctor;
pub(crate) use run::run;
