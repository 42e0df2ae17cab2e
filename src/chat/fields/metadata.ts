import { z } from '#platform/json/schema.ts'
import { isLonger } from '#platform/json/text.ts'

/** The limits of OpenAI. */
const maxPairs = 16
const maxKeyLength = 64
const maxValueLength = 512

type Refuse = (message: string, path?: string[]) => void

/**
 * Custom metadata of a request: at most 16 pairs of text; no square brackets in a key. `tags` can be a list, as clients of
 * LiteLLM send it; the gateway joins it to text.
 */
export const Metadata = (z.unknown() as z.ZodType<unknown> as z.ZodType<Record<string, string>>)
  .superRefine((value: unknown, context) => {
    const refuse: Refuse = (message, path = []) => context.addIssue({ code: 'custom', message, path })
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return refuse('must be an object of strings')
    // The count is checked first, because a body can have 100,000 pairs.
    const count = Object.keys(value).length
    if (count > maxPairs) return refuse(`must have at most ${maxPairs} pairs, not ${count}`)
    for (const [key, text] of Object.entries(value)) validatePair(key, text, refuse)
  })
  .meta({
    type: 'object',
    description:
      'Custom metadata, by which costs are summed. Keys must not contain square brackets. `tags` can be a list or a text with commas.',
    maxProperties: maxPairs,
    properties: {
      tags: {
        anyOf: [
          { type: 'string', maxLength: maxValueLength },
          { type: 'array', items: { type: 'string' } },
        ],
      },
    },
    propertyNames: { type: 'string', maxLength: maxKeyLength, pattern: '^[^\\[\\]]*$' },
    additionalProperties: { type: 'string', maxLength: maxValueLength },
  })

function validatePair(key: string, value: unknown, refuse: Refuse): void {
  if (isLonger(key, maxKeyLength)) refuse(`the key ${quoteKey(key)} has more than ${maxKeyLength} characters`)
  else if (/[[\]]/.test(key)) refuse(`the key ${quoteKey(key)} must not have brackets`)
  else if (typeof tagsAsText(key, value) !== 'string') refuse('must be a string', [key])
  else if (isLonger(tagsAsText(key, value) as string, maxValueLength))
    refuse(`must have at most ${maxValueLength} characters`, [key])
}

const quoteKey = (key: string) => JSON.stringify(key.length > maxKeyLength ? `${key.slice(0, maxKeyLength)}…` : key)

/** Returns a list of tags as one text, with commas. Returns other values unchanged. */
function tagsAsText(key: string, value: unknown): unknown {
  // The text of a list with more items is always too long.
  const isList = key === 'tags' && Array.isArray(value) && value.length <= maxValueLength
  return isList && value.every((tag) => typeof tag === 'string') ? value.join(',') : value
}
