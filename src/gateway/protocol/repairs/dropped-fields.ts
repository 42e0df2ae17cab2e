import type { Body } from '../request-body.ts'

/** The most names in the header `x-fields-left-out`, which lists the fields that a provider does not get. */
export const maxDroppedNames = 20

/** Adds the name of a field to the dropped fields of a request, once, up to the maximum of the header. */
export function noteDropped(dropped: string[], name: string): void {
  if (dropped.length < maxDroppedNames && !dropped.includes(name)) dropped.push(name)
}

/** The default values of settings. The removal of a default is not reported. */
const defaults: Body = { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0, logprobs: false }

/** Returns the body without these fields. Adds the names of removed fields to `dropped`, unless they had their default. */
export function withoutSettings(body: Body, names: readonly string[], dropped: string[]): Body {
  const present = names.filter((name) => body[name] !== undefined)
  if (present.length === 0) return body
  const rest = { ...body }
  for (const name of present) {
    if (body[name] != null && body[name] !== defaults[name]) noteDropped(dropped, name)
    delete rest[name]
  }
  return rest
}
