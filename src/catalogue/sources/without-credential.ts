import type { Provider } from '../index/model.ts'
import type { Snapshot } from '../index/snapshot.ts'

/** A provider without a credential of the operator, and the number of its models. */
export type SilentProvider = { provider: Provider; models: number }

/** @param hasCredential whether an environment variable holds a provider's credential. */
export function providersWithoutCredential(
  { providers, models }: Pick<Snapshot, 'providers' | 'models'>,
  hasCredential: (variable: string) => boolean,
): SilentProvider[] {
  const lacking = providers.filter(
    ({ credentialVariables }) => credentialVariables.length > 0 && !credentialVariables.some(hasCredential),
  )
  const served = new Map<string, number>(lacking.map(({ slug }) => [slug, 0]))
  for (const { endpoints } of models) {
    for (const slug of new Set(endpoints.map(({ provider }) => provider))) {
      const existing = served.get(slug)
      if (existing !== undefined) served.set(slug, existing + 1)
    }
  }
  return lacking
    .map((provider) => ({ provider, models: served.get(provider.slug)! }))
    .filter(({ models }) => models > 0)
}
