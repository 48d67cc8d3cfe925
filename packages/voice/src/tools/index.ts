export { createCheckedFetch } from './checked-fetch.ts';
export { withToolAnswers } from './with-tool-answers.ts';
export { type CallNote, defineTool, type Tool } from './tool.ts';
