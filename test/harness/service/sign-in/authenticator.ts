import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** A passkey of a software authenticator. Tests change the fields to build attacks. */
export type SoftPasskey = {
  id: Buffer
  privateKey: KeyObject
  publicKey: Buffer
  userHandle: string
  counter: number
}

type Ceremony = { challenge: string; origin: string; rpId: string; flags?: number; crossOrigin?: boolean }

const present = 0x01
const verified = 0x04
const hasCredential = 0x40

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest()
const base64url = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64url')

/** CBOR of the few forms that WebAuthn needs: integers, bytes, texts and maps. */
function cbor(value: number | Buffer | string | Map<number | string, unknown>): Buffer {
  const head = (kind: number, size: number) => {
    if (size < 24) return Buffer.from([(kind << 5) | size])
    return size < 256 ? Buffer.from([(kind << 5) | 24, size]) : Buffer.from([(kind << 5) | 25, size >> 8, size & 255])
  }
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const entries = [...value].flatMap(([key, one]) => [cbor(key), cbor(one as string)])
  return Buffer.concat([head(5, value.size), ...entries])
}

/** Creates an ES256 passkey for a user handle, in base64url. */
export function softPasskey(userHandle: string): SoftPasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const bytes = (text = '') => Buffer.from(text, 'base64url')
  const cose = new Map<number, unknown>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, bytes(x)],
    [-3, bytes(y)],
  ])
  return { id: randomBytes(32), privateKey, publicKey: cbor(cose), userHandle, counter: 0 }
}

function authenticatorData(rpId: string, flags: number, counter: number, credential = Buffer.alloc(0)): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, credential])
}

const clientData = (type: string, { challenge, origin, crossOrigin = false }: Ceremony) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }))

const credentialFields = (id: Buffer) => ({
  id: base64url(id),
  rawId: base64url(id),
  type: 'public-key' as const,
  clientExtensionResults: {},
})

/** The response of `navigator.credentials.create()`. */
export function registration(passkey: SoftPasskey, ceremony: Ceremony) {
  const idSize = Buffer.from([0, passkey.id.length])
  const credential = Buffer.concat([Buffer.alloc(16), idSize, passkey.id, passkey.publicKey])
  const flags = ceremony.flags ?? present | verified
  const authData = authenticatorData(ceremony.rpId, flags | hasCredential, passkey.counter, credential)
  const attestation = new Map<string, unknown>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', authData],
  ])
  const clientDataJSON = base64url(clientData('webauthn.create', ceremony))
  return {
    ...credentialFields(passkey.id),
    response: { clientDataJSON, attestationObject: base64url(cbor(attestation)) },
  }
}

/** The response of `navigator.credentials.get()`. */
export function assertion(passkey: SoftPasskey, ceremony: Ceremony & { type?: string }) {
  const { rpId, flags = present | verified, type = 'webauthn.get' } = ceremony
  const data = authenticatorData(rpId, flags, passkey.counter)
  const client = clientData(type, ceremony)
  const signature = sign('sha256', Buffer.concat([data, sha256(client)]), passkey.privateKey)
  return {
    ...credentialFields(passkey.id),
    response: {
      clientDataJSON: base64url(client),
      authenticatorData: base64url(data),
      signature: base64url(signature),
      userHandle: passkey.userHandle,
    },
  }
}
