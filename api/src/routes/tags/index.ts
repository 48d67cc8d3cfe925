import type { Route } from '../../http/define-route.ts';
import { listTags } from './list.ts';

export const tagRoutes: readonly Route[] = [listTags];
