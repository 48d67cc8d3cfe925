/** Values for examples, so that examples share their ids. Every number is reserved for fiction. */
export const exampleIds = {
  organization: '0195d2ea-1a05-7e17-8f19-b0c1d2e3f4a5',
  user: '0195d2eb-2b16-7f28-9a2a-c1d2e3f4a5b6',
  agent: '0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d',
  campaign: '0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e',
  call: '0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f',
  recipient: '0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f',
  tag: '0195d2f2-1b3c-7d4e-9f50-6b7c8d9e0f1a',
  knowledgeBase: '0195d2f3-2c4d-7e5f-8061-7c8d9e0f1a2b',
  item: '0195d2f4-3d5e-7f60-9172-8d9e0f1a2b3c',
  endpoint: '0195d2f5-4e6f-7071-8283-9e0f1a2b3c4d',
  delivery: '0195d2f6-5f70-7182-9394-0f1a2b3c4d5e',
  event: '019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e',
} as const;

export const exampleNumbers = ['+15550100123', '+15550100124', '+442079460958'] as const;
