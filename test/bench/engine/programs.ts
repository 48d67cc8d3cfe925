import type { Program } from './program.ts';
import { api } from './rows/api.ts';
import { campaignSize } from './rows/campaign-size.ts';
import { compliance } from './rows/compliance.ts';
import { creation } from './rows/creation.ts';
import { firstDial } from './rows/first-dial.ts';
import { forecast } from './rows/forecast.ts';
import { idle } from './rows/idle.ts';
import { knowledgeBase } from './rows/knowledge-base.ts';
import { limits } from './rows/limits.ts';
import { lines } from './rows/lines.ts';
import { manyCampaigns } from './rows/many-campaigns.ts';
import { pause } from './rows/pause.ts';
import { throughput } from './rows/throughput.ts';
import { voice } from './rows/voice.ts';
import { webhooks } from './rows/webhooks.ts';
import { writes } from './rows/writes.ts';
import { workers } from './rows/workers.ts';

/** All programs, in the order of the page. */
export const programs: readonly Program[] = [
  throughput,
  campaignSize,
  writes,
  manyCampaigns,
  idle,
  firstDial,
  lines,
  pause,
  limits,
  compliance,
  forecast,
  api,
  creation,
  workers,
  knowledgeBase,
  webhooks,
  voice,
];
