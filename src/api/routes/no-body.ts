import { strictFields } from '#platform/json/strict-fields.ts'

/** The body of a command: none, or an empty object. Any field is refused rather than ignored. */
export const NoBody = strictFields({}, 'the body must be empty or {}').optional()
