import type { TelephonyProvider } from '@outdial/core';
import { z } from 'zod';
import { createSimulator } from './simulator/simulator.ts';
import type { SimulatorTimes } from './simulator/timeline.ts';

/** What the installation's environment says about carriers. */
export interface TelephonySettings {
  simulator: SimulatorTimes;
}

/** A row of `providers`, as far as its adapter goes. */
export interface ProviderRow {
  name: string;
  adapter: string;
  settings: Record<string, unknown>;
}

export const adapters = ['simulator'] as const;

const simulatorSettings = z.object({
  ring_ms: z.int().min(0).optional(),
  talk_ms: z.int().min(0).optional(),
});

/** The adapter of a provider; null where this build has none of that name, or the row's settings do not fit. */
export function buildProvider(row: ProviderRow, settings: TelephonySettings): TelephonyProvider | null {
  switch (row.adapter) {
    case 'simulator': {
      const own = simulatorSettings.safeParse(row.settings);
      if (!own.success) return null;
      return createSimulator({
        name: row.name,
        times: {
          ringMs: own.data.ring_ms ?? settings.simulator.ringMs,
          talkMs: own.data.talk_ms ?? settings.simulator.talkMs,
        },
      });
    }
    default:
      return null;
  }
}
