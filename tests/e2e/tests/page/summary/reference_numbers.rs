//! A user drops a trace and reads the answers: the visible numbers are those of the reference reader.

use std::path::Path;
use traceglass_e2e::{Need, Page, Step, browser_test, fixtures};

/// Answers about a trace, from its reference outputs.
struct Answers {
    events: &'static str,
    busiest_thread: &'static str,
    /// Of the app's own code.
    hottest_method: &'static str,
    longest_pause: [&'static str; 2],
}

const ORDERS: Answers = Answers {
    events: "26,800",
    busiest_thread: "6711",
    hottest_method: "Program.Contend()",
    longest_pause: ["#39 gen 2, background · ", "193 ms"],
};

const CPU: Answers = Answers {
    events: "38,017",
    busiest_thread: "1222",
    hottest_method: "RayTracer.Trace<T>",
    longest_pause: ["#1 gen ", "29.2 ms"],
};

const WEB_NET10: Answers = Answers {
    events: "330,842",
    busiest_thread: "928",
    hottest_method: "PriceFeed.Parse",
    longest_pause: ["#8 gen ", "6.17 ms"],
};

const FIREHOSE: Answers = Answers {
    events: "2,686,149",
    busiest_thread: "6738",
    hottest_method: "Program.Contend()",
    longest_pause: ["#4 gen ", "17.2 ms"],
};

async fn names_the_answers(page: &Page, trace: &Path, answers: &Answers) -> Step {
    page.open("").await?;
    page.open_trace(trace).await?;
    page.text_when("event-count", |text| text == answers.events).await?;
    let contains = |part: &'static str| move |text: &str| text.contains(part);
    page.text_when("summary-thread", contains(answers.busiest_thread)).await?;
    page.text_when("hot-function", contains(answers.hottest_method)).await?;
    let [number, pause] = answers.longest_pause;
    page.text_when("summary-collection", |text| text.starts_with(number) && text.contains(pause)).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn orders_trace_has_reference_numbers(page: &Page) -> Step {
    names_the_answers(page, &fixtures::unpacked("orders-net31.nettrace")?, &ORDERS).await?;
    for (theme, width) in [("light", 1440), ("dark", 1440), ("light", 1024), ("dark", 1024)] {
        page.prefer_theme(theme, false).await?;
        page.browser().set_window_rect(0, 0, width, 900).await?;
        page.screenshot(&format!("orders-{theme}-{width}")).await?;
    }
    Ok(())
}

#[browser_test]
async fn compressed_trace_opens_like_plain_one(page: &Page) -> Step {
    names_the_answers(page, &fixtures::compressed("cpu.nettrace"), &CPU).await
}

#[browser_test]
async fn bundled_trace_opens_with_one_click(page: &Page) -> Step {
    page.open("").await?;
    page.click("sample-gc").await?;
    page.text_when("event-count", |text| text == "116,276").await?;
    Ok(())
}

#[browser_test(needs(Need::RealTraces))]
async fn real_web_server_trace_has_reference_numbers(page: &Page) -> Step {
    let trace = fixtures::real_traces().join("web-net10.nettrace.zst");
    names_the_answers(page, &fixtures::unzstd(&trace)?, &WEB_NET10).await
}

#[browser_test(needs(Need::RealTraces))]
async fn real_trace_of_millions_of_events_has_reference_numbers(page: &Page) -> Step {
    let trace = fixtures::real_traces().join("firehose-net31.nettrace.zst");
    names_the_answers(page, &fixtures::unzstd(&trace)?, &FIREHOSE).await
}
