import type { TestProject } from 'vitest/node';
import { sharedServices } from './shared-services.ts';

/** Vitest calls this once for each project of the run. All projects share one set of services. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { services, release } = await sharedServices();
  project.provide('services', services);
  return release;
}
