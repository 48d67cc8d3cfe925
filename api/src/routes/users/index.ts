import type { Route } from '../../http/define-route.ts';
import { createSignInLink } from './create-sign-in-link.ts';
import { createUser } from './create.ts';
import { listUsers } from './list.ts';
import { updateUser } from './update.ts';

export const userRoutes: readonly Route[] = [listUsers, createUser, updateUser, createSignInLink];
