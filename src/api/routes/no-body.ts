import { z } from '#platform/json/schema.ts'

/** The body of a command: none, or an empty object. Any field is refused rather than ignored. */
export const NoBody = z
  .strictObject({}, { error: ({ code }) => (code === 'unrecognized_keys' ? 'takes no fields' : 'must be empty or {}') })
  .optional()
