import type { Route } from '../../http/define-route.ts';
import { readDisclosures } from './read.ts';

export const disclosureRoutes: readonly Route[] = [readDisclosures];
