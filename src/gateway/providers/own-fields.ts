import { ownFields } from '#chat/own-fields.ts'
import type { Body } from '../protocol/protocol.ts'

/** Removes the fields of this service. Unknown fields stay, because they can belong to a provider. */
export function withoutOwnFields(body: Body): Body {
  const sent: Body = {}
  for (const name in body) if (!ownFields.has(name)) sent[name] = body[name]
  return sent
}
