import { z } from '#platform/json/schema.ts'
import { isLonger } from '#platform/json/text.ts'

const maxPairs = 16
const maxKeyLength = 64
const maxValueLength = 512

/** A caller's own notes on a request: at most 16 pairs of text; no square brackets in a key. */
export const Metadata = z
  .record(z.string(), z.string())
  .superRefine((pairs, context) => {
    const refuse = (message: string, path: string[] = []) => context.addIssue({ code: 'custom', message, path })
    const keys = Object.keys(pairs)
    if (keys.length > maxPairs) refuse(`must have at most ${maxPairs} pairs, not ${keys.length}`)
    for (const key of keys) {
      if (isLonger(key, maxKeyLength)) refuse(`the key ${shown(key)} has more than ${maxKeyLength} characters`)
      else if (/[[\]]/.test(key)) refuse(`the key ${shown(key)} must not have brackets`)
      else if (isLonger(pairs[key]!, maxValueLength)) refuse(`must have at most ${maxValueLength} characters`, [key])
    }
  })
  .meta({
    description: 'Custom metadata. Keys must not contain square brackets.',
    maxProperties: maxPairs,
    propertyNames: { type: 'string', maxLength: maxKeyLength, pattern: '^[^\\[\\]]*$' },
    additionalProperties: { type: 'string', maxLength: maxValueLength },
  })

const shown = (key: string) => JSON.stringify(key.length > maxKeyLength ? `${key.slice(0, maxKeyLength)}…` : key)
