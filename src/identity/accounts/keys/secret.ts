import { hash, randomBytes } from 'node:crypto'

const form = /^sb-v1-[0-9a-f]{64}$/

/** A fresh key: `sb-v1-` and 64 hexadecimal digits. Shown once; only its hash is kept. */
export function newSecret(): string {
  return `sb-v1-${randomBytes(32).toString('hex')}`
}

export function isSecret(text: string): boolean {
  return form.test(text)
}

/** SHA-256 of the whole key in hex: its name in the database and in the API. */
export function hashOf(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** Enough of a key to recognise it by, and no more: `sb-v1-abc…123`. */
export function labelOf(secret: string): string {
  return `${secret.slice(0, 9)}…${secret.slice(-3)}`
}
