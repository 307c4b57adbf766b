//! Waiting for several requests, which are sent at the same time.

use std::future::poll_fn;
use std::task::Poll;

/// Sends all requests, and returns their answers in order.
///
/// # Errors
/// Fails if one of them fails.
pub async fn join<T, E>(requests: impl IntoIterator<Item = impl Future<Output = Result<T, E>>>) -> Result<Vec<T>, E> {
    let mut requests: Vec<_> = requests.into_iter().map(|request| (Box::pin(request), None)).collect();
    poll_fn(|context| {
        let mut is_waiting = false;
        for (request, answer) in requests.iter_mut().filter(|(_, answer)| answer.is_none()) {
            match request.as_mut().poll(context) {
                Poll::Ready(Ok(found)) => *answer = Some(found),
                Poll::Ready(Err(failure)) => return Poll::Ready(Err(failure)),
                Poll::Pending => is_waiting = true,
            }
        }
        if is_waiting { Poll::Pending } else { Poll::Ready(Ok(())) }
    })
    .await?;
    Ok(requests.into_iter().filter_map(|(_, answer)| answer).collect())
}
