#!/usr/bin/env node
/*
 * The health check of a container: asks its process for /readyz, prints the answer for `docker inspect`, and ends with 0 when it is
 * ready. A file of its own, since a command with spaces and colons does not survive every reader of docker-compose.yml.
 */
const port = process.env.HEALTH_PORT || process.env.PORT || '3000';

try {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) });
  process.stdout.write(`${await answer.text()}\n`);
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  process.stdout.write(`no answer on port ${port}: ${error.cause?.code ?? error.message}\n`);
  process.exitCode = 1;
}
