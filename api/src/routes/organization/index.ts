import type { Route } from '../../http/define-route.ts';
import { readOrganization } from './read.ts';
import { updateOrganization } from './update.ts';

export const organizationRoutes: readonly Route[] = [readOrganization, updateOrganization];
