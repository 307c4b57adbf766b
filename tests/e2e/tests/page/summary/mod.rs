mod findings;
mod reference_numbers;
