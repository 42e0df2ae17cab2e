import type { ProviderCredential } from '../../api/types.ts'
import { countText } from '../../format/count.ts'

type PriorityFields = Pick<ProviderCredential, 'is_fallback' | 'is_required' | 'is_byok_only'>
type Priority = 'before' | 'after' | 'instead' | 'only'

/** When a workspace's provider key is used relative to the operator's. */
export const priorities: Record<Priority, string> = {
  before: 'before the operator’s key',
  after: 'after the operator’s key',
  instead: 'instead of the operator’s key, for its models',
  only: 'instead of the operator’s key, for all models',
}

export function priorityOf({ is_fallback, is_required, is_byok_only }: PriorityFields): Priority {
  if (is_byok_only) return 'only'
  if (is_required) return 'instead'
  return is_fallback ? 'after' : 'before'
}

/** The API fields for a priority; at most one is true. */
export const priorityFields = (priority: Priority): PriorityFields => ({
  is_fallback: priority === 'after',
  is_required: priority === 'instead',
  is_byok_only: priority === 'only',
})

export type ProviderFields = { provider: string; key: string; name: string; priority: Priority; disabled: boolean }

export const newProvider: ProviderFields = { provider: '', key: '', name: '', priority: 'before', disabled: false }

/** The form state of a stored key. Its value is never displayed; an empty value keeps it. */
export const fieldsOf = (credential: ProviderCredential): ProviderFields => ({
  provider: credential.provider,
  key: '',
  name: credential.name ?? '',
  priority: priorityOf(credential),
  disabled: credential.disabled,
})

type ProviderPatch = Partial<PriorityFields> & { key?: string; name?: string | null; disabled?: boolean }

/** The API fields for the changes. */
export function changedFields(oldFields: ProviderFields, newFields: ProviderFields): ProviderPatch {
  const patch: ProviderPatch = {}
  if (newFields.key !== '') patch.key = newFields.key
  if (newFields.name.trim() !== oldFields.name) patch.name = newFields.name.trim() || null
  if (newFields.priority !== oldFields.priority) Object.assign(patch, priorityFields(newFields.priority))
  if (newFields.disabled !== oldFields.disabled) patch.disabled = newFields.disabled
  return patch
}

/** The requests that use a key: of some models, members or keys. */
export function restrictionsOf({
  allowed_models,
  allowed_user_ids,
  allowed_api_key_hashes,
}: Pick<ProviderCredential, 'allowed_models' | 'allowed_user_ids' | 'allowed_api_key_hashes'>): string {
  const restrictions = [
    allowed_models?.join(', '),
    allowed_user_ids && countText(allowed_user_ids.length, 'member'),
    allowed_api_key_hashes && countText(allowed_api_key_hashes.length, 'key'),
  ].filter(Boolean)
  return restrictions.length === 0 ? 'everything' : restrictions.join(' · ')
}
