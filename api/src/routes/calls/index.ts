import type { Route } from '../../http/define-route.ts';
import { annotateCall } from './annotate.ts';
import { hangUpCall } from './hang-up.ts';
import { listCalls } from './list.ts';
import { readCall } from './read.ts';
import { readRecording } from './recording.ts';

export const callRoutes: readonly Route[] = [listCalls, readCall, annotateCall, hangUpCall, readRecording];
