export { type CheckedFetch, createCheckedFetch } from './checked-fetch.ts';
export { rehearsedTools } from './rehearsed-tools.ts';
export type { SearchKnowledge } from './knowledge-base-tool.ts';
export { type CallNote, defineTool, type Tool, type ToolOutcome } from './tool.ts';
export { type ToolReach, toolsOfAgent } from './tools-of-agent.ts';
