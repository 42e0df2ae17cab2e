import type { Selectable } from 'kysely'
import { isoTime } from '#platform/core/clock.ts'
import type { Tables } from '#platform/db/tables.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { text } from '#platform/json/text.ts'

const allowList = (users: string) =>
  z
    .array(text({ min: 1, max: 256 }))
    .min(1)
    .nullable()
    .describe(`${users} that can use it; null: any.`)

/** The rules of a credential: its users, its models, and whether the operator's key is an alternative. */
const ruleFields = {
  disabled: z.boolean().describe('Whether the key is disabled: stored, but not used.'),
  allowed_api_key_hashes: allowList('The keys, by hash,'),
  allowed_models: allowList('The models'),
  allowed_user_ids: allowList('The members'),
  is_fallback: z.boolean().describe('Used only if no other credential for the provider works.'),
  is_required: z
    .boolean()
    .describe('For models that can use this key, the operator’s credential is not used. Other models still use it.'),
  is_byok_only: z
    .boolean()
    .describe('The operator’s credential is not used for any model of the provider, whichever models this key allows.'),
  declared_zdr: z.null('cannot be set here: the catalogue defines which endpoints retain no data'),
}
const Rules = z.object(ruleFields)
export type Rules = z.infer<typeof Rules>

const noRules: Rules = {
  disabled: false,
  allowed_api_key_hashes: null,
  allowed_models: null,
  allowed_user_ids: null,
  is_fallback: false,
  is_required: false,
  is_byok_only: false,
  declared_zdr: null,
}

const Secret = z
  .string()
  .trim()
  .min(1)
  .max(4096)
  .regex(/^[\x21-\x7e]+$/, 'must be visible ASCII without spaces, because it is sent in a header')
  .describe('The provider key. It is encrypted at rest and never returned.')
const Name = text({ max: 256 }).nullable()

const isConsistent = (patch: { is_fallback?: boolean; is_byok_only?: boolean }) =>
  !(patch.is_fallback && patch.is_byok_only)
const conflictError = { error: 'cannot be set together with is_byok_only', path: ['is_fallback'] }
const isTrue = { const: true }
const conflictSchema = {
  not: { required: ['is_fallback', 'is_byok_only'], properties: { is_fallback: isTrue, is_byok_only: isTrue } },
}

export const NewCredential = strictFields({
  provider: z.string().min(1).max(128),
  key: Secret,
  name: Name.optional(),
  workspace_id: z
    .string()
    .optional()
    .describe('ID or slug of the workspace. Defaults to the workspace of the calling key.'),
})
  .extend(Rules.partial().shape)
  .refine(isConsistent, conflictError)
  .meta(conflictSchema)
export type NewCredential = z.infer<typeof NewCredential>

export const CredentialPatch = strictFields({ key: Secret.optional(), name: Name.optional() })
  .extend(Rules.partial().shape)
  .refine(isConsistent, conflictError)
  .meta(conflictSchema)
export type CredentialPatch = z.infer<typeof CredentialPatch>

export const Credential = z
  .object({
    id: z.string(),
    provider: z.string(),
    name: z.string().nullable(),
    label: z.string().describe('The masked key.'),
    workspace_id: z.string().nullable(),
    sort_order: z.int().describe('The order of preference among keys of one provider.'),
    created_at: z.string(),
    ...ruleFields,
  })
  .meta({ id: 'ProviderCredential', description: 'A provider key of a workspace (BYOK).' })
export type Credential = z.infer<typeof Credential>

/** A stored credential: it has a workspace, although the type of the API allows null. */
export type StoredCredential = Credential & { workspace_id: string }

export function toCredential(row: Selectable<Tables['provider_credentials']>): StoredCredential {
  return {
    id: row.id,
    provider: row.provider,
    name: row.name,
    label: row.label,
    workspace_id: row.workspace_id,
    sort_order: row.sort_order,
    created_at: isoTime(row.created_at),
    ...(JSON.parse(row.rules) as Rules),
  }
}

/** Merges the rules of a request body into the previous rules. */
export function mergeRules(patch: Partial<Rules>, previousRules: Rules = noRules): Rules {
  const names = Object.keys(noRules) as (keyof Rules)[]
  return Object.fromEntries(
    names.map((name) => [name, patch[name] === undefined ? previousRules[name] : patch[name]]),
  ) as Rules
}

/** Returns a label such as `sk-…wxyz`. Shows fewer characters of a short key, because they would be most of the key. */
export function credentialLabel(secret: string): string {
  return secret.length < 16 ? '…' : `${secret.slice(0, 3)}…${secret.slice(-4)}`
}
