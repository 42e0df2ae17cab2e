import type { Selectable } from 'kysely'
import { isoTime } from '#platform/core/clock.ts'
import { intervals } from '#platform/core/vocabulary.ts'
import type { Tables } from '#platform/db/tables.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { text } from '#platform/json/text.ts'
import type { KeyKind } from '../caller.ts'

const Limit = z.number().positive().nullable().describe('The most the key may spend, in USD; null for no limit.')

const LimitReset = z
  .enum(intervals)
  .nullable()
  .describe('When spending starts anew: at 00:00 UTC, weeks on Monday, months on the 1st; null for never.')

const ExpiresAt = z.iso
  .datetime({ offset: true, error: 'expected an ISO 8601 instant with seconds, such as 2030-01-31T00:00:00Z' })
  .nullable()
  .describe('When the key stops working; null for never.')

const KeyName = text({ min: 1, max: 200 }).describe('What the key is for.')

const IncludeByok = z.boolean().describe("Whether spend on the caller's own provider keys counts toward the limit.")

/** The fields of a new key that a client may set. */
export const NewKey = strictFields({
  name: KeyName,
  kind: z
    .enum(['api', 'management'])
    .default('api')
    .describe('`api` for inference, `management` for this API. Keys of interns are made with the intern.'),
  limit: Limit.optional(),
  limit_reset: LimitReset.optional(),
  include_byok_in_limit: IncludeByok.default(false),
  expires_at: ExpiresAt.optional(),
  creator_user_id: z
    .string()
    .nullish()
    .describe('The member the key acts for, by id or e-mail address; the calling key’s own unless told.'),
  workspace_id: z
    .string()
    .optional()
    .describe("The key's workspace, by id or slug; that of the calling key unless told."),
  external: strictFields({
    user: text({ min: 1, max: 256 }).describe('The end user the key is for, in your own terms.'),
  }).optional(),
}).meta({ id: 'NewKey' })
export type NewKey = z.output<typeof NewKey>

/** The fields of a key that may be changed. Fields that are left out stay as they are. */
export const KeyPatch = strictFields({
  name: KeyName,
  disabled: z.boolean().describe('A disabled key is refused like an unknown one.'),
  limit: Limit,
  limit_reset: LimitReset,
  include_byok_in_limit: IncludeByok,
  expires_at: ExpiresAt,
  interns_grant: z.boolean().describe('Whether it may go on using interns after its creator has left.'),
})
  .partial()
  .meta({ id: 'KeyPatch' })
export type KeyPatch = z.output<typeof KeyPatch>

/** A key as clients and the audit trail see it: everything but the secret, which nobody has. */
export const KeyRecord = z.object({
  hash: z.string().describe('SHA-256 of the key in hex: its name in this API.'),
  kind: z.enum(['api', 'management', 'intern']),
  name: z.string(),
  label: z.string().describe('Enough of the key to recognise it by: `sb-v1-abc…123`.'),
  workspace_id: z.string(),
  creator_user_id: z.string().nullable(),
  external_user: z.string().nullable(),
  disabled: z.boolean(),
  limit: z.number().nullable(),
  limit_reset: z.enum(intervals).nullable(),
  include_byok_in_limit: z.boolean(),
  expires_at: z.iso.datetime().nullable(),
  interns_grant: z.boolean(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type KeyRecord = z.infer<typeof KeyRecord>

export function keyRecord(row: Selectable<Tables['api_keys']>): KeyRecord {
  return {
    hash: row.hash,
    kind: row.kind as KeyKind,
    name: row.name,
    label: row.label,
    workspace_id: row.workspace_id,
    creator_user_id: row.creator_user_id,
    external_user: row.external_user,
    disabled: row.disabled === 1,
    limit: row.limit_usd,
    limit_reset: row.limit_reset as KeyRecord['limit_reset'],
    include_byok_in_limit: row.include_byok_in_limit === 1,
    expires_at: row.expires_at === null ? null : isoTime(row.expires_at),
    interns_grant: row.interns_grant === 1,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}
