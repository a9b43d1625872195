//! Memories over their store: what is found, by whom, how fast, and what outlives a killed process.

mod crash;
mod postgres;
mod ranking;
mod saving;
mod tools;
