import type { Route } from '../../http/define-route.ts';

export const campaignRoutes: readonly Route[] = [];
