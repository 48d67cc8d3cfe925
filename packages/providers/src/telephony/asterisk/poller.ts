import type { ProviderListener } from '@outdial/core';
import type { AriAnswer, AriClient } from './ari-client.ts';
import { applications, channels, type AriChannel } from './ari-events.ts';

/** The current channels and applications. */
export interface PolledState {
  /** Names of the ARI applications with a listener. */
  applications: readonly string[];
  channels: readonly AriChannel[];
}

/** How often a process polls, in addition to events. A call whose process has died waits at least this long for its adopter. */
const everyMs = 2_000;

/** Unanswered polls in a row after which Asterisk counts as down, even if its websocket is open. With timeouts, this takes about 12 s. */
const unansweredAtMost = 2;

/** Polls repeatedly, never twice at the same time. */
export function startPoller(args: {
  ari: AriClient;
  log: ProviderListener['log'];
  isOpen: () => boolean;
  onPolled: (present: PolledState) => Promise<void>;
  /** Asterisk no longer answers requests. */
  onSilence: () => void;
}): { runOnce(): Promise<void>; stop(): void } {
  const { ari, log } = args;

  let unanswered = 0;

  async function look(): Promise<void> {
    const [apps, live] = await Promise.all([
      ari.ask({ method: 'GET', path: '/applications' }),
      ari.ask({ method: 'GET', path: '/channels' }),
    ]);
    unanswered = isAnswer(apps) && isAnswer(live) ? 0 : unanswered + 1;
    if (unanswered >= unansweredAtMost) {
      unanswered = 0;
      return args.onSilence();
    }
    const appsRead = apps.kind === 'done' ? applications.safeParse(apps.body) : null;
    const liveRead = live.kind === 'done' ? channels.safeParse(live.body) : null;
    if (!appsRead?.success || !liveRead?.success || !args.isOpen()) return;
    await args.onPolled({ applications: appsRead.data.map((app) => app.name), channels: liveRead.data });
  }

  let running: Promise<void> | null = null;
  function runOnce(): Promise<void> {
    running ??= look().finally(() => {
      running = null;
    });
    return running;
  }
  const timer = setInterval(() => {
    if (!args.isOpen()) return;
    runOnce().catch((error: unknown) => log.warn({ err: error }, 'polling Asterisk failed'));
  }, everyMs);
  timer.unref();
  return { runOnce, stop: () => clearInterval(timer) };
}

const isAnswer = ({ kind }: AriAnswer): boolean => kind !== 'broken' && kind !== 'not_connected';
