//! Process of a WebDriver, and the virtual display that some browsers need.

use crate::{Step, Trouble};
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use xtask::browser::{Browser, Engine};

/// Running driver with its processes, terminated on drop.
pub(crate) struct Driver {
    /// Driver, preceded by a virtual display for browsers without a headless mode.
    processes: Vec<Child>,
    /// Address on which it listens.
    pub address: String,
}

impl Driver {
    /// Starts the driver, repeatedly if necessary: a port that it found free may be taken a moment later, or for the
    /// other IP version, and then it exits.
    pub fn start(browser: &Browser, folder: &Path) -> Step<Self> {
        let start = || Self::start_once(browser, folder);
        start().or_else(|_| start()).or_else(|_| start())
    }

    fn start_once(browser: &Browser, folder: &Path) -> Step<Self> {
        let mut driver = Self { processes: Vec::new(), address: String::new() };
        // A time zone that differs from that of the recordings by half an hour reveals confusions.
        let mut command = Command::new(&browser.driver);
        command.env("TZ", "Asia/Kolkata").stderr(Stdio::null());
        let port = match browser.engine {
            // Prints "ChromeDriver was started successfully on port 12345."
            Engine::Chromium => driver.run(command.arg("--port=0"), "successfully on port ")?,
            // Prints "1795333278503 geckodriver INFO Listening on 127.0.0.1:12345".
            Engine::Firefox => driver.run(command.arg("--port=0"), "Listening on 127.0.0.1:")?,
            Engine::WebKit => {
                let mut screen = Command::new("Xvfb");
                screen.args(["-displayfd", "1", "-screen", "0", "1600x1800x24"]).stderr(Stdio::null());
                let display = driver.run(&mut screen, "")?;
                // It saves files in the folder of the user's settings.
                command.env("XDG_CONFIG_HOME", folder);
                // It neither selects a free port nor prints when it listens.
                let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
                let port = free.map_err(|error| Trouble(format!("no free port: {error}")))?.port();
                command.arg(format!("--port={port}")).env("DISPLAY", format!(":{display}")).stdout(Stdio::null());
                driver.spawn(&mut command)?;
                let until = Instant::now() + Duration::from_secs(20);
                while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
                    if Instant::now() > until {
                        return Err(Trouble("the driver did not start".into()));
                    }
                    std::thread::sleep(Duration::from_millis(20));
                }
                port.to_string()
            }
        };
        driver.address = format!("http://localhost:{port}");
        Ok(driver)
    }

    fn spawn(&mut self, command: &mut Command) -> Step<Option<ChildStdout>> {
        let program = command.get_program().to_string_lossy().into_owned();
        let mut process = command.spawn().map_err(|error| Trouble(format!("{program}: {error}")))?;
        let output = process.stdout.take();
        self.processes.push(process);
        Ok(output)
    }

    /// Starts a program, and returns the text after `before` in its output.
    fn run(&mut self, command: &mut Command, before: &str) -> Step<String> {
        let output = self.spawn(command.stdout(Stdio::piped()))?;
        let mut lines = output.into_iter().flat_map(|output| BufReader::new(output).lines().map_while(Result::ok));
        let place = lines.find_map(|line| Some(line.split_once(before)?.1.trim_end_matches('.').to_owned()));
        // Other output must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        place.ok_or_else(|| Trouble("the driver did not start".into()))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        for process in self.processes.iter_mut().rev() {
            // It may have exited already.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}
