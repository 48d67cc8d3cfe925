import type { AriClient } from './ari-client.ts';
import { aliveVariableOf, applicationOfAliveVariable, inboundVariableOf, isApplicationOf } from './names.ts';
import type { PolledState } from './poller.ts';
import { clearVariable, setVariable } from './variables.ts';

/** A little more than three polls. */
const silentForMs = 7_000;

/**
 * Tells which processes are alive. A registered application is no proof: some versions of Asterisk list an application as long as any part of it is left, and
 * none notices that a machine lost its network. So each process sets a global variable again and again, and all others receive the event. Clocks of
 * different machines are never compared.
 */
export interface Heartbeat {
  /** Reports that this process is alive. */
  beat(): Promise<void>;
  /** A global variable was set, or cleared if the value is empty. */
  heard(variable: string, value: string): void;
  /** The applications of this row whose processes are alive. */
  alive(present: PolledState): string[];
  /** Reports that this process ends. */
  leave(): Promise<void>;
}

export function createHeartbeat(args: {
  ari: AriClient;
  application: string;
  /** The name of the row in `providers`. */
  provider: string;
  /** Whether this process answers incoming calls. */
  answers: boolean;
  /** A monotonic clock. */
  nowMs: () => number;
}): Heartbeat {
  const { ari, application, provider, answers, nowMs } = args;
  const beganAtMs = nowMs();
  const heardAtMs = new Map<string, number>();
  let beats = 0;
  return {
    async beat() {
      beats += 1;
      await setVariable(ari, [aliveVariableOf(application), String(beats)]);
      // The last process to set the variable gets the next incoming call. If it is gone by then, the dialplan tries again.
      if (answers) await setVariable(ari, [inboundVariableOf(provider), application]);
    },
    heard(variable, value) {
      const other = applicationOfAliveVariable(variable);
      if (other !== null) heardAtMs.set(other, value === '' ? Number.NEGATIVE_INFINITY : nowMs());
    },
    alive(present) {
      const isAlive = (name: string) =>
        name === application || nowMs() - (heardAtMs.get(name) ?? beganAtMs) < silentForMs;
      return present.applications.filter((name) => isApplicationOf(provider, name) && isAlive(name));
    },
    leave: () => clearVariable(ari, aliveVariableOf(application)),
  };
}
