import { expect, test } from 'vitest';
import { nearestPath } from './nearest-path.ts';

const templates = [
  '/api/v1/campaigns',
  '/api/v1/campaigns/{campaign_id}',
  '/api/v1/campaigns/{campaign_id}/recipients',
  '/api/v1/calls/{call_id}',
  '/api/v1/calls',
];

test.each([
  ['/api/v1/campaign', '/api/v1/campaigns'],
  ['/api/v1/campaign/', '/api/v1/campaigns'],
  ['/campaigns', '/api/v1/campaigns'],
  ['/v1/calls/7', '/api/v1/calls/7'],
  ['/api/v2/calls', '/api/v1/calls'],
  ['/api/v1/campaigns/7/recipient', '/api/v1/campaigns/7/recipients'],
  ['/api/v1/contacts', null],
  ['/', null],
  ['/favicon.ico', null],
  [`/api/v1/campaign/${'7'.repeat(200)}`, null],
])('%s was probably meant to be %s', (path, meant) => {
  expect(nearestPath(path, templates)).toBe(meant);
});
