//! The turn loop of an agent: a model, its tools, and everything that stops it.
//!
//! An [`Agent`] sends requests to a [`tools_providers::Provider`], makes the requested calls
//! through a [`ToolHost`], returns their results to the model, and continues until the model is
//! done or a [`Stop`] ends the turn. Every call is judged by the host's gates, and every call of an
//! answer has exactly one result in the conversation, in the order of the calls.
//!
//! The conversation is a [`History`]: between any two steps it is valid for every provider, even if
//! a turn was dropped. All events form one ordered stream of [`AgentEvent`]s.

mod config;
mod stop;

mod host;
mod reformat;

mod account;
mod agent;

mod doom;
mod plan;

mod fenced;

mod history;

mod compress;
mod summarize;

mod sub_agent;

mod event;
mod event_json;
mod reputation;
mod stored;

#[cfg(feature = "sessions")]
pub mod sessions;

#[cfg(feature = "acp")]
pub mod acp;

pub use agent::{Agent, AgentBuilder, AgentStatus, AgentTotals, CompressError, Turn};
pub use compress::{CompressContext, CompressContextArgs, CompressContextReport, CompressDesk};
pub use config::AgentSettings;
pub use doom::{Admission, DoomWatch};
pub use event::{AgentEvent, AgentEvents};
pub use fenced::{Block as FencedBlock, blocks as fenced_blocks};
pub use history::{
    Budget, Compression, CompressionStrategy, History, InvalidHistory, MessageSelection, NoGain, Pressure, Summary,
    select,
};
pub use host::{DelegatedHost, StackHost, ToolHost};
pub use reformat::{ModelReformat, Reformat, ReformatRequest};
pub use reputation::{Reputation, ReputationLine};
pub use stop::{Stop, StopCode};
pub use stored::{RestoreError, StoredHistory};
pub use sub_agent::{Restrictions, SubAgent};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
