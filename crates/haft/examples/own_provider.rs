//! A model of your own behind the loop. This one needs no server: it asks for one command and
//! answers with what it printed. `cargo run -p haft --example own_provider`.

use std::sync::Arc;

use async_trait::async_trait;
use haft::Toolbox;
use haft::agents::Agent;
use haft::config::LoadedConfig;
use haft::providers::{
    Block, Message, ModelInfo, Provider, ProviderError, Reply, Request, Role, Sink, StopReason, ToolUse, Usage,
};

struct Parrot(ModelInfo);

#[async_trait]
impl Provider for Parrot {
    fn name(&self) -> &'static str {
        "parrot"
    }

    fn model(&self) -> &ModelInfo {
        &self.0
    }

    async fn complete(&self, request: &Request<'_>, _: &dyn Sink) -> Result<Reply, ProviderError> {
        let newest = request.messages.last();
        let result = newest.into_iter().flat_map(|message| &message.blocks).find_map(|block| match block {
            Block::ToolResult(result) => Some(result.text.clone()),
            _ => None,
        });
        let (block, stop) = if let Some(text) = result {
            (Block::Text(format!("It printed: {text}")), StopReason::EndTurn)
        } else {
            let input = serde_json::Map::from_iter([("command".to_owned(), "echo polly".into())]);
            let call = ToolUse { id: "call-1".to_owned(), name: "bash".to_owned(), input: Ok(input) };
            (Block::ToolUse(call), StopReason::ToolUse)
        };
        let message = Message { role: Role::Assistant, blocks: vec![block] };
        Ok(Reply { message, usage: Usage::default(), stop })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let toolbox = Toolbox::builder(LoadedConfig::parse("", &|_| None)?, std::env::current_dir()?).build()?;
    let model = ModelInfo {
        id: "parrot-1".to_owned(),
        context_tokens: 100_000,
        max_output_tokens: 1_000,
        supports_tool_use: true,
        cache_minimum: None,
        prices: None,
    };
    let mut agent = Agent::builder(Arc::new(Parrot(model)), Arc::new(toolbox)).build();
    let turn = agent.run("What does polly say?").await;
    println!("{}", if turn.stop.is_done() { turn.text } else { turn.stop.notice() });
    Ok(())
}
