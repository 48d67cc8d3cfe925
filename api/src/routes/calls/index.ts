import type { Route } from '../../http/define-route.ts';
import { readCall } from './read.ts';
import { readRecording } from './recording.ts';

export const callRoutes: readonly Route[] = [readCall, readRecording];
