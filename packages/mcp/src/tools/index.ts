import type { Tool } from '../tool.ts';
import { campaignReads } from './campaign-reads.ts';
import { changes } from './changes.ts';
import { organizationReads } from './organization-reads.ts';
import { previewStart, startingTools } from './starting.ts';

export const tools: readonly Tool[] = [
  ...campaignReads,
  ...organizationReads,
  previewStart,
  ...startingTools,
  ...changes,
];
