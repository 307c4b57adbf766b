mod sizes;
mod themes;
