//! Conversion of foreign errors to our categories: HTTP statuses and I/O errors.

use std::io;

use crate::ToolErrorCategory;

/// The category of an HTTP response that is not a success.
///
/// A missing page is a permanent failure of this call, not a missing tool. A success status passed
/// here by mistake is a permanent failure, too.
pub fn classify_http_status(status: u16) -> ToolErrorCategory {
    match status {
        400 | 422 => ToolErrorCategory::InvalidParameters,
        401 | 403 => ToolErrorCategory::PolicyBlocked,
        429 => ToolErrorCategory::RateLimited,
        500..=599 => ToolErrorCategory::ServerError,
        _ => ToolErrorCategory::PermanentFailure,
    }
}

/// The category of an I/O error.
pub fn classify_io_error(error: &io::Error) -> ToolErrorCategory {
    use io::ErrorKind as K;
    match error.kind() {
        K::TimedOut => ToolErrorCategory::Timeout,
        K::ConnectionRefused | K::ConnectionReset | K::ConnectionAborted | K::BrokenPipe => {
            ToolErrorCategory::NetworkError
        }
        K::WouldBlock | K::Interrupted => ToolErrorCategory::ServerError,
        K::PermissionDenied => ToolErrorCategory::PolicyBlocked,
        _ => ToolErrorCategory::PermanentFailure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses() {
        use ToolErrorCategory as C;
        let table: &[(&[u16], C)] = &[
            (&[400, 422], C::InvalidParameters),
            (&[401, 403], C::PolicyBlocked),
            (&[429], C::RateLimited),
            (&[500, 502, 599], C::ServerError),
            (&[200, 301, 404, 410, 418, 600], C::PermanentFailure),
        ];
        for (statuses, category) in table {
            for status in *statuses {
                assert_eq!(classify_http_status(*status), *category, "{status}");
            }
        }
    }

    #[test]
    fn io_errors() {
        use ToolErrorCategory as C;
        use io::ErrorKind as K;
        let table: &[(&[K], C)] = &[
            (&[K::TimedOut], C::Timeout),
            (&[K::ConnectionRefused, K::ConnectionReset, K::ConnectionAborted, K::BrokenPipe], C::NetworkError),
            (&[K::WouldBlock, K::Interrupted], C::ServerError),
            (&[K::PermissionDenied], C::PolicyBlocked),
            (&[K::NotFound, K::AlreadyExists, K::Other], C::PermanentFailure),
        ];
        for (kinds, category) in table {
            for kind in *kinds {
                assert_eq!(classify_io_error(&io::Error::from(*kind)), *category, "{kind:?}");
            }
        }
    }
}
