//! One call through every gate, in the current folder: `cargo run -p haft --example library`.

use haft::{Toolbox, config::LoadedConfig, core::NobodyToAsk, core::ToolCall};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let toolbox = Toolbox::builder(LoadedConfig::parse("", &|_| None)?, std::env::current_dir()?).build()?;
    let call = ToolCall::new("bash", serde_json::json!({"command": "echo hello from $PWD"}))?;
    match toolbox.call(call, &toolbox.context(), &NobodyToAsk).await.outcome {
        Ok(output) => println!("{}", output.summary),
        Err(error) => eprintln!("{error}"),
    }
    Ok(())
}
