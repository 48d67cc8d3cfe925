import type { ScenarioWorld } from './world.ts';

const stepSeconds = 3;

/** Advances the clock in steps, and after each runs the sweeps and the jobs that they publish. */
export async function timeGoesBy(world: ScenarioWorld, seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left -= stepSeconds) {
    await world.clock.advance(Math.min(left, stepSeconds) * 1_000);
    await world.sweep();
    await world.engine.settle();
  }
}
