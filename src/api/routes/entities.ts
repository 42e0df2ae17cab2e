import { KeyPatch } from '#identity/accounts/keys/key.ts'
import { WorkspacePatch } from '#identity/accounts/workspace.ts'
import { CredentialPatch } from '#identity/provider-keys/credential.ts'
import { InternPatch } from '#interns/registry/intern.ts'
import type { EntityKind } from '#platform/core/entity-tag.ts'
import { GuardrailPatch } from '#policy/guardrails/guardrail-patch.ts'
import { WebhookPatch } from '#webhooks/webhook.ts'

// The objects whose changes `If-Match` can protect. Kinds are those of the audit log.

/** Returns the names of the fields that a patch can change. */
const patchFields = (patch: { shape: object }) => Object.keys(patch.shape)

export const guardrailEntity: EntityKind = { kind: 'guardrail', fields: patchFields(GuardrailPatch) }
export const internEntity: EntityKind = { kind: 'intern', fields: patchFields(InternPatch) }
export const keyEntity: EntityKind = { kind: 'key', fields: patchFields(KeyPatch) }
export const webhookEntity: EntityKind = { kind: 'webhook', fields: patchFields(WebhookPatch) }
export const workspaceEntity: EntityKind = { kind: 'workspace', fields: patchFields(WorkspacePatch) }

/** The secret is not part of the public form. A new secret changes the label. */
export const credentialEntity: EntityKind = { kind: 'credential', fields: [...patchFields(CredentialPatch), 'label'] }

/** `include_byok_in_budgets` is not part of a budget, because it belongs to the budgets of all intervals. */
export const budgetEntity: EntityKind = { kind: 'budget', fields: ['limit_usd', 'thresholds'] }

/** The thresholds of a limit are changed apart from their key or guardrail. */
export const thresholdsEntity = (kind: 'key' | 'guardrail'): EntityKind => ({ kind, fields: ['thresholds'] })

/** A version that is saved and not designated changes only `updated_at`. */
export const presetEntity: EntityKind = {
  kind: 'preset',
  fields: ['name', 'description', 'status', 'designated_version_id', 'updated_at'],
}
