import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes } from 'node:crypto'

/**
 * Encrypts secrets at rest. `context` is authenticated with the secret, usually the id of its row: a secret that is copied
 * to another row cannot be decrypted.
 */
export type Vault = {
  /** Identifies the key without revealing it. */
  keyName: string
  seal: (secret: string, context: string) => string
  /** Decrypts a text. @throws Error if the text was changed, or encrypted for another context or with another key. */
  open: (sealed: string, context: string) => string
  sealBytes: (bytes: Buffer, context: string) => string
  /** @throws Error as `open`. */
  openBytes: (sealed: string, context: string) => Buffer
  /** Returns an HMAC, which is equal for equal secrets of one context. */
  digest: (secret: string, context: string) => string
}

const nonceBytes = 12
const tagBytes = 16

/** AES-256-GCM. @param key 32 bytes. */
export function createVault(key: Buffer): Vault {
  function sealBytes(secret: Buffer, context: string): string {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
    const sealed = Buffer.concat([cipher.update(secret), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
  }
  function openBytes(sealed: string, context: string): Buffer {
    const bytes = Buffer.from(sealed, 'base64')
    const tagEnd = nonceBytes + tagBytes
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(nonceBytes, tagEnd))
    return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()])
  }
  return {
    keyName: hash('sha256', Buffer.concat([Buffer.from('signalbox key name '), key]), 'hex').slice(0, 16),
    seal: (secret, context) => sealBytes(Buffer.from(secret), context),
    open: (sealed, context) => openBytes(sealed, context).toString('utf8'),
    sealBytes,
    openBytes,
    digest: (secret, context) => createHmac('sha256', key).update(`${context}\0${secret}`).digest('hex'),
  }
}
