//! Adapter between rmcp and a connection. Greets the client even while the connection's server is
//! still being built.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, ConstString as _, CustomRequest,
    CustomResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, InitializeRequestParams, InitializeResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsRequestMethod, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerConfig, SubscribeRequestParams,
    SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::SetOnce;

use crate::{connection::Connection, revision::asks_by_itself, subscriptions};

/// The connection once it is built, or why it could not be.
pub(crate) type PendingConnection = Arc<SetOnce<Result<Connection, String>>>;

/// Serves one client: answers the handshake at once, and all else through the connection. Created
/// by [`crate::McpServer::connected`].
pub struct ConnectedService {
    info: ServerConfig,
    made: PendingConnection,
    /// Whether the client declared roots and the connection does not know it yet.
    has_roots: AtomicBool,
}

impl ConnectedService {
    pub(crate) fn new(info: ServerConfig, made: PendingConnection) -> Self {
        Self { info, made, has_roots: AtomicBool::new(false) }
    }

    async fn connection(&self) -> Result<&Connection, ErrorData> {
        let made = match self.made.get() {
            Some(made) => made,
            None => self.made.wait().await,
        };
        let missing = |why: &String| ErrorData::internal_error(format!("the server could not be set up: {why}"), None);
        let connection = made.as_ref().map_err(missing)?;
        if self.has_roots.swap(false, Ordering::AcqRel) {
            connection.expect_roots();
        }
        Ok(connection)
    }
}

impl fmt::Debug for ConnectedService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectedService").field("made", &self.made.initialized()).finish_non_exhaustive()
    }
}

impl ServerHandler for ConnectedService {
    fn get_info(&self) -> ServerConfig {
        self.info.clone()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.has_roots.store(request.capabilities.roots.is_some(), Ordering::Release);
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if let Ok(connection) = self.connection().await {
            connection.run_until_closed(&context.peer).await;
        }
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        if context.peer.peer_info().is_none_or(|client| client.capabilities.roots.is_none()) {
            return;
        }
        if let Ok(connection) = self.connection().await {
            Box::pin(connection.ask_roots_again(&context.peer)).await;
        }
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            let text = format!("`{}` has one page: no cursor was given out", ListToolsRequestMethod::VALUE);
            return Err(ErrorData::invalid_params(text, None));
        }
        Ok(ListToolsResult::with_all_items(self.connection().await?.list()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // Boxed: rmcp moves the future of every request, and each is as large as the largest.
        let answering = Box::pin(async {
            let connection = self.connection().await?;
            connection.call(request, &context).await
        });
        answering.await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.connection().await?.list_resources(request.and_then(|request| request.cursor)).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        self.connection().await?.list_templates(cursor.as_deref())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let reading = Box::pin(async { self.connection().await?.read_resource(request, &context).await });
        reading.await
    }

    async fn subscribe(&self, request: SubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.connection().await?.subscribe(&request.uri).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.connection().await?.unsubscribe(&request.uri);
        Ok(())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        self.connection().await?.list_prompts(cursor.as_deref()).await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let getting = Box::pin(async { self.connection().await?.prompt(request, &context).await });
        getting.await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.connection().await?.complete(request).await
    }

    #[expect(deprecated, reason = "clients of the handshake versions have a log")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.connection().await?.log().set(request.level);
        Ok(())
    }

    /// A request that rmcp could not parse: if its method is known, its parameters are invalid.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        /// Methods that only some revisions have: those before 2026-07-28, and those since then.
        const OF_REVISION: [(bool, &[&str]); 2] = [
            (true, &["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"]),
            (false, &["subscriptions/listen"]),
        ];
        const KNOWN: [&str; 14] = [
            "initialize",
            "ping",
            "tools/list",
            "tools/call",
            "resources/list",
            "resources/templates/list",
            "resources/read",
            "resources/subscribe",
            "resources/unsubscribe",
            "subscriptions/listen",
            "prompts/list",
            "prompts/get",
            "completion/complete",
            "logging/setLevel",
        ];
        let method = request.method;
        let is_old = asks_by_itself(&context);
        let is_foreign = OF_REVISION.iter().any(|(old, methods)| *old != is_old && methods.contains(&method.as_str()));
        if KNOWN.contains(&method.as_str()) && !is_foreign {
            let text = format!("the parameters of `{method}` do not have the shape the protocol asks for");
            return Err(ErrorData::invalid_params(text, None));
        }
        let shown: String = method.chars().take(80).collect();
        let text: Cow<'static, str> = format!("there is no method `{shown}`").into();
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None))
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        // While the connection is being built, nothing changes, so there is nothing to report.
        let connection = self.made.get().and_then(|made| made.as_ref().ok());
        let changes = |uri: &str| connection.is_none_or(|connection| connection.changes(uri));
        Some(subscriptions::accepted(requested, changes))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.connection().await?.tell_subscription(&context).await;
        Ok(())
    }
}
