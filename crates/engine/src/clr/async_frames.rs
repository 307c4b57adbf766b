//! Runtime frames around async methods, which mark where awaiting callers continue a stack
//! (docs/format/runtime-events.md#async-call-stacks). The runtime guarantees their names to tools.

/// Namespace of all these frames.
const NAMESPACE: &str = "System.Runtime.CompilerServices.";

/// Role of a runtime frame in running async methods.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AsyncFrame {
    /// Calls the next method of a runtime-async chain. Contains the number of methods that have ended.
    Wrapper(u8),
    /// Runs a runtime-async chain.
    Dispatch,
    /// Runs a chain of state machines.
    Dispatcher,
    /// Method of the box object that holds a state machine.
    Box,
    /// Starts a state machine, which runs synchronously up to its first await.
    Start,
}

impl AsyncFrame {
    /// Returns the role of a function by its raw name: `module!Namespace.Type.Method(signature)` or
    /// `module!Namespace.Type::Method(signature)`; `None` for other functions.
    pub fn of(raw_name: &str) -> Option<Self> {
        let path = raw_name.split_once('!').map_or(raw_name, |(_, path)| path).strip_prefix(NAMESPACE)?;
        let path = path.split('(').next()?;
        let (path, method) = split_at_last(path, &['.', ':'])?;
        let method = without_arguments(method);
        let class = path.trim_end_matches(':');
        let class = without_arguments(split_at_last(class, &['.', '+', '/']).map_or(class, |(_, name)| name));
        match method {
            "DispatchContinuations" | "InstrumentedDispatchContinuations" => Some(Self::Dispatch),
            "MoveNextAsDispatcher" => Some(Self::Dispatcher),
            "MoveNext" if class == "AsyncStateMachineDispatcher" => Some(Self::Dispatcher),
            "Start" if class == "AsyncMethodBuilderCore" || class.ends_with("MethodBuilder") => Some(Self::Start),
            _ if class == "ContinuationWrapper" => {
                method.strip_prefix("Continuation_Wrapper_")?.parse().ok().map(Self::Wrapper)
            }
            _ if class.ends_with("AsyncStateMachineBox") || class == "AsyncStateMachineDispatcher" => Some(Self::Box),
            _ => None,
        }
    }
}

/// Splits a path at the last separator outside type arguments; `None` if there is none.
fn split_at_last<'p>(path: &'p str, separators: &[char]) -> Option<(&'p str, &'p str)> {
    let mut depth = 0usize;
    for (at, letter) in path.char_indices().rev() {
        match letter {
            ']' | '>' => depth += 1,
            '[' | '<' => depth = depth.saturating_sub(1),
            _ if depth == 0 && separators.contains(&letter) => return Some((path.get(..at)?, path.get(at + 1..)?)),
            _ => {}
        }
    }
    None
}

/// Removes type arguments and arity from a name.
fn without_arguments(name: &str) -> &str {
    name.split(['`', '[', '<']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtime_async_frames_are_recognized_by_name() {
        use AsyncFrame::{Box, Dispatch, Dispatcher, Start, Wrapper};
        let of = |name: &str| AsyncFrame::of(&format!("System.Private.CoreLib!System.Runtime.CompilerServices.{name}"));
        let cases = [
            ("AsyncProfiler+ContinuationWrapper.Continuation_Wrapper_0(class Continuation,uint8&)", Some(Wrapper(0))),
            ("AsyncProfiler/ContinuationWrapper::Continuation_Wrapper_31(class X)", Some(Wrapper(31))),
            ("AsyncProfiler+ContinuationWrapper.Continuation_Wrapper_x()", None),
            ("AsyncProfiler+ContinuationWrapper.Continuation_Wrapper_256()", None),
            ("AsyncProfiler+ContinuationWrapper.Dispatch()", None),
            ("AsyncHelpers+RuntimeAsyncTask`1[System.__Canon].DispatchContinuations()", Some(Dispatch)),
            ("AsyncHelpers+RuntimeAsyncTask`1[A.B].InstrumentedDispatchContinuations(int32)", Some(Dispatch)),
            (
                "AsyncTaskMethodBuilder`1+AsyncProfilerAsyncStateMachineBox`1[A,B+<C>d__1].MoveNextAsDispatcher()",
                Some(Dispatcher),
            ),
            ("AsyncStateMachineDispatcher.MoveNext()", Some(Dispatcher)),
            ("AsyncStateMachineDispatcher.ExecuteFromThreadPool(class Thread)", Some(Box)),
            ("AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1[A.X,B+<C>d__1].MoveNext(class Thread)", Some(Box)),
            (
                "AsyncTaskMethodBuilder`1[A.X].AsyncStateMachineBox`1[B.C+<D>d__1].ExecutionContextCallback(X)",
                Some(Box),
            ),
            ("AsyncMethodBuilderCore.Start[A.B+<C>d__1](!!0&)", Some(Start)),
            ("AsyncTaskMethodBuilder`1[System.Int32].Start(!!0&)", Some(Start)),
            ("TaskAwaiter.GetResult()", None),
        ];
        for (name, expected) in cases {
            assert_eq!(of(name), expected, "{name}");
        }
        let of_app = "Shop!Shop.AsyncStateMachineDispatcher.MoveNext()";
        assert_eq!([of_app, "", "System.Runtime.CompilerServices.", "?!0x1234"].map(AsyncFrame::of), [None; 4]);
    }
}
