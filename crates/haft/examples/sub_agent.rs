//! A reviewer as a tool of an agent: a sub-agent that has the same model and can only read.
//!
//! `cargo run -p haft --example sub_agent -- "What does this project do?"` uses the model of your
//! configuration; with a second argument, the script in that file answers in its place. The
//! configuration has to allow the tool, since this example asks nobody:
//!
//! ```toml
//! [[tools.permissions.review]]
//! pattern = "*"
//! action = "allow"
//! ```

use std::{path::Path, sync::Arc};

use haft::agents::{Agent, Restrictions, SubAgent};
use haft::config::{LoadedConfig, places};
use haft::core::{DynExecutor, ToolName};
use haft::providers::Provider;
use haft::providers::scripted::ScriptedProvider;
use haft::{Toolbox, agent_settings};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let task = arguments.next().ok_or("usage: sub_agent TASK [SCRIPT]")?;
    let workdir = std::env::current_dir()?;
    let environment = |name: &str| std::env::var(name).ok();
    let config = match places::present_config_file() {
        Some(file) => LoadedConfig::read(&file, &environment)?,
        None => LoadedConfig::parse("", &environment)?,
    };
    let model: Arc<dyn Provider> = match arguments.next() {
        Some(script) => Arc::new(ScriptedProvider::of_file(Path::new(&script))?),
        None => Toolbox::builder(config.clone(), &workdir).build()?.provider("").ok_or("there is no model")?,
    };
    let reviewer = SubAgent::new(
        ToolName::parse("review")?,
        "Reads code and says what is wrong with it.",
        Arc::clone(&model),
        Restrictions { read_only: true, ..Restrictions::default() },
    );
    // One clone is the tool, the other one tells the agent whose calls it makes.
    let toolbox = Toolbox::builder(config, workdir).executor(DynExecutor::new(reviewer.clone())).build()?;
    let settings = agent_settings(toolbox.config());
    let mut agent = Agent::builder(model, Arc::new(toolbox)).settings(settings).sub_agent(reviewer).build();
    let turn = agent.run(&task).await;
    println!("{}", turn.text);
    if !turn.stop.is_done() {
        eprintln!("{}", turn.stop.notice());
    }
    Ok(())
}
