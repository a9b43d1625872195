//! Credentials from the section of a server over HTTP: headers, a token from a variable or a
//! command, a login.

use std::{future::Future, path::Path, pin::Pin, sync::Arc};

use tools_core::SystemClock;
use tools_sandbox::process::run_secret_command;

use crate::{ClientKeys, LoginError, LoginStore, PreparedRemote, Secret, Server, ServerLogin, TokenReader};

type Reading = Pin<Box<dyn Future<Output = Result<Secret, String>> + Send>>;

impl PreparedRemote {
    /// Reads the credentials of a server from the environment of this process; a token command is
    /// run at the first request. Logins are in the folder `logins`.
    ///
    /// # Errors
    /// A variable that is not set, or a value that cannot be sent.
    pub fn of(server: &Server, logins: &Path) -> Result<Self, String> {
        let config = &server.config;
        let variable = |name: &str| {
            let value = std::env::var(name).map_err(|_| format!("`{name}` is not set"))?;
            Secret::new(&value).ok_or_else(|| format!("`{name}` holds nothing that can be sent"))
        };
        let mut headers = Vec::new();
        for (name, value) in &config.headers {
            let value = Secret::new(value);
            headers.push((
                name.clone(),
                value.ok_or_else(|| format!("the header `{name}` holds nothing that can be sent"))?,
            ));
        }
        for (name, holder) in &config.header_env {
            headers.push((name.clone(), variable(holder)?));
        }
        let token = if config.token_env.is_empty() {
            (!config.token_command.is_empty()).then(|| token_of(config.token_command.clone()))
        } else {
            let token = variable(&config.token_env)?;
            Some(Arc::new(move || -> Reading { Box::pin(std::future::ready(Ok(token.clone()))) }) as TokenReader)
        };
        let login = config.takes_login().then(|| ServerLogin::of_user(server, logins)).transpose();
        Ok(Self::new(headers, token).with_login(login.map_err(|error| error.to_string())?))
    }
}

impl ServerLogin {
    /// This user's login at the authorization server of an MCP server, stored in the folder
    /// `logins`; keys of a registered client come from the environment of this process.
    ///
    /// # Errors
    /// If the section of the server is invalid, or a variable that it names is not set.
    pub fn of_user(server: &Server, logins: &Path) -> Result<Arc<Self>, LoginError> {
        let oauth = server.config.oauth.clone().unwrap_or_default();
        let variable = |name: &str| {
            let value = (!name.is_empty()).then(|| std::env::var(name)).transpose();
            value.map_err(|_| LoginError::Config(format!("`{name}` is not set")))
        };
        let keys =
            ClientKeys { secret: variable(&oauth.client_secret_env)?, private_key: variable(&oauth.private_key_env)? };
        Self::new(server, keys, &LoginStore::new(logins), Arc::new(SystemClock))
    }
}

/// Reads a token from the output of a command.
fn token_of(words: Vec<String>) -> TokenReader {
    Arc::new(move || -> Reading {
        let words = words.clone();
        Box::pin(async move {
            let text = run_secret_command(&words, "token_command").await?;
            Secret::new(&text).ok_or_else(|| "`token_command` printed no token".to_owned())
        })
    })
}
