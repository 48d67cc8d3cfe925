import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { curlLines } from './curl-lines.ts';
import { reminderAgent } from './demo-agents.ts';

const values = z.record(z.string(), z.string());
const campaign = z.object({
  phone_numbers: z.array(z.string()),
  additional_params: z.object({
    prompt_params: values,
    recipients: z.record(z.string(), z.object({ prompt_params: values })),
  }),
});
const call = z.object({ prompt_params: values });

const prompt = reminderAgent.prompts[0]?.prompt ?? '';
const placeholders = [...prompt.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name ?? '');

/** What the agent would say in braces. */
const placeholdersLeft = (params: Readonly<Record<string, string>>) =>
  placeholders.filter((name) => !Object.hasOwn(params, name));

test("the README's first campaign fills every placeholder", async () => {
  const readme = await readFile(new URL('../../../../README.md', import.meta.url), 'utf8');
  const body = /-d '(\{\s+"name": "First campaign"[\s\S]*?\})'\n/.exec(readme)?.[1] ?? '';
  const { phone_numbers: numbers, additional_params: params } = campaign.parse(
    JSON.parse(body.replace(`'$agent'`, '')),
  );
  expect(numbers.length).toBeGreaterThan(0);
  for (const number of numbers) {
    const own = params.recipients[number]?.prompt_params;
    expect(placeholdersLeft({ ...params.prompt_params, ...own })).toEqual([]);
  }
});

test('nor does the call that the start suggests', () => {
  const lines = curlLines({ baseUrl: '', agentId: '', keys: { manager: '', viewer: '' } });
  const body = lines.map((line) => /-d '(.*?)'/.exec(line)?.[1]).find((found) => found !== undefined);
  expect(placeholdersLeft(call.parse(JSON.parse(body ?? '')).prompt_params)).toEqual([]);
});
