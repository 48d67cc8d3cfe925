import { OutdialError } from './api.ts';

/**
 * Uploads a file, and reports progress from 0 to 1. `fetch` cannot report it, so this request does not use the client.
 * @throws OutdialError
 */
export function upload(
  method: 'POST' | 'PUT',
  path: string,
  file: File,
  onShare: (share: number) => void,
): Promise<void> {
  const form = new FormData();
  form.append('file', file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, path);
    request.setRequestHeader('X-Outdial-Console', '1');
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onShare(total > 0 ? loaded / total : 0),
    );
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else {
        reject(
          new OutdialError(new Response(null, { status: request.status }), parsed(request.responseText)),
        );
      }
    });
    request.addEventListener('error', () => reject(new TypeError('the upload was cut off')));
    request.send(form);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
