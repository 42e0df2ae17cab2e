import type { ProviderCredential } from '../api/types.ts'

type Use = Pick<ProviderCredential, 'is_fallback' | 'is_required' | 'is_byok_only'>
type When = 'before' | 'after' | 'instead' | 'only'

/** When a workspace's own key of a provider is used, beside the operator's. */
export const whens: Record<When, string> = {
  before: 'before the operator’s',
  after: 'after the operator’s',
  instead: 'instead of the operator’s, for its models',
  only: 'instead of the operator’s, for all models',
}

export function whenOf({ is_fallback, is_required, is_byok_only }: Use): When {
  if (is_byok_only) return 'only'
  if (is_required) return 'instead'
  return is_fallback ? 'after' : 'before'
}

/** What says so; one of the three at the most. */
export const useOf = (when: When): Use => ({
  is_fallback: when === 'after',
  is_required: when === 'instead',
  is_byok_only: when === 'only',
})

export type ProviderFields = { provider: string; key: string; name: string; when: When; disabled: boolean }

export const newProvider: ProviderFields = { provider: '', key: '', name: '', when: 'before', disabled: false }

/** What the form of a credential begins with. What was stored is told to nobody: an empty key stays as it is. */
export const fieldsIn = (credential: ProviderCredential): ProviderFields => ({
  provider: credential.provider,
  key: '',
  name: credential.name ?? '',
  when: whenOf(credential),
  disabled: credential.disabled,
})

/** Only what was changed. */
export function changeIn(before: ProviderFields, after: ProviderFields) {
  return {
    ...(after.key !== '' && { key: after.key }),
    ...(after.name.trim() !== before.name && { name: after.name.trim() || null }),
    ...(after.when !== before.when && useOf(after.when)),
    ...(after.disabled !== before.disabled && { disabled: after.disabled }),
  }
}
