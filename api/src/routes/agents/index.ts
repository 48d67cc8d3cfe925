import type { Route } from '../../http/define-route.ts';
import { makeCall } from './call.ts';
import { listAgentCalls } from './list-calls.ts';
import { readAgent } from './read.ts';

export const agentRoutes: readonly Route[] = [makeCall, readAgent, listAgentCalls];
