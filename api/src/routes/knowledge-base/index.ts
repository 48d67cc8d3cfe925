import type { Route } from '../../http/define-route.ts';

export const knowledgeBaseRoutes: readonly Route[] = [];
