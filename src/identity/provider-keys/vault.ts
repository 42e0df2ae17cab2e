import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes } from 'node:crypto'

/** Encrypts secrets at rest. A secret is bound to its place, and cannot be decrypted for another one. */
export type Vault = {
  /** Identifies the key without revealing it. */
  keyName: string
  seal: (secret: string, place: string) => string
  /** Decrypts a text. @throws Error if it was changed, moved to another place, or encrypted with another key. */
  open: (sealed: string, place: string) => string
  sealBytes: (bytes: Buffer, place: string) => string
  /** @throws Error as `open`. */
  openBytes: (sealed: string, place: string) => Buffer
  /** Returns a keyed digest that is equal for equal secrets of one place. It reveals nothing without the key. */
  digest: (secret: string, place: string) => string
}

const nonceBytes = 12
const tagBytes = 16

/** AES-256-GCM. @param key 32 bytes. */
export function createVault(key: Buffer): Vault {
  function sealBytes(secret: Buffer, place: string): string {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
    const sealed = Buffer.concat([cipher.update(secret), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
  }
  function openBytes(sealed: string, place: string): Buffer {
    const bytes = Buffer.from(sealed, 'base64')
    const tagEnd = nonceBytes + tagBytes
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(nonceBytes, tagEnd))
    return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()])
  }
  return {
    keyName: hash('sha256', Buffer.concat([Buffer.from('signalbox key name '), key]), 'hex').slice(0, 16),
    seal: (secret, place) => sealBytes(Buffer.from(secret), place),
    open: (sealed, place) => openBytes(sealed, place).toString('utf8'),
    sealBytes,
    openBytes,
    digest: (secret, place) => createHmac('sha256', key).update(`${place}\0${secret}`).digest('hex'),
  }
}
