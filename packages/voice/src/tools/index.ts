export { type CheckedFetch, createCheckedFetch } from './checked-fetch.ts';
export { withToolAnswers } from './with-tool-answers.ts';
export type { SearchKnowledge } from './knowledge-base-tool.ts';
export { type CallNote, defineTool, type Tool, type ToolOutcome } from './tool.ts';
export { type ToolContext, toolsOfAgent } from './tools-of-agent.ts';
