import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'
const secretBytes = 32

/** Creates a secret in the format of the Standard Webhooks libraries. */
export const createSecret = () => prefix + randomBytes(secretBytes).toString('base64')

type SignedContent = { id: string; timestamp: number; body: string }

/** Returns the headers of Standard Webhooks, signed with each secret. @param timestamp in seconds since the epoch. */
export function signHeaders(
  secrets: readonly string[],
  { id, timestamp, body }: SignedContent,
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') }
}
