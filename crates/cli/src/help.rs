//! What `traceglass --help` prints.

/// How to use the program.
pub const HELP: &str = "\
Reads .NET EventPipe traces (.nettrace, .netperf), also inside of .gz, .zst and .zip.

Usage:
  traceglass info FILE [--rows FILTER] [--json] [--digest]
      What is in the trace: header, event types, threads.
  traceglass events FILE [--filter FILTER] [--rows FILTER] [--json] [--limit N] [--payload]
      Events in time order, one a line. As JSON, decoded payloads come with the first 20 events
      of each type, or with every event (--payload).
  traceglass events FILE --by WHAT [--sum NUMBER] [--filter FILTER] [--rows FILTER] [--json] [--limit N]
      How many events have WHAT in common: event, provider, thread, level, or the value of a field of
      the payload, such as TypeName. NUMBER is a field, too, or dur, how long things last: its sum,
      smallest and largest value, median and 95th percentile.
  traceglass stacks FILE [--format FORMAT] [--source EVENT] [--weight WEIGHT] [--managed | --external]
                    [--rows FILTER] [--filter FILTER] [--baseline rest|FILTER [--amounts]]
                    [--by process|thread|role|activity] [--symbols FILE]...
                    [--mine [--framework PREFIXES]] [--frames KIND] [--merge-recursion]
                    [--group PATTERNS] [--fold PATTERNS] [--stitch]
      Samples, or events of a kind, by thread and stack. FORMAT is
        folded      one distinct stack a line, root first, with its weight; for flame graphs
        speedscope  each thread over time, for speedscope.app
        firefox     each thread's samples, for profiler.firefox.com
        chrome      each thread over time, for ui.perfetto.dev and Chrome's tracing (samples only)
        pprof       distinct stacks with counts and nanoseconds, for “go tool pprof” (binary)
        csv         a table: what each function weighs with its callees and alone, and when it was
                    on a stack for the first and the last time
      EVENT is a kind of event that has stacks, such as GC/AllocationTick or Provider/Name, or all.
      WEIGHT is count, or time: the nanoseconds that a sample stands for, or how long what begins
      with the event lasts; or the name of a number in the event's payload, such as ObjectSize.
      --managed takes only samples that found the thread in managed code, --external only the others.
      --baseline compares with the same stacks of other events, or of the rest: folded (two numbers,
      the baseline first) or csv. Shares are compared: the baseline is scaled to the same total,
      unless --amounts says otherwise.
      --by makes stacks begin with their process, thread, role (of the thread) or activity (the
      request or other piece of work that they are part of); for folded and csv.
      --stitch puts what runs for a task below the stack that scheduled or awaited it, where events
      of the task library have stacks; for folded and csv.
      --symbols names code that the trace does not: a perf-PID.map of the process; a portable PDB
      is checked against its module.
      --mine shows of .NET's own frames only those that other code calls, puts async methods that
      await one another into one chain, and code without a name into one frame a module; --framework
      names other namespaces and modules than .NET's, with commas between them. KIND of one frame is functions,
      classes, namespaces or modules. PATTERNS are PerfView's: “{%}!->module $1”, “Thread%=>threads”.
  traceglass export FILE OUT [options of stacks]
      Writes stacks to the file OUT. Without --format its ending says how: .folded.txt,
      .speedscope.json, .firefox.json, .trace.json (chrome), .pb (pprof) or .csv.
  traceglass excerpt FILE OUT [--filter FILTER]
      Writes the events that match to the file OUT, as a trace of the same format: with what is needed
      to understand them (names of code, threads and types, stacks), whenever that was recorded.
  traceglass summary FILE [--filter FILTER] [--json]
      What is wrong with the program, or with the trace: what it costs, when, and what to do.
  traceglass gc|allocations|heap|exceptions|contention|waits|threadpool|http|sql|tasks|logs|counters|
             jit|startup FILE [--filter FILTER] [--limit N] [--json]
      What the trace tells about one topic: a verdict, figures and tables. Of each table --limit rows,
      20 without it; all of them with --json.
  traceglass schema FILE [--json | --csharp | --values]
      Every kind of event by provider, event and version: its fields as declared, level, keywords,
      opcode, who describes it, how many there are, their bytes, threads and times. --values adds
      what values the fields have, --csharp writes event sources that would write such events.
  traceglass schema FILE OTHER [--json]
      What was added, removed and changed in kinds of events from one trace to the other.
  traceglass blocks FILE [--json]
      The pieces that the file consists of, from its first byte to its last: header, blocks, damage.
      What they hold, and what is spent on each kind of block, provider and event.
  traceglass dump FILE --offset N [--length N] [--json]
      Bytes of the file, and what each of them is. Numbers are decimal, or hexadecimal with 0x.
  traceglass check FILE [--json]
      Is the trace whole? Its version, processes, problems, and lost events by thread.

FILE!ENTRY names one of several traces in an archive.

FILTER is what can be typed into the page, such as 'event:Stop dur>5ms -thread:Finalizer' or
'time:1.5s..2s payload.Count>3 timeout'; docs/filter-language.md explains it.

A trace of more than 100,000,000 events is held in memory only in part; --rows says which: a range
of time and providers, such as 'time:1s..2s provider=Name'. Totals are always of all events.

Options:
  --json       machine-readable output
  --digest     with info --json: checksums over all events, to compare two readers
  --limit N    with events: stop after N events; with topics: rows of each table
  -h, --help   this text
  -V, --version

Exit code: 0 if all was read, 1 if the file cannot be read, 2 if the arguments are wrong.
A trace that is cut or damaged is shown as far as it can be read, with a note on standard error.
Of check: 0 if the trace is whole, 1 if it is damaged or events were lost, 2 if it cannot be read.
";
