import type { AriClient } from './ari-client.ts';
import { aliveVariableOf, applicationOfAliveVariable, inboundVariableOf, isApplicationOf } from './names.ts';
import type { PolledState } from './poller.ts';
import { clearVariable, setVariable } from './variables.ts';

/** Three polls, and a little. */
const silentForMs = 7_000;

/**
 * Which processes are there. Being registered is not enough: some versions of Asterisk list an application for as long as anything of it is
 * left, and none notices a machine that was cut off. So each process says that it is there by a global variable, which all others
 * hear being set. Clocks of different machines are never compared.
 */
export interface Heartbeat {
  /** Says so of this process. */
  beat(): Promise<void>;
  /** A global variable was set; to nothing, if it was taken away. */
  heard(variable: string, value: string): void;
  /** The applications of this row whose processes are there. */
  alive(present: PolledState): string[];
  /** This process is no longer there. */
  leave(): Promise<void>;
}

export function createHeartbeat(args: {
  ari: AriClient;
  application: string;
  /** The row of `providers`. */
  provider: string;
  /** Whether this process answers calls that come in. */
  answers: boolean;
  /** Milliseconds that only go forward. */
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
      // The last to say so gets the next call; should its process be gone by then, the dialplan asks again.
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
