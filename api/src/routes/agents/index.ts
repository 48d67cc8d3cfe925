import type { Route } from '../../http/define-route.ts';
import { makeCall } from './call.ts';
import { createAgent } from './create.ts';
import { deleteAgent } from './delete.ts';
import { listAgentCalls } from './list-calls.ts';
import { listAgents } from './list.ts';
import { addPrompt, listPrompts } from './prompts.ts';
import { readAgent } from './read.ts';
import { updateAgent } from './update.ts';
import { makeWebCall } from './web-call.ts';

export const agentRoutes: readonly Route[] = [
  makeCall,
  makeWebCall,
  listAgents,
  createAgent,
  readAgent,
  updateAgent,
  deleteAgent,
  listAgentCalls,
  addPrompt,
  listPrompts,
];
