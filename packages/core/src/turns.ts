/** What counts for an organization's turn where several wait in one line. */
export interface TurnTaker {
  /** What it holds now: connections, running jobs, answers. */
  inUse: number;
  /** Of two organizations that wait, the one with twice the weight holds twice as much. */
  weight: number;
  /** When it was last served: the higher, the later. Zero if never. */
  servedAt: number;
}

/**
 * Turns by organization: the next turn belongs to the organization that holds the least for its weight, and among equals to the one that was
 * served least recently. So it does not matter how much an organization asks for, or how early. Null if none waits.
 */
export function nextTurn<Taker extends TurnTaker>(waiting: Iterable<Taker>): Taker | null {
  let next: Taker | null = null;
  for (const one of waiting) {
    if (next === null || comesBefore(one, next)) next = one;
  }
  return next;
}

function comesBefore(one: TurnTaker, other: TurnTaker): boolean {
  const difference = one.inUse / one.weight - other.inUse / other.weight;
  return difference === 0 ? one.servedAt < other.servedAt : difference < 0;
}

export interface TurnLimits {
  /** How many turns run at once. */
  readonly atOnce: number;
  /** How many of them an organization may have. By default all. */
  readonly perOrganization?: number;
}

interface Waiter {
  begin: (end: () => void) => void;
}

interface Line extends TurnTaker {
  readonly organizationId: string;
  readonly waiters: Set<Waiter>;
}

/** When idle organizations were last served is remembered for this many of them. */
const rememberedAtMost = 10_000;

/** A line of work in this process in which organizations take turns. Within an organization, first come is first served. */
export class Turns {
  readonly #limits: Required<TurnLimits>;
  readonly #lines = new Map<string, Line>();
  readonly #waiting = new Set<Line>();
  /** In the order in which they were served. Otherwise an organization that comes back each time would always be the first. */
  readonly #servedAt = new Map<string, number>();
  #inUse = 0;
  #serves = 0;

  constructor({ atOnce, perOrganization = atOnce }: TurnLimits) {
    this.#limits = { atOnce, perOrganization };
  }

  /** How many wait for a turn, of all organizations. */
  get waiting(): number {
    let waiting = 0;
    for (const { waiters } of this.#waiting) waiting += waiters.size;
    return waiting;
  }

  /** How many wait for a turn of this organization. */
  waitingOf(organizationId: string): number {
    return this.#lines.get(organizationId)?.waiters.size ?? 0;
  }

  /** How many turns the organization could take now. */
  freeFor(organizationId: string): number {
    const inUse = this.#lines.get(organizationId)?.inUse ?? 0;
    return Math.min(this.#limits.atOnce - this.#inUse, this.#limits.perOrganization - inUse);
  }

  /** Takes a turn if one is free for the organization: the function that ends it, or null. */
  takeNow(organizationId: string, weight = 1): (() => void) | null {
    if (this.#inUse >= this.#limits.atOnce) return null;
    const line = this.#lineOf(organizationId, weight);
    return line.inUse < this.#limits.perOrganization ? this.#begin(line) : null;
  }

  /** Takes a turn if one is free: of the organization among these whose turn is next. Null if none of them may have one. */
  takeForOneOf(organizationIds: readonly string[]): { organizationId: string; end: () => void } | null {
    if (this.#inUse >= this.#limits.atOnce) return null;
    const lines = organizationIds.map((id) => this.#lineOf(id, 1));
    const next = nextTurn(lines.filter(({ inUse }) => inUse < this.#limits.perOrganization));
    const turn = next && { organizationId: next.organizationId, end: this.#begin(next) };
    for (const line of lines) this.#forgetIdle(line);
    return turn;
  }

  /**
   * Waits for a turn, and resolves with the function that ends it. Rejects with the signal's reason if that aborts first.
   * @param weight for the organization's share, if several wait
   */
  async take(
    organizationId: string,
    { weight = 1, signal }: { weight?: number; signal?: AbortSignal | undefined } = {},
  ): Promise<() => void> {
    signal?.throwIfAborted();
    const line = this.#lineOf(organizationId, weight);
    return new Promise((resolve, reject) => {
      const leave = () => {
        line.waiters.delete(waiter);
        if (line.waiters.size === 0) this.#waiting.delete(line);
        this.#forgetIdle(line);
        reject(signal?.reason instanceof Error ? signal.reason : new Error('left the line'));
      };
      const waiter: Waiter = {
        begin(end) {
          signal?.removeEventListener('abort', leave);
          resolve(end);
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      line.waiters.add(waiter);
      this.#waiting.add(line);
      this.#serve();
    });
  }

  /** Runs `work` when it is the organization's turn. */
  async run<Result>(
    organizationId: string,
    work: () => Promise<Result>,
    options?: { weight?: number; signal?: AbortSignal | undefined },
  ): Promise<Result> {
    const end = await this.take(organizationId, options);
    try {
      return await work();
    } finally {
      end();
    }
  }

  #lineOf(organizationId: string, weight: number): Line {
    let line = this.#lines.get(organizationId);
    if (line === undefined) {
      const servedAt = this.#servedAt.get(organizationId) ?? 0;
      line = { organizationId, inUse: 0, weight, servedAt, waiters: new Set() };
      this.#lines.set(organizationId, line);
    }
    line.weight = weight;
    return line;
  }

  #serve(): void {
    while (this.#inUse < this.#limits.atOnce) {
      const next = nextTurn(this.#mayBeServed());
      const [waiter] = next?.waiters ?? [];
      if (next === null || waiter === undefined) return;
      next.waiters.delete(waiter);
      if (next.waiters.size === 0) this.#waiting.delete(next);
      waiter.begin(this.#begin(next));
    }
  }

  *#mayBeServed(): Generator<Line> {
    for (const line of this.#waiting) {
      if (line.inUse < this.#limits.perOrganization) yield line;
    }
  }

  #begin(line: Line): () => void {
    line.inUse += 1;
    this.#inUse += 1;
    line.servedAt = ++this.#serves;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      line.inUse -= 1;
      this.#inUse -= 1;
      this.#forgetIdle(line);
      this.#serve();
    };
  }

  #forgetIdle(line: Line): void {
    if (line.inUse > 0 || line.waiters.size > 0) return;
    const { organizationId } = line;
    this.#lines.delete(organizationId);
    this.#servedAt.delete(organizationId);
    this.#servedAt.set(organizationId, line.servedAt);
    const [oldest] = this.#servedAt.keys();
    if (this.#servedAt.size > rememberedAtMost && oldest !== undefined) this.#servedAt.delete(oldest);
  }
}

/** How many turns an organization has a second before its further ones come after those of others. */
const turnsPerSecond = 20;

/**
 * Numbers the turns of organizations for a line that others serve, and that is ordered by number: of each organization the first one, then the second
 * of each, and so on. A number is used again once the turns before it have had their time, so an organization that asks seldom always has the first.
 */
export class TurnNumbers {
  readonly #atMost: number;
  readonly #given = new Map<string, { level: number; atMs: number }>();

  constructor({ atMost }: { atMost: number }) {
    this.#atMost = atMost;
  }

  /** @param nowMs of a clock that never goes back */
  next(organizationId: string, nowMs: number): number {
    const before = this.#given.get(organizationId);
    const served = before === undefined ? 0 : ((nowMs - before.atMs) / 1_000) * turnsPerSecond;
    const level = Math.min(Math.max(0, (before?.level ?? 0) - served) + 1, this.#atMost);
    this.#given.delete(organizationId);
    this.#given.set(organizationId, { level, atMs: nowMs });
    const [oldest] = this.#given.keys();
    if (this.#given.size > rememberedAtMost && oldest !== undefined) this.#given.delete(oldest);
    return Math.ceil(level);
  }
}
