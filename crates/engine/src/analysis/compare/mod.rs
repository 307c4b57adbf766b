//! Compares the measures of two traces, and separates changes from noise.
//!
//! A value is compared by resampling time slices (`resampling`): if both traces show the same behavior, slices of one
//! could be slices of the other. The comparison of hundreds of values would find some differences significant by chance,
//! so the limit accounts for multiple comparisons (`significance`).

mod hosts;
mod providers;
mod resampling;
mod sentences;
mod series;
mod significance;
#[cfg(test)]
pub(crate) mod tests;

use protocol::base::hash::FastMap;
use protocol::base::sort::sort_by;
use protocol::compare::{Change, ChangeKind, Comparison, Form, Measures, Only, Per, Side, Subject};
use resampling::{Estimate, Resamples};
use series::{Series, Statistic};

/// Minimum share of a subject's total, in either trace, for a name to be compared.
const LEAST_SHARE: f64 = 0.002;
/// Maximum number of names of a subject that are compared: those with the largest totals.
const MAX_NAMES: usize = 300;
/// Percentiles of durations, with the number of durations in each trace that each needs.
const PERCENTILES: [(u8, usize); 3] = [(50, 10), (95, 60), (99, 200)];

/// Returns the changes from old traces, which form one baseline, to a new one.
pub fn compare(old: &[Measures], new: &Measures, per: Per) -> Comparison {
    let (traces, providers) = providers::of_both(old, new);
    let traces = hosts::matched(traces);
    let traces: Vec<&Measures> = traces.iter().map(AsRef::as_ref).collect();
    let (old, new) = traces.split_at(old.len());
    let sides = [Traces::new(old, per), Traces::new(new, per)];
    let mut changes = Vec::new();
    for subject in Subject::ALL.iter().copied().filter(|subject| sides.iter().all(|side| side.records(*subject))) {
        let total = total(&sides, subject);
        for name in names(&sides, subject) {
            let series = sides.each_ref().map(|side| side.series(subject, name));
            let dependence = series.iter().map(Series::dependence).max().unwrap_or(1);
            for statistic in statistics(subject, &series) {
                let estimate = |side: usize| {
                    let Traces { resamples, .. } = &sides[side];
                    let prepared = series[side].prepared(statistic, sides[side].divisors_of(subject));
                    Estimate::of(&prepared, resamples, dependence)
                };
                let is_part = !name.is_empty() && statistic.percentile().is_none();
                let estimates = [estimate(0), estimate(1)];
                changes.extend(change((subject, name), statistic, &estimates, total.filter(|_| is_part)));
            }
        }
    }
    significance::decide(&mut changes);
    changes.iter_mut().for_each(|change| change.sentence = sentences::sentence(change, per));
    sort_by(&mut changes, |one, other| {
        let order = other
            .is_significant()
            .cmp(&one.is_significant())
            .then(is_detail(one.subject).cmp(&is_detail(other.subject)));
        order
            .then(other.weight.total_cmp(&one.weight))
            .then_with(|| (one.subject, &one.name).cmp(&(other.subject, &other.name)))
    });
    let only = |side: usize, (providers, runtime_types): providers::Unshared| {
        let is_only = |subject: &Subject| sides[side].records(*subject) && !sides[1 - side].records(*subject);
        let wholes = Subject::ALL.iter().copied().filter(|subject| subject.whole().is_none());
        Only { subjects: wholes.filter(is_only).collect(), providers, runtime_types }
    };
    let [of_old, of_new] = providers;
    let only = [only(0, of_old), only(1, of_new)];
    let [old, new] = sides.map(|side| side.summary());
    Comparison { old, new, per, only, changes }
}

/// Returns whether a subject only explains changes of other subjects, which are listed before it.
fn is_detail(subject: Subject) -> bool {
    matches!(subject, Subject::ThreadState | Subject::Counter | Subject::Events | Subject::EventType)
}

/// The traces of one side.
struct Traces<'m> {
    traces: &'m [&'m Measures],
    /// Rows of each trace by subject and name.
    rows: Vec<FastMap<(u8, &'m str), usize>>,
    /// What sums are divided by, by slice.
    divisors: Vec<f64>,
    /// Seconds by slice: the divisors of throughput.
    seconds: Vec<f64>,
    resamples: Resamples,
}

impl<'m> Traces<'m> {
    fn new(traces: &'m [&'m Measures], per: Per) -> Self {
        let rows = traces
            .iter()
            .map(|trace| (0..trace.len()).map(|row| ((trace.subject[row], trace.name.get(row)), row)).collect());
        let slices: Vec<usize> = traces.iter().map(|trace| trace.slice_count()).collect();
        let of_trace = |trace: &&Measures| {
            let slices = trace.slice_count();
            vec![trace.duration() as f64 / 1e9 / slices.max(1) as f64; slices]
        };
        let seconds: Vec<f64> = traces.iter().flat_map(of_trace).collect();
        let resamples = Resamples::new(&slices);
        let mut side = Self { traces, rows: rows.collect(), divisors: Vec::new(), seconds, resamples };
        side.divisors = match per {
            Per::Second => side.seconds.clone(),
            Per::Request => side.series(Subject::Requests, "").counts(),
            // The sum of one trace: the average over the traces of a baseline.
            Per::Total => slices.iter().flat_map(|slices| vec![1.0 / *slices as f64; *slices]).collect(),
        };
        side
    }

    fn summary(&self) -> Side {
        Side {
            seconds: self.traces.iter().map(|trace| trace.duration() as f64 / 1e9).sum(),
            requests: self.series(Subject::Requests, "").counts().iter().sum(),
        }
    }

    /// Returns whether the traces record a subject, perhaps without any value.
    fn records(&self, subject: Subject) -> bool {
        let of = subject.whole().unwrap_or(subject) as u8;
        self.traces.iter().all(|trace| trace.subject.contains(&of))
    }

    /// Returns what sums of a subject are divided by, by slice. Throughput is per second in any case.
    fn divisors_of(&self, subject: Subject) -> &[f64] {
        if subject == Subject::Requests { &self.seconds } else { &self.divisors }
    }

    fn series(&self, subject: Subject, name: &str) -> Series {
        let mut series = Series::default();
        for (trace, rows) in self.traces.iter().zip(&self.rows) {
            if let Some(row) = rows.get(&(subject as u8, name)) {
                let first_slice = series.slices;
                series.values.extend(trace.values(*row).map(|(slice, value)| (first_slice + slice, value)));
            }
            series.slices += trace.slice_count();
        }
        if subject.form() == Form::Duration {
            sort_by(&mut series.values, |one, other| one.1.total_cmp(&other.1));
        }
        series
    }

    /// Returns the sum of a row's values; for levels, their number.
    fn size(&self, subject: Subject, name: &str) -> f64 {
        let values = self.series(subject, name).values;
        match subject.form() {
            Form::Sum | Form::Duration => values.iter().map(|(_, value)| value).sum(),
            Form::Level => values.len() as f64,
        }
    }
}

/// Returns the value that changes of a subject's names are parts of, in the trace with more; `None` if they have none.
fn total(sides: &[Traces<'_>; 2], subject: Subject) -> Option<f64> {
    let (whole, statistic) = match subject.form() {
        Form::Sum => (subject.whole()?, Statistic::Sum),
        Form::Duration => (subject, Statistic::Count),
        Form::Level => return None,
    };
    let [old, new] =
        sides.each_ref().map(|side| side.series(whole, "").prepared(statistic, side.divisors_of(whole)).value(|_| 1.0));
    Some(old.max(new))
}

/// Returns the names of a subject that are compared; the empty one, for the whole trace, first.
fn names<'m>(sides: &[Traces<'m>; 2], subject: Subject) -> Vec<&'m str> {
    let mut sizes: FastMap<&'m str, [f64; 2]> = FastMap::default();
    for (side, traces) in sides.iter().enumerate() {
        let of_subject = traces.rows.iter().flat_map(|rows| rows.keys()).filter(|(of, _)| *of == subject as u8);
        for (_, name) in of_subject {
            sizes.entry(name).or_default()[side] = traces.size(subject, name);
        }
    }
    let totals = [0, 1]
        .map(|side: usize| sizes.iter().filter(|(name, _)| !name.is_empty()).map(|(_, size)| size[side]).sum::<f64>());
    let share =
        |size: &[f64; 2]| (size[0] / totals[0].max(f64::MIN_POSITIVE)).max(size[1] / totals[1].max(f64::MIN_POSITIVE));
    let mut names: Vec<(&str, f64)> =
        sizes.iter().map(|(name, size)| (*name, if name.is_empty() { f64::INFINITY } else { share(size) })).collect();
    names.retain(|(_, share)| *share >= LEAST_SHARE || subject.form() == Form::Level);
    sort_by(&mut names, |one, other| other.1.total_cmp(&one.1).then(one.0.cmp(other.0)));
    names.truncate(MAX_NAMES);
    names.into_iter().map(|(name, _)| name).collect()
}

/// Returns the statistics to compare for two series.
fn statistics(subject: Subject, series: &[Series; 2]) -> impl Iterator<Item = Statistic> {
    let values = series[0].values.len().min(series[1].values.len());
    let percentiles = PERCENTILES.into_iter().filter(move |(_, least)| values >= *least);
    let percentiles = percentiles.map(|(percentile, _)| Statistic::Percentile(percentile));
    let (one, percentiles) = match subject.form() {
        Form::Sum => (Some(Statistic::Sum), None),
        Form::Duration => (Some(Statistic::Count), Some(percentiles)),
        Form::Level => ((values > 0).then_some(Statistic::Mean), None),
    };
    one.into_iter().chain(percentiles.into_iter().flatten())
}

/// Returns the change of a value, not yet classified: see [`significance::decide`]. `None` if a name has no value at all.
fn change(
    (subject, name): (Subject, &str),
    statistic: Statistic,
    [old, new]: &[Estimate; 2],
    total: Option<f64>,
) -> Option<Change> {
    if old.value == 0.0 && new.value == 0.0 && !name.is_empty() {
        return None;
    }
    let scale = total.unwrap_or(old.value.max(new.value));
    Some(Change {
        subject,
        name: name.to_owned(),
        percentile: statistic.percentile(),
        kind: ChangeKind::Same,
        old: old.value,
        new: new.value,
        ratio: resampling::ratio(old, new),
        probability: significance::probability(old, new),
        weight: (new.value - old.value).abs() / scale.max(f64::MIN_POSITIVE),
        sentence: String::new(),
    })
}
