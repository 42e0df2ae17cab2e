import type { Provider } from '../index/model.ts'
import type { Snapshot } from '../index/snapshot.ts'

/** A provider without a credential of the operator, and the number of its models. */
export type UnconfiguredProvider = { provider: Provider; modelCount: number }

/** Lists providers whose credential is not set. @param hasCredential whether an environment variable is set. */
export function findProvidersWithoutCredential(
  { providers, models }: Pick<Snapshot, 'providers' | 'models'>,
  hasCredential: (variable: string) => boolean,
): UnconfiguredProvider[] {
  const unconfigured = providers.filter(
    ({ credentialVariables }) => credentialVariables.length > 0 && !credentialVariables.some(hasCredential),
  )
  const modelCounts = new Map<string, number>(unconfigured.map(({ slug }) => [slug, 0]))
  for (const { endpoints } of models) {
    for (const slug of new Set(endpoints.map(({ provider }) => provider))) {
      const existing = modelCounts.get(slug)
      if (existing !== undefined) modelCounts.set(slug, existing + 1)
    }
  }
  return unconfigured
    .map((provider) => ({ provider, modelCount: modelCounts.get(provider.slug)! }))
    .filter(({ modelCount }) => modelCount > 0)
}
