import { parseArgs } from 'node:util';
import { z } from 'zod';

export interface ChaosOptions {
  seed: number;
  recipients: number;
  /** The run fails if it takes longer. */
  minutes: number;
  /** How long faults start. After that, all campaigns must finish. */
  faultSeconds: number;
  workers: number;
  callsPerSecond: number;
  short: boolean;
  only: 'failover' | 'faults' | 'rolling' | 'scenarios' | null;
}

export const usage = `npm run chaos -- [--short] [--seed N] [--recipients N] [--minutes N] [--fault-seconds N] [--workers N]
               [--calls-per-second N] [--only failover|faults|rolling|scenarios]`;

const whole = z.coerce.number().int().min(1);

/** Options of the command line. CHAOS_SEED also sets the seed. */
export function readOptions(argv: readonly string[]): ChaosOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seed: { type: 'string' },
      recipients: { type: 'string' },
      minutes: { type: 'string' },
      'fault-seconds': { type: 'string' },
      workers: { type: 'string' },
      'calls-per-second': { type: 'string' },
      only: { type: 'string' },
      short: { type: 'boolean', default: false },
    },
  });
  const { short } = values;
  const seed = values.seed ?? process.env['CHAOS_SEED'];
  return {
    seed: seed === undefined ? Math.floor(Math.random() * 1_000_000) : whole.parse(seed),
    recipients: whole.parse(values.recipients ?? (short ? 200 : 2_000)),
    minutes: z.coerce
      .number()
      .positive()
      .parse(values.minutes ?? (short ? 10 : 14)),
    faultSeconds: whole.parse(values['fault-seconds'] ?? (short ? 30 : 240)),
    workers: whole.parse(values.workers ?? (short ? 2 : 3)),
    callsPerSecond: whole.parse(values['calls-per-second'] ?? (short ? 10 : 24)),
    short,
    only: z
      .enum(['failover', 'faults', 'rolling', 'scenarios'])
      .nullable()
      .parse(values.only ?? null),
  };
}
