import { complianceMutations } from './compliance-mutations.ts';
import { databaseMutations } from './database-mutations.ts';
import { dialMutations } from './dial-mutations.ts';
import { gateMutations } from './gate-mutations.ts';
import { progressMutations } from './progress-mutations.ts';
import { repairMutations } from './repair-mutations.ts';
import { webhookMutations } from './webhook-mutations.ts';
import type { Mutation } from './mutation.ts';

export const allMutations: readonly Mutation[] = [
  ...gateMutations,
  ...dialMutations,
  ...databaseMutations,
  ...complianceMutations,
  ...progressMutations,
  ...repairMutations,
  ...webhookMutations,
].map((one) => ('edits' in one ? one : { ...one, edits: [one] }));
