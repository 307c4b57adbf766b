//! Display names of event levels.

/// Levels that a filter can be limited to, most severe first.
pub const LIMITS: [u8; 4] = [1, 2, 3, 4];

/// Returns the display name of a level.
pub fn level_name(level: u8) -> &'static str {
    match level {
        0 => "Always",
        1 => "Critical",
        2 => "Error",
        3 => "Warning",
        4 => "Info",
        5 => "Verbose",
        _ => "Custom",
    }
}

/// Returns the display name of a maximum level: "Warning and above".
pub fn level_limit(level: u8) -> String {
    match level {
        0 => "Always".to_owned(),
        6.. => format!("Level {level} or lower"),
        level => format!("{} and above", level_name(level)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_limits_have_words() {
        assert_eq!(LIMITS.map(level_limit)[2], "Warning and above");
        assert_eq!((level_limit(0).as_str(), level_limit(9).as_str()), ("Always", "Level 9 or lower"));
    }
}
