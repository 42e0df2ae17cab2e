import { hash, randomBytes } from 'node:crypto'

const keyPattern = /^sb-v1-[0-9a-f]{64}$/

/** Creates a key: `sb-v1-` and 64 hexadecimal digits. It is shown once; only its hash is stored. */
export function newSecret(): string {
  return `sb-v1-${randomBytes(32).toString('hex')}`
}

export function isSecret(text: string): boolean {
  return keyPattern.test(text)
}

/** Returns the SHA-256 of the whole key in hex, which identifies it in the database and in the API. */
export function hashOf(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** Returns the start and end of a key, by which people recognize it: `sb-v1-abc…123`. */
export function keyLabel(secret: string): string {
  return `${secret.slice(0, 9)}…${secret.slice(-3)}`
}
