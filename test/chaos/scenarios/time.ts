import type { ScenarioWorld } from './world.ts';

/**
 * Advances the clock, runs the sweeps, and runs the jobs that they publish, second by second. With longer steps, scenarios would end between the
 * repetition of a send and its record.
 */
export async function timeGoesBy(world: ScenarioWorld, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await world.clock.advance(1_000);
    await world.sweep();
    await world.engine.settle();
  }
}
