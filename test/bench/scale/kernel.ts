/**
 * A discrete-event kernel: processes are generators that yield what they wait for. It uses neither the machine's clock nor unseeded randomness, so a
 * run depends only on its inputs.
 */
export type Wait =
  | { kind: 'delay'; ms: number }
  | { kind: 'take'; of: Resource }
  | { kind: 'flush'; of: Journal };
export type Process = Generator<Wait, void, void>;

export interface Kernel {
  now(): number;
  start(process: Process): void;
  /** Runs until there is nothing left to do before `untilMs`. */
  run(untilMs: number): void;
}

interface Event {
  atMs: number;
  order: number;
  process: Process;
}

export function createKernel(): Kernel {
  const heap: Event[] = [];
  let nowMs = 0;
  let order = 0;

  function schedule(process: Process, atMs: number): void {
    push(heap, { atMs, order: order++, process });
  }

  function step(process: Process): void {
    const { value, done } = process.next();
    if (done === true || value === undefined) return;
    if (value.kind === 'delay') return schedule(process, nowMs + value.ms);
    if (value.kind === 'take') return value.of.enter(process, nowMs, (next) => schedule(next, nowMs));
    value.of.enter(process, nowMs, schedule);
  }

  return {
    now: () => nowMs,
    start: (process) => schedule(process, nowMs),
    run(untilMs) {
      for (let event = heap[0]; event !== undefined && event.atMs <= untilMs; event = heap[0]) {
        pop(heap);
        nowMs = event.atMs;
        step(event.process);
      }
      nowMs = untilMs;
    },
  };
}

export interface Resource {
  readonly name: string;
  enter(process: Process, nowMs: number, go: (process: Process) => void): void;
  /** Releases one place to the process that has waited longest. */
  leave(nowMs: number): void;
  /** The mean share of places in use since the last reset. */
  utilisation(nowMs: number): number;
  waiting(): number;
  reset(nowMs: number): void;
}

/** A resource with a number of places, served in FIFO order: one place for a row lock, one per core for a machine. */
export function createResource(name: string, places: number): Resource {
  const queue: Array<{ process: Process; go: (process: Process) => void }> = [];
  let head = 0;
  let taken = 0;
  let busyMs = 0;
  let sinceMs = 0;
  let changedMs = 0;
  const note = (nowMs: number) => {
    busyMs += taken * (nowMs - changedMs);
    changedMs = nowMs;
  };
  return {
    name,
    enter(process, nowMs, go) {
      note(nowMs);
      if (taken < places) {
        taken += 1;
        go(process);
      } else queue.push({ process, go });
    },
    leave(nowMs) {
      note(nowMs);
      const next = queue[head];
      if (next === undefined) {
        taken -= 1;
        return;
      }
      head += 1;
      if (head > 1_024 && head * 2 > queue.length) {
        queue.splice(0, head);
        head = 0;
      }
      next.go(next.process);
    },
    utilisation(nowMs) {
      note(nowMs);
      return busyMs / ((nowMs - sinceMs) * places);
    },
    waiting: () => queue.length - head,
    reset(nowMs) {
      note(nowMs);
      busyMs = 0;
      sinceMs = nowMs;
    },
  };
}

/** A log whose flush covers all commits written by then, as in Postgres's group commit. */
export interface Journal {
  enter(process: Process, nowMs: number, schedule: (process: Process, atMs: number) => void): void;
  flushes(): number;
}

export function createJournal(flushMs: number): Journal {
  // Resolves at the end of the running flush, or of the next one if it must cover this commit.
  let endsMs = Number.NEGATIVE_INFINITY;
  let nextEndsMs: number | null = null;
  let flushes = 0;
  return {
    enter(process, nowMs, schedule) {
      if (nowMs >= endsMs && nextEndsMs !== null) {
        endsMs = nextEndsMs;
        nextEndsMs = null;
      }
      if (nowMs >= endsMs) {
        flushes += 1;
        endsMs = nowMs + flushMs;
        return schedule(process, endsMs);
      }
      if (nextEndsMs === null) {
        flushes += 1;
        nextEndsMs = endsMs + flushMs;
      }
      schedule(process, nextEndsMs);
      return undefined;
    },
    flushes: () => flushes,
  };
}

function push(heap: Event[], event: Event): void {
  heap.push(event);
  let at = heap.length - 1;
  while (at > 0) {
    const up = (at - 1) >> 1;
    const parent = heap[up];
    if (!parent || !isBefore(event, parent)) break;
    heap[at] = parent;
    at = up;
  }
  heap[at] = event;
}

function pop(heap: Event[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    let down = at * 2 + 1;
    const [left, right] = [heap[down], heap[down + 1]];
    if (!left) break;
    if (right && isBefore(right, left)) down += 1;
    const child = heap[down];
    if (!child || !isBefore(child, last)) break;
    heap[at] = child;
    at = down;
  }
  heap[at] = last;
}

function isBefore(one: Event, other: Event): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}
