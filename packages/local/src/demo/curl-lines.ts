/** Requests to paste into a shell. */
export function curlLines(args: {
  baseUrl: string;
  agentId: string;
  keys: { manager: string; viewer: string };
}): string[] {
  const { baseUrl, agentId, keys } = args;
  const agent = `${baseUrl}/api/v1/agents/${agentId}`;
  const call = JSON.stringify({
    to_phone: '+12125550123',
    prompt_params: { name: 'Grace', treatment: 'a check-up', day: 'Tuesday', time: '10:00' },
  });
  return [
    `curl -s -H 'X-API-Key: ${keys.viewer}' ${agent}`,
    `curl -s -H 'X-API-Key: ${keys.manager}' -H 'Content-Type: application/json' -d '${call}' ${agent}/call`,
    `curl -s -H 'X-API-Key: ${keys.viewer}' '${agent}/calls?size=3'`,
  ];
}
