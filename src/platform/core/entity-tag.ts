import { createHash } from 'node:crypto'
import { Fault } from './fault.ts'

/** A kind of stored object, and the fields of its public form that its entity tag covers: those that clients can change. */
export type EntityKind = { kind: string; fields: readonly string[] }

/** The headers `If-Match` and `If-None-Match: *` of a request, and the kind of object that they refer to. */
export type Precondition = { entity: EntityKind; ifMatch?: string | undefined; isNew?: boolean | undefined }

/** Returns the entity tag (RFC 9110) of an object in its public form. Computed fields, such as spending, do not change it. */
export function entityTag({ kind, fields }: EntityKind, state: object): string {
  const values = fields.map((field) => (state as Record<string, unknown>)[field] ?? null)
  const digest = createHash('sha256')
    .update(JSON.stringify([kind, sortFields(values)]))
    .digest('base64url')
  // 22 characters are 132 bits, which is enough to make collisions impossible in practice.
  return `"${digest.slice(0, 22)}"`
}

/** Sorts the fields of objects, because their order has no meaning. */
function sortFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortFields)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, field]) => [name, sortFields(field)])
}

/**
 * Requires the state of an object that the client has read, or its absence. Call it in the transaction of the change.
 * @param currentState the public form before the change; null if the object did not exist.
 * @throws Fault `precondition_failed` if the object does not fulfil the precondition.
 */
export function requireMatch({ entity, ifMatch, isNew }: Precondition, currentState: object | null): void {
  if (isNew && currentState !== null) throw preconditionFailed(entity, 'exists already')
  if (ifMatch === undefined) return
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  if (currentState !== null && (tags.includes('*') || tags.includes(entityTag(entity, currentState)))) return
  throw preconditionFailed(entity, currentState === null ? 'does not exist' : 'has changed since you read it')
}

const preconditionFailed = ({ kind }: EntityKind, reason: string) =>
  new Fault(
    'precondition_failed',
    `The ${kind} ${reason}. Read it again, and repeat your change if it still applies.`,
    { metadata: { reason: 'changed_meanwhile' } },
  )
