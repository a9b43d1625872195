//! Handles requests about resources: lists, contents, completions, and links in results.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rmcp::model::{
    CallToolResult, ClientCapabilities, CompleteRequestParams, CompleteResult, CompletionInfo, ContentBlock, ErrorCode,
    ListResourceTemplatesResult, ListResourcesResult, MetaObject, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Reference, Resource as McpResource, ResourceContents, ResourceTemplate as McpTemplate,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};
use tools_core::{Journal, ToolError, ToolErrorCategory, keys};

use crate::{
    Body, Resource, ResourceError, ResourceTarget, ResourceTemplate, Resources, connection::Connection,
    resources::Contents, runner::CallOutcome,
};

/// Key to request a link to stored output in results: in the `_meta` of a call, or as an
/// experimental capability of the client for all its calls.
pub(crate) const LINKS: &str = "haft/resource_link";

impl Connection {
    pub(crate) async fn list_resources(&self, cursor: Option<String>) -> Result<ListResourcesResult, ErrorData> {
        let Some(resources) = self.resources() else {
            return match cursor {
                Some(_) => Err(invalid("there is one page: no cursor was given out")),
                None => Ok(ListResourcesResult::with_all_items(vec![])),
            };
        };
        let page = resources.list(self.session(), cursor.as_deref()).await.map_err(|error| refused(&error))?;
        let mut listed = ListResourcesResult::with_all_items(page.resources.into_iter().map(listed).collect());
        listed.next_cursor = page.next;
        Ok(listed)
    }

    pub(crate) fn list_templates(&self, cursor: Option<&str>) -> Result<ListResourceTemplatesResult, ErrorData> {
        if cursor.is_some() {
            return Err(invalid("there is one page: no cursor was given out"));
        }
        let templates = self.resources().map(Resources::templates).unwrap_or_default();
        Ok(ListResourceTemplatesResult::with_all_items(templates.iter().map(template).collect()))
    }

    pub(crate) async fn read_resource(
        &self,
        parameters: ReadResourceRequestParams,
        request: &RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = parameters.uri.as_str();
        let resources = self.resources().ok_or_else(|| refused_at(&ResourceError::NotFound, uri))?;
        match resources.find(self.session(), uri).await.map_err(|error| refused_at(&error, uri))? {
            ResourceTarget::Contents(Contents { mime, body, next }) => {
                let contents = match body {
                    Body::Text(text) => ResourceContents::text(text, uri),
                    Body::Bytes(bytes) => ResourceContents::blob(STANDARD.encode(bytes), uri),
                };
                Ok(page(contents.with_mime_type(mime), next).into())
            }
            ResourceTarget::Call { call, next, mime } => {
                let (answers, state) = (parameters.input_responses, parameters.request_state);
                let recorded = match self.run_call(self.under_caller(call), request, answers, state).await {
                    CallOutcome::Recorded(recorded) => *recorded,
                    CallOutcome::Ask(question) => return Ok(question.into()),
                    CallOutcome::Refused(error) => return Err(error),
                };
                let output = recorded.outcome.map_err(|error| failed(&error))?;
                let next = output.window.and_then(|window| window.next).map(|byte| format!("{next}{byte}"));
                Ok(page(ResourceContents::text(output.to_text(), uri).with_mime_type(mime), next).into())
            }
        }
    }

    pub(crate) async fn complete(&self, request: CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
        let unknown = || invalid("there is nothing of this name to complete");
        let template = match request.r#ref {
            Reference::Resource(template) => template,
            // Their arguments are free text of the user.
            Reference::Prompt(_) if self.prompts().is_some() => {
                return Ok(CompleteResult::new(CompletionInfo::default()));
            }
            _ => return Err(unknown()),
        };
        let resources = self.resources().ok_or_else(unknown)?;
        let begun = &request.argument.value;
        let found = resources.complete(self.session(), &template.uri, &request.argument.name, begun).await;
        let mut values = found.map_err(|error| refused(&error))?.ok_or_else(unknown)?;
        let has_more = values.len() > CompletionInfo::MAX_VALUES;
        values.truncate(CompletionInfo::MAX_VALUES);
        let completion = CompletionInfo::with_pagination(values, None, has_more);
        Ok(CompleteResult::new(completion.map_err(|error| ErrorData::internal_error(error, None))?))
    }

    /// Adds a link to a call's stored output if the client requests it.
    pub(crate) async fn link(
        &self,
        result: &mut CallToolResult,
        stored: &Journal,
        request: &RequestContext<RoleServer>,
    ) {
        let Some(resources) = self.resources().filter(|_| asks_for_links(request)) else { return };
        let Some(Value::String(reference)) = stored.value(keys::OVERFLOW) else { return };
        if let Some(resource) = resources.stored(self.session(), &reference).await {
            result.content.push(ContentBlock::resource_link(listed(resource)));
        }
    }
}

/// Whether a request, or the client in general, requests links.
fn asks_for_links(request: &RequestContext<RoleServer>) -> bool {
    let declares = |capabilities: ClientCapabilities| {
        capabilities.experimental.is_some_and(|experimental| experimental.contains_key(LINKS))
    };
    match request.meta.get(LINKS).and_then(Value::as_bool) {
        Some(asks) => asks,
        None => request.client_capabilities().is_some_and(declares),
    }
}

fn listed(resource: Resource) -> McpResource {
    let Resource { uri, name, title, mime, bytes } = resource;
    let resource = McpResource::new(uri, name).with_title(title).with_mime_type(mime);
    match bytes {
        Some(bytes) => resource.with_size(bytes),
        None => resource,
    }
}

fn template(template: &ResourceTemplate) -> McpTemplate {
    let ResourceTemplate { uri, name, description, mime } = template;
    McpTemplate::new(*uri, *name).with_description(*description).with_mime_type(*mime)
}

fn page(contents: ResourceContents, next: Option<String>) -> ReadResourceResult {
    let contents = match next {
        Some(next) => {
            let mut meta = MetaObject::new();
            meta.insert("haft/next".to_owned(), next.into());
            contents.with_meta(meta)
        }
        None => contents,
    };
    ReadResourceResult::new(vec![contents])
}

pub(crate) fn invalid(text: &'static str) -> ErrorData {
    ErrorData::invalid_params(text, None)
}

fn refused(error: &ResourceError) -> ErrorData {
    let text = error.to_string();
    match error {
        ResourceError::NotFound => ErrorData::resource_not_found(text, None),
        ResourceError::Invalid(_) => ErrorData::invalid_params(text, None),
        ResourceError::Failed(_) => ErrorData::internal_error(text, None),
    }
}

/// The error about this resource; a missing resource is named in the error's data.
pub(crate) fn refused_at(error: &ResourceError, uri: &str) -> ErrorData {
    let mut refusal = refused(error);
    if matches!(error, ResourceError::NotFound) {
        refusal.data = Some(json!({ "uri": uri }));
    }
    refusal
}

/// Error for a call that failed instead of returning the contents.
pub(crate) fn failed(error: &ToolError) -> ErrorData {
    let code = match error.category() {
        ToolErrorCategory::InvalidParameters | ToolErrorCategory::TypeMismatch => ErrorCode::INVALID_PARAMS,
        ToolErrorCategory::PolicyBlocked
        | ToolErrorCategory::ConfirmationRequired
        | ToolErrorCategory::ToolNotFound => ErrorCode::INVALID_REQUEST,
        _ => ErrorCode::INTERNAL_ERROR,
    };
    let data = json!({"haft/category": error.category().label(), "haft/code": error.code()});
    ErrorData::new(code, error.to_string(), Some(data))
}
