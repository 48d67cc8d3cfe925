import { setTimeout as delay } from 'node:timers/promises';
import type { Tool } from '../tools/tool.ts';

/**
 * A person may pause in a sentence and go on. So long after they seemed to have ended, a tool that cannot be interrupted waits: half a sentence must not book
 * anything.
 */
const sureAfterMs = 1_300;

/** Resolves after a time, or when the signal aborts. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

const sleep: Pause = (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined);

/**
 * Waits before a tool with effects, unless it is an opt-out.
 * @param askedAt when the person seemed to have ended
 */
export async function untilSure(
  tool: Tool | undefined,
  askedAt: number,
  { signal, pause = sleep }: { signal: AbortSignal; pause?: Pause | undefined },
): Promise<void> {
  if (tool?.runsToEnd !== true || tool.runsFirst === true) return;
  const leftMs = sureAfterMs - (performance.now() - askedAt);
  if (leftMs > 0) await pause(leftMs, signal);
}
