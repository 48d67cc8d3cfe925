import type { Logger } from '@outdial/runtime';
import type { Request, Response } from 'express';
import type { Authenticate } from './authenticate.ts';
import { endAnswer } from './caller-gone.ts';
import { ForbiddenRoleError, type HttpError, RetryLaterError, UnauthorizedError } from './errors.ts';
import { type Principal, requireRole } from './principal.ts';
import type { Role } from '@outdial/contracts';

/** Callers are promised that an answer in progress ends within two seconds of the loss of their right to it. */
const lookEveryMs = 500;

export interface OpenAnswer {
  readonly req: Request;
  readonly res: Response;
  readonly principal: Principal;
  readonly authenticate: Authenticate;
  readonly roles: readonly Role[];
  /** A change that has not begun to answer is judged by its transaction. */
  readonly isRead: boolean;
}

/** The erasures of an organization so far, and the instant of the newest one. */
export interface ErasuresSoFar {
  count: number;
  newest: Date;
}

interface Watched extends OpenAnswer {
  readonly since: Date;
  /** Unknown until the first look. */
  erasures: number | null;
}

/**
 * Ends answers whose caller has lost the right to them: the key or the session was revoked, the user disabled or demoted, or a person erased whose
 * data may be in the rest of the answer. One that has begun is cut; another becomes 401, 403 or, where the caller can ask again, 503.
 *
 * One loop for all answers of the process. It asks about those that take longer than half a second; the credentials of others were judged just before.
 */
export class OpenAnswers {
  readonly #now: () => Date;
  readonly #erasures: (organizationIds: readonly string[]) => Promise<ReadonlyMap<string, ErasuresSoFar>>;
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  readonly #open = new Set<Watched>();
  #timer: NodeJS.Timeout | null = null;
  #isLooking = false;

  constructor(options: {
    now: () => Date;
    erasures: (organizationIds: readonly string[]) => Promise<ReadonlyMap<string, ErasuresSoFar>>;
    log: Pick<Logger, 'info' | 'warn'>;
  }) {
    this.#now = options.now;
    this.#erasures = options.erasures;
    this.#log = options.log;
  }

  /** Call the returned function when the answer is over. */
  watch(answer: OpenAnswer): () => void {
    const watched: Watched = { ...answer, since: this.#now(), erasures: null };
    this.#open.add(watched);
    this.#timer ??= setInterval(() => void this.#look(), lookEveryMs).unref();
    return () => {
      this.#open.delete(watched);
      if (this.#open.size > 0 || this.#timer === null) return;
      clearInterval(this.#timer);
      this.#timer = null;
    };
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const before = this.#now().getTime() - lookEveryMs;
      const open = [...this.#open].filter(
        (one) => (one.isRead || one.res.headersSent) && one.since.getTime() <= before,
      );
      if (open.length === 0) return;
      await Promise.all(open.map((one) => this.#judge(one)));
      await this.#cutErased(open);
    } catch (error) {
      this.#log.warn({ err: error }, 'the rights of callers with answers in progress could not be checked');
    } finally {
      this.#isLooking = false;
    }
  }

  async #judge(one: Watched): Promise<void> {
    try {
      requireRole(await one.authenticate(one.req), one.roles);
    } catch (error) {
      if (!(error instanceof UnauthorizedError || error instanceof ForbiddenRoleError)) throw error;
      this.#end(one, error);
    }
  }

  async #cutErased(open: readonly Watched[]): Promise<void> {
    const erasures = await this.#erasures([...new Set(open.map((one) => one.principal.organizationId))]);
    for (const one of open) {
      const so = erasures.get(one.principal.organizationId) ?? { count: 0, newest: new Date(0) };
      const isErased = one.erasures === null ? so.newest > one.since : so.count > one.erasures;
      if (isErased) this.#end(one, erasedMeanwhile());
      one.erasures = so.count;
    }
  }

  #end(one: Watched, reason: HttpError): void {
    this.#open.delete(one);
    this.#log.info(
      { organization_id: one.principal.organizationId, reason: reason.code },
      'ended an answer in progress',
    );
    endAnswer(one.res, reason);
  }
}

function erasedMeanwhile(): RetryLaterError {
  return new RetryLaterError(503, 'erased_meanwhile', 'A person was erased while this was read: ask again', {
    retryAfterSeconds: 1,
  });
}
