//! Dates relative to today.

use protocol::base::time::civil_from_days;

const MINUTE_MS: i64 = 60_000;
const DAY_MINUTES: i64 = 24 * 60;
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Formats a time relative to now: "today, 09:31", "yesterday, 17:05", "20 Nov", "20 Nov 2025". Both times are
/// milliseconds since 1970; local time is `local_ahead_minutes` ahead of UTC.
pub fn when(then_ms: f64, now_ms: f64, local_ahead_minutes: i32) -> String {
    let minutes = |ms: f64| (ms as i64).div_euclid(MINUTE_MS).saturating_add(i64::from(local_ahead_minutes));
    let (then, now) = (minutes(then_ms), minutes(now_ms));
    let (day, today) = (then.div_euclid(DAY_MINUTES), now.div_euclid(DAY_MINUTES));
    let of_day = then.rem_euclid(DAY_MINUTES);
    let time = format!("{:02}:{:02}", of_day / 60, of_day % 60);
    let (year, month, of_month) = civil_from_days(day);
    let month = MONTHS.get((month - 1) as usize).copied().unwrap_or_default();
    match today - day {
        0 => format!("today, {time}"),
        1 => format!("yesterday, {time}"),
        _ if year == civil_from_days(today).0 => format!("{of_month} {month}"),
        _ => format!("{of_month} {month} {year}"),
    }
}

#[cfg(test)]
mod tests {
    use super::when;

    #[test]
    fn days_begin_at_local_midnight() {
        // 2026-11-22 00:10 UTC.
        let now = 1_795_306_200_000.0;
        let hours = |hours: f64| now - hours * 3_600_000.0;
        assert_eq!(when(now, now, 0), "today, 00:10");
        assert_eq!(when(hours(1.0), now, 0), "yesterday, 23:10");
        assert_eq!(when(hours(1.0), now, 60), "today, 00:10");
        assert_eq!(when(hours(1.0), now, -330), "today, 17:40");
        assert_eq!(when(hours(48.0), now, 0), "20 Nov");
        assert_eq!(when(hours(24.0 * 365.0), now, 0), "22 Nov 2025");
        assert_eq!(when(now + 86_400_000.0, now, 0), "23 Nov", "clocks may be set back");
    }
}
