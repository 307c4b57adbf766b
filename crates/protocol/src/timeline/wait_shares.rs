//! Shares of a thread's waiting time by state, packed into 16 bits.

use crate::tables::state;

/// Shares of the waiting states, in 15ths, which is precise enough for the height of a timeline strip.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WaitShares(pub u32);

impl WaitShares {
    /// States, with 4 bits each, from the lowest bits.
    pub const STATES: [u8; 5] = [state::GC, state::LOCK, state::BLOCKED, state::IO, state::READY];
    /// Value of a share of 1.
    const FULL: f64 = 15.0;

    /// Packs the shares of the states, each from 0 to 1.
    pub fn new(share_of: impl Fn(u8) -> f64) -> Self {
        let packed = (0u32..).zip(Self::STATES).map(|(at, state)| {
            let share = (share_of(state).clamp(0.0, 1.0) * Self::FULL).round() as u32;
            share << (at * 4)
        });
        Self(packed.fold(0, |all, one| all | one))
    }

    /// Returns the share of a state, from 0 to 1; 0 for other states.
    pub fn of(self, state: u8) -> f64 {
        let at = (0u32..).zip(Self::STATES).find(|(_, one)| *one == state).map(|(at, _)| at);
        at.map_or(0.0, |at| f64::from(self.0 >> (at * 4) & 0xf) / Self::FULL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wait_shares_are_rounded_to_fifteenths() {
        let shares = WaitShares::new(|of| match of {
            state::GC => 0.2,
            state::LOCK => 1.0,
            state::IO => 0.5,
            _ => 0.0,
        });
        let of = |state| (shares.of(state) * 15.0).round();
        assert_eq!([state::GC, state::LOCK, state::BLOCKED, state::IO].map(of), [3.0, 15.0, 0.0, 8.0]);
        assert_eq!(of(state::MANAGED), 0.0);
        assert_eq!(WaitShares::new(|_| 7.0), WaitShares(0xf_ffff));
    }
}
