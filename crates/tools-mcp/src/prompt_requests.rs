//! Requests about prompts: the list, and the text of one, which is the result of a call.

use rmcp::model::{
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, ListPromptsResult, Prompt as McpPrompt, PromptArgument,
    PromptMessage, Role,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};

use crate::{Prompt, answer, connection::Connection, resource_requests::failed, runner::CallOutcome};

impl Connection {
    pub(crate) async fn list_prompts(&self, cursor: Option<&str>) -> Result<ListPromptsResult, ErrorData> {
        if cursor.is_some() {
            return Err(ErrorData::invalid_params("there is one page: no cursor was given out", None));
        }
        let prompts = match self.prompts() {
            Some(prompts) => prompts.list(self.session()).await,
            None => vec![],
        };
        Ok(ListPromptsResult::with_all_items(prompts.into_iter().map(listed).collect()))
    }

    pub(crate) async fn prompt(
        &self,
        request: GetPromptRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let none = || ErrorData::invalid_params("this server offers no prompts", None);
        let prompts = self.prompts().ok_or_else(none)?;
        let arguments = request.arguments.unwrap_or_default();
        let found = prompts.find(self.session(), &request.name, &arguments).await;
        let call = found.map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        let (answers, state) = (request.input_responses, request.request_state);
        let recorded = match self.run_call(self.under_caller(call), context, answers, state).await {
            CallOutcome::Recorded(recorded) => *recorded,
            CallOutcome::Ask(question) => return Ok(question.into()),
            CallOutcome::Refused(error) => return Err(error),
        };
        let output = recorded.outcome.map_err(|error| failed(&error))?;
        let blocks = answer::content(output.to_text().into_owned(), &output.media);
        let messages = blocks.into_iter().map(|block| PromptMessage::new(Role::User, block)).collect();
        Ok(GetPromptResult::new(messages).into())
    }
}

fn listed(prompt: Prompt) -> McpPrompt {
    let Prompt { name, description, arguments } = prompt;
    let argument = |(name, about)| PromptArgument::new(name).with_description(about).with_required(false);
    McpPrompt::new(name, Some(description), Some(arguments.into_iter().map(argument).collect()))
}
