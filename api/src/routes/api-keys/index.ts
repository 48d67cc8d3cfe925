import type { Route } from '../../http/define-route.ts';
import { createApiKey } from './create.ts';
import { listApiKeys } from './list.ts';
import { revokeApiKey } from './revoke.ts';
import { rotateApiKey } from './rotate.ts';

export const apiKeyRoutes: readonly Route[] = [listApiKeys, createApiKey, revokeApiKey, rotateApiKey];
