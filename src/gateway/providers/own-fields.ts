import { ownFields } from '#chat/own-fields.ts'
import type { Body } from '../protocol/protocol.ts'

/** The body as an upstream may see it. Whatever is not known here passes: it may be a provider's own. */
export function withoutOwnFields(body: Body): Body {
  const sent: Body = {}
  for (const name in body) if (!ownFields.has(name)) sent[name] = body[name]
  return sent
}
