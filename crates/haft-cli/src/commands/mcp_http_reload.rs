//! Reloads the guests and the certificate of a running server at `SIGHUP`.

use std::path::PathBuf;

use haft::{Toolbox, core::ServerName};
use haft_serve::HttpGuests;
use haft_serve::mcp_http::{HttpGuest, Tls};

use crate::args::{CommonArgs, Offer};
use crate::commands::open::open_to_serve;

/// Files to reload and the current state.
pub(crate) struct Reload {
    pub(crate) common: CommonArgs,
    pub(crate) offer: Offer,
    /// File of guests; `None` for a server with one token made for this run.
    pub(crate) file: Option<PathBuf>,
    pub(crate) tls: Option<Tls>,
    /// Name of this server among several.
    pub(crate) name: Option<ServerName>,
    /// Guests that are currently served.
    pub(crate) guests: Vec<HttpGuest>,
}

impl Reload {
    /// Whether there are files to reload.
    pub(crate) fn has_files(&self) -> bool {
        self.file.is_some() || self.tls.is_some()
    }

    /// Reloads everything and returns a line about each file. A file that cannot be used changes
    /// nothing.
    pub(crate) async fn run(&mut self, serving: &HttpGuests) -> Vec<String> {
        let mut said = Vec::new();
        if let Some(tls) = &self.tls {
            said.push(match tls.reload() {
                Ok(()) => "the certificate was read again".to_owned(),
                Err(error) => format!("the certificate stays as it was: {error}"),
            });
        }
        if let Some(file) = self.file.clone() {
            said.push(match self.guests_of(file, serving).await {
                Ok(names) => format!("guests: {}", names.join(", ")),
                Err(error) => format!("the guests stay as they were: {error}"),
            });
        }
        said
    }

    /// Reloads the guests; returns their names.
    async fn guests_of(&mut self, file: PathBuf, serving: &HttpGuests) -> Result<Vec<String>, String> {
        let guests = HttpGuest::read(&file).map_err(|error| error.to_string())?;
        let (kept, new): (Vec<_>, Vec<_>) = guests.iter().cloned().partition(|guest| self.guests.contains(guest));
        let (common, offer, name) = (self.common.clone(), self.offer.clone(), self.name.clone());
        let opening = tokio::task::spawn_blocking(move || open(new, &common, &offer, name.as_ref()));
        let new = opening.await.map_err(|error| error.to_string())??;
        let kept: Vec<&str> = kept.iter().map(|guest| guest.name.as_str()).collect();
        serving.replace(&kept, &new).await.map_err(|error| error.to_string())?;
        self.guests = guests;
        Ok(self.guests.iter().map(|guest| guest.name.clone()).collect())
    }
}

/// Builds a toolbox for each guest.
pub(crate) fn open(
    guests: Vec<HttpGuest>,
    common: &CommonArgs,
    offer: &Offer,
    name: Option<&ServerName>,
) -> Result<Vec<(HttpGuest, Toolbox)>, String> {
    let open = |guest: HttpGuest| {
        let mut common = common.clone();
        common.workdir = guest.workdir.clone().or(common.workdir);
        common.config = guest.config.clone().or(common.config);
        let toolbox = open_to_serve(&common, offer, guest.caller(), name);
        let toolbox = toolbox.map_err(|error| format!("guest `{}`: {error}", guest.name))?;
        Ok((guest, toolbox))
    };
    guests.into_iter().map(open).collect()
}
