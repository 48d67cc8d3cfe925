import type { Route } from '../../http/define-route.ts';
import { readUsage } from './read.ts';

export const usageRoutes: readonly Route[] = [readUsage];
