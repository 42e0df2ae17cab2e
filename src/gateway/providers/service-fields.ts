import { serviceOnlyFields } from '#chat/fields/service-only-fields.ts'
import type { Body } from '../protocol/request-body.ts'

/** Removes the fields of this service. Unknown fields stay, because a provider can define them. */
export function withoutServiceFields(body: Body): Body {
  const sent: Body = {}
  for (const name in body) if (!serviceOnlyFields.has(name)) sent[name] = body[name]
  return sent
}
