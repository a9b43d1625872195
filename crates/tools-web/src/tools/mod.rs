//! The two tools, and the page access that they share.

mod executors;
mod fetch;
mod frame;
mod page_cache;
mod site;
mod web_scrape;
mod window;

pub use site::Web;
