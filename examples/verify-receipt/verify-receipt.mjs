// Verifies one receipt against a root that you kept. Needs only Node.js: node verify-receipt.mjs PROOF.json SEALS.json
// PROOF.json is the answer of GET /receipt-proofs/{id}; SEALS.json is an answer of GET /receipt-seals that you stored when it was made.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [proof, seals] = process.argv.slice(2, 4).map((file) => JSON.parse(readFileSync(file, 'utf8')).data);
const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
const hex = (text) => sha256(text).toString('hex');

function check(holds, reason) {
  if (holds) return;
  process.stderr.write(`NOT VERIFIED: ${reason}\n`);
  process.exit(1);
}

// The signed statement is the one that was kept.
const text = proof.statement;
const statement = JSON.parse(text);
const { number, day, leaves, root, public_key: publicKey, sealed_at: sealedAt } = statement;
check(
  seals.items.find((seal) => seal.number === number)?.statement === text,
  `seal ${number} is not among those that you stored, or is another one`,
);
const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
check(verify(null, Buffer.from(text), key, Buffer.from(proof.signature, 'base64')), 'the signature is wrong');

// The leaf is in the tree (RFC 9162, section 2.1.3.2).
let at = proof.index;
let last = leaves - 1;
let hash = sha256(Buffer.of(0), proof.leaf);
for (const step of proof.path.map((hash) => Buffer.from(hash, 'hex'))) {
  check(last > 0, 'the path is too long');
  const isRight = at % 2 === 1 || at === last;
  hash = isRight ? sha256(Buffer.of(1), step, hash) : sha256(Buffer.of(1), hash, step);
  while (isRight && at % 2 === 0 && at !== 0) [at, last] = [at >> 1, last >> 1];
  [at, last] = [at >> 1, last >> 1];
}
check(last === 0 && hash.toString('hex') === root, 'the receipt was changed after it was sealed');

// The texts are those whose hashes the leaf has.
const leaf = JSON.parse(proof.leaf);
const hashOfNumber = proof.salt === null ? undefined : hex(proof.salt + proof.phone_number);
check(hashOfNumber === leaf.phone_number_sha256, 'the phone number was changed');
for (const name of ['grounds', 'release', 'consent']) {
  check(proof[name] === null || hex(proof[name]) === leaf[`${name}_sha256`], `the ${name} was changed`);
}
const place = `number ${proof.index + 1} of ${leaves} of seal ${number} for ${day}, made at ${sealedAt}`;
process.stdout.write(`VERIFIED: ${place}\n${JSON.stringify(leaf, null, 2)}\n`);
