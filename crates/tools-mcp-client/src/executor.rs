//! The tools of all servers as one executor.

use std::{fmt, sync::Arc, time::Duration};

use serde_json::json;
use tools_core::{Approval, CallContext, ExecuteResult, Inspection, ToolCall, ToolDefs, ToolError, ToolExecutor, keys};
use tools_sandbox::obeyed::ObeyedLook;

use crate::{Launcher, McpError, McpServers, Server, answer};

/// The tools of servers, started by `launcher`.
pub struct McpTools {
    servers: Arc<McpServers>,
    launcher: Launcher,
}

impl fmt::Debug for McpTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("McpTools").field(&self.servers).finish()
    }
}

impl McpTools {
    /// The tools of these servers.
    pub fn new(servers: Arc<McpServers>, launcher: Launcher) -> Self {
        Self { servers, launcher }
    }

    async fn call(&self, call: &ToolCall, cx: &CallContext) -> ExecuteResult {
        let Some((server, tool)) = self.servers.owner(&call.tool) else { return Ok(None) };
        cx.journal().note(keys::MCP, json!({"server": server.id(), "tool": tool}));
        let result = match self.answered(&server, &tool, call, cx).await {
            // The call was not run: repeat it once in a new session.
            Err(McpError::SessionLost { .. }) => self.answered(&server, &tool, call, cx).await?,
            result => result?,
        };
        answer::output(result, server.id(), server.config.max_output_tokens).map(Some)
    }

    async fn answered(
        &self,
        server: &Arc<Server>,
        tool: &str,
        call: &ToolCall,
        cx: &CallContext,
    ) -> Result<rmcp::model::CallToolResult, McpError> {
        let connection = self.servers.connect(server, &self.launcher, cx).await?;
        let until = cx.deadline().map(|at| at.saturating_duration_since(tokio::time::Instant::now()));
        let after = until.map_or(server.timeout, |left| left.min(server.timeout)).max(Duration::from_millis(1));
        let late = |_| McpError::Timeout { server: server.id().to_owned(), after };
        tokio::time::timeout(after, async {
            connection.refresh().await?;
            if connection.held(tool).is_some() {
                // It may have been reviewed in the meantime.
                connection.list().await?;
            }
            match connection.held(tool) {
                Some(held) => Err(held),
                None => Ok(()),
            }
        })
        .await
        .map_err(late)??;
        let made = connection.call(tool, call.params.clone(), after, cx.input_source());
        let result = ObeyedLook::around(connection.look.as_ref(), cx, Box::pin(made)).await;
        for asked in connection.protocol_violations().0 {
            cx.journal().warn(format!("the MCP server `{}` asked for {asked}, which it was not offered", server.id()));
        }
        result
    }
}

impl ToolExecutor for McpTools {
    fn tool_definitions(&self) -> ToolDefs {
        self.servers.definitions()
    }

    async fn inspect(&self, call: &ToolCall, _: &CallContext) -> Result<Inspection, ToolError> {
        let Some((server, _)) = self.servers.owner(&call.tool) else { return Ok(Inspection::default()) };
        let definitions = self.servers.definitions();
        let is_reading = definitions.iter().any(|tool| tool.name == call.tool && tool.trusted_traits().read_only);
        Ok(if is_reading && server.config.trust { Inspection::read_only() } else { Inspection::mutating() })
    }

    async fn execute_tool_call(&self, call: &ToolCall, cx: &CallContext) -> ExecuteResult {
        self.call(call, cx).await
    }

    async fn execute_tool_call_confirmed(
        &self,
        call: &ToolCall,
        approval: &Approval,
        cx: &CallContext,
    ) -> ExecuteResult {
        approval.check(call)?;
        self.call(call, cx).await
    }
}
