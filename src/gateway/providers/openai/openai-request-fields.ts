import { hashId } from '#chat/hash-id.ts'
import { withoutSettings } from '../../protocol/repairs/dropped-fields.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'

/** The most characters of ids that only have to be the same in each request. */
const maxLengths = { user: 64, prompt_cache_key: 64, safety_identifier: 128 }

/** Replaces longer ids by their hash, because OpenAI refuses them. Claude Code's id of a user is longer. */
export const hashLongIds: Repair = (body) => {
  const isLong = ([name, maxLength]: [string, number]) => {
    const id = body[name]
    return typeof id === 'string' && id.length > maxLength
  }
  const longFields = Object.entries(maxLengths).filter(isLong)
  if (longFields.length === 0) return body
  return { ...body, ...Object.fromEntries(longFields.map(([name]) => [name, hashId(String(body[name]))])) }
}

/** Removes the metadata of a chat that the provider does not store. OpenAI refuses it then. */
export const skipUnstoredMetadata: Repair = (body, dropped) =>
  body.store === true ? body : withoutSettings(body, ['metadata'], dropped)
