export { createMcpServer, type McpOptions } from './create-server.ts';
export { serveHttp, type HttpOptions, type HttpServer } from './serve-http.ts';
export { serveStdio } from './serve-stdio.ts';
