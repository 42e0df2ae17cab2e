import type { Selectable } from 'kysely'
import { isoTime } from '#platform/core/clock.ts'
import { intervals } from '#platform/core/vocabulary.ts'
import type { Tables } from '#platform/db/tables.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { text } from '#platform/json/text.ts'
import type { KeyKind } from '../caller.ts'

const Limit = z.number().positive().nullable().describe('Spending limit of the key, in USD; null for no limit.')

const LimitReset = z
  .enum(intervals)
  .nullable()
  .describe('When the limit resets: at 00:00 UTC, weekly on Monday, monthly on the 1st; null for never.')

const ExpiresAt = z.iso
  .datetime({ offset: true, error: 'expected an ISO 8601 instant with seconds, such as 2030-01-31T00:00:00Z' })
  .nullable()
  .describe('The expiry time of the key; null for never.')

const KeyName = text({ min: 1, max: 200 }).describe('The name of the key.')

const IncludeByok = z
  .boolean()
  .describe('Whether spend with the workspace’s own provider keys counts toward the limit.')

/** The fields of a new key that a client can set. */
export const NewKey = strictFields({
  name: KeyName,
  kind: z
    .enum(['api', 'management'])
    .default('api')
    .describe(
      '`api` for models and interns, `management` for administration. Keys of interns are created with the intern.',
    ),
  limit: Limit.optional(),
  limit_reset: LimitReset.optional(),
  include_byok_in_limit: IncludeByok.default(false),
  expires_at: ExpiresAt.optional(),
  creator_user_id: z
    .string()
    .nullish()
    .describe('ID or email address of the member for whom the key acts. Defaults to the member of the calling key.'),
  workspace_id: z
    .string()
    .optional()
    .describe('ID or slug of the workspace of the key. Defaults to the workspace of the calling key.'),
  external: strictFields({
    user: text({ min: 1, max: 256 }).describe('An identifier of the end user of the key, chosen by you.'),
  }).optional(),
}).meta({ id: 'NewKey' })
export type NewKey = z.output<typeof NewKey>

/** The fields of a key that can be changed. Omitted fields are not changed. */
export const KeyPatch = strictFields({
  name: KeyName,
  disabled: z.boolean().describe('Requests with a disabled key are rejected like those with an unknown key.'),
  limit: Limit,
  limit_reset: LimitReset,
  include_byok_in_limit: IncludeByok,
  expires_at: ExpiresAt,
  interns_grant: z.boolean().describe('Whether the key can use interns after its creator has left.'),
})
  .partial()
  .meta({ id: 'KeyPatch' })
export type KeyPatch = z.output<typeof KeyPatch>

/** A key in the form of the API and the audit log. The secret is not stored. */
export const KeyRecord = z.object({
  hash: z.string().describe('SHA-256 of the key in hex, which identifies it in this API.'),
  kind: z.enum(['api', 'management', 'intern']),
  name: z.string(),
  label: z.string().describe('The masked key, such as `sb-v1-abc…123`.'),
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

export function toKeyRecord(row: Selectable<Tables['api_keys']>): KeyRecord {
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
