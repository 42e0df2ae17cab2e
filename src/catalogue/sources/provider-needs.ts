import type { Provider } from '../index/model.ts'
import type { Snapshot } from '../index/snapshot.ts'
import { findVariables } from './expand-url.ts'

/** The variables that the operator must set for a provider, and the models that depend on them. */
export type ProviderNeeds = {
  slug: string
  name: string
  /** Variables, one of which must contain the credential. Empty if the provider needs none. */
  credential_variables: string[]
  /** Variables in the base URL, all of which are required. */
  address_variables: string[]
  /** The missing variables: the first one for the credential, and all in the address. */
  missing: string[]
  models: number
}

type ProviderVariables = Pick<Provider, 'slug' | 'name' | 'credentialVariables' | 'baseUrl'>
type Served = { endpoints: readonly { provider: string }[] }

/** Each provider of the catalogue, those with the most models first. @param isSet whether an environment variable is set. */
export function listProviderNeeds(
  { providers, models }: { providers: readonly ProviderVariables[]; models: readonly Served[] },
  isSet: (variable: string) => boolean,
): ProviderNeeds[] {
  const modelCounts = countModelsByProvider(models)
  return providers
    .map(({ slug, name, credentialVariables, baseUrl }) => {
      const [firstCredential] = credentialVariables
      const addressVariables = findVariables(baseUrl ?? '')
      const missing = addressVariables.filter((variable) => !isSet(variable))
      if (firstCredential !== undefined && !credentialVariables.some(isSet)) missing.unshift(firstCredential)
      return {
        slug,
        name,
        credential_variables: credentialVariables,
        address_variables: addressVariables,
        missing,
        models: modelCounts.get(slug) ?? 0,
      }
    })
    .sort((a, b) => b.models - a.models || (a.slug < b.slug ? -1 : 1))
}

/** The number of models that each provider serves, by its slug. */
function countModelsByProvider(models: readonly Served[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { endpoints } of models)
    for (const slug of new Set(endpoints.map(({ provider }) => provider))) counts.set(slug, (counts.get(slug) ?? 0) + 1)
  return counts
}

/** A provider without a credential of the operator, and the number of its models. */
type UnconfiguredProvider = { provider: Provider; modelCount: number }

/**
 * Lists providers whose credential is not set, in the order of the catalogue. `listProviderNeeds` also lists the missing
 * variables of addresses. @param hasCredential whether an environment variable is set.
 */
export function findProvidersWithoutCredential(
  { providers, models }: Pick<Snapshot, 'providers' | 'models'>,
  hasCredential: (variable: string) => boolean,
): UnconfiguredProvider[] {
  const modelCounts = countModelsByProvider(models)
  return providers
    .filter(({ credentialVariables }) => credentialVariables.length > 0 && !credentialVariables.some(hasCredential))
    .map((provider) => ({ provider, modelCount: modelCounts.get(provider.slug) ?? 0 }))
    .filter(({ modelCount }) => modelCount > 0)
}
