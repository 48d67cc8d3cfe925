export { type CallNote, defineTool, type Tool, type ToolOutcome } from './tool.ts';
