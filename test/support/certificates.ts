import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const hasOpenssl = existsSync('/usr/bin/openssl');

/** An authority of our own. The certificates that it issues are in a temporary folder. */
export interface Authority {
  folder: string;
  certificate: string;
  issue(name: string): { certificate: string; key: string };
  remove(): void;
}

export function createAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'outdial-certificates-'));
  const certificate = join(folder, 'ca.pem');
  const caKey = join(folder, 'ca.key');
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...newKey, '-subj', '/CN=test authority', '-keyout', caKey, '-out', certificate);
  return {
    folder,
    certificate,
    issue(name) {
      const file = (ending: string) => join(folder, `${name}.${ending}`);
      openssl('req', '-new', ...newKey, '-subj', `/CN=${name}`, '-keyout', file('key'), '-out', file('csr'));
      writeFileSync(file('ext'), `subjectAltName=DNS:${name}`);
      const by = ['-CA', certificate, '-CAkey', caKey, '-CAcreateserial', '-extfile', file('ext')];
      openssl('x509', '-req', '-in', file('csr'), ...by, '-out', file('pem'));
      return { certificate: file('pem'), key: file('key') };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
