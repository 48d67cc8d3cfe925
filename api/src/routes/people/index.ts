import type { Route } from '../../http/define-route.ts';
import { erasePerson } from './erase.ts';
import { listErasures, readErasure } from './erasures.ts';
import { exportPerson } from './export.ts';

export const peopleRoutes: readonly Route[] = [exportPerson, erasePerson, listErasures, readErasure];
