#!/usr/bin/env node
/*
 * The health check of a container: requests /readyz, prints the answer for `docker inspect`, and exits with 0 if the process is ready. A separate file,
 * because some readers of docker-compose.yml break a command with spaces and colons.
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
