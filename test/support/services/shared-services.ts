import type { TestServices } from './services.ts';
import type { StartedServices } from './start-services.ts';
import { startServices } from './start-services.ts';

interface Shared {
  users: number;
  started: Promise<StartedServices>;
}

// Vitest loads the setup of each project separately, so a variable of this module would exist twice.
const key = Symbol.for('outdial.test-services');
const shelf = globalThis as { [key]?: Shared };

/** The services of this run. The first caller starts them, and the last release stops them. */
export async function sharedServices(): Promise<{ services: TestServices; release: () => Promise<void> }> {
  const shared = (shelf[key] ??= { users: 0, started: startServices() });
  shared.users += 1;
  const { services, stop } = await shared.started;
  return {
    services,
    release: async () => {
      shared.users -= 1;
      if (shared.users > 0) return;
      delete shelf[key];
      await stop();
    },
  };
}
