import { envFragment, envVariable } from '@outdial/runtime';
import { z } from 'zod';
import type { TelephonyAdapter } from '../adapter.ts';
import { createSimulator } from './simulator.ts';
import type { SimulatorTimes } from './timeline.ts';

const { integer, withDefault } = envVariable;

const defaults: SimulatorTimes = { ringMs: 1_000, talkMs: 3_000 };

const rowSettings = z.object({
  ring_ms: z.int().min(0).max(600_000).optional(),
  talk_ms: z.int().min(0).max(3_600_000).optional(),
});

export const simulatorAdapter = {
  name: 'simulator',
  environment: envFragment(
    {
      SIMULATOR_RING_MS: withDefault(
        integer(0, 600_000),
        String(defaults.ringMs),
        'How long the simulator lets a phone ring.',
      ),
      SIMULATOR_TALK_MS: withDefault(
        integer(0, 3_600_000),
        String(defaults.talkMs),
        'How long a simulated conversation lasts.',
      ),
    },
    (env): SimulatorTimes => ({ ringMs: env.SIMULATOR_RING_MS, talkMs: env.SIMULATOR_TALK_MS }),
  ),
  requiredVariables: [],
  rowSettings,
  firstCallsPerSecond: null,
  build(row, { installation = defaults }) {
    const own = rowSettings.safeParse(row.settings);
    if (!own.success) return null;
    const times = {
      ringMs: own.data.ring_ms ?? installation.ringMs,
      talkMs: own.data.talk_ms ?? installation.talkMs,
    };
    return createSimulator({ name: row.name, times });
  },
} satisfies TelephonyAdapter<'simulator', SimulatorTimes>;
