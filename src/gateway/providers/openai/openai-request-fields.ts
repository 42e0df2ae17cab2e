import { hashId } from '#chat/hash-id.ts'
import { withoutSettings } from '../../protocol/repairs/dropped-fields.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'

/** Fields with ids that only have to be the same in each request. */
const idFields = ['user', 'prompt_cache_key', 'safety_identifier'] as const
/** OpenAI refuses ids with more characters. */
const maxIdLength = 64

/** Replaces longer ids by their hash. Claude Code's id of a user is longer. */
export const hashLongIds: Repair = (body) => {
  const longFields = idFields.filter((name) => {
    const id = body[name]
    return typeof id === 'string' && id.length > maxIdLength
  })
  if (longFields.length === 0) return body
  return { ...body, ...Object.fromEntries(longFields.map((name) => [name, hashId(String(body[name]))])) }
}

/** Removes the metadata of a chat that the provider does not store. OpenAI refuses it then. */
export const removeUnstoredMetadata: Repair = (body, dropped) =>
  body.store === true ? body : withoutSettings(body, ['metadata'], dropped)
