import type { EndpointFigures } from '#measure/figures.ts'
import type { Provider } from './model.ts'

export type EndpointStatus = 'healthy' | 'degraded' | 'down' | 'unconfigured'

/** Below these percentages of successes. */
const degradedBelow = 95
const downBelow = 50

/**
 * How an endpoint does. What counts is its uptime of the last 5 minutes, or of the last 30 when nothing was asked of it
 * in those; an endpoint nothing was asked of is taken for healthy.
 * @param hasCredential whether an environment variable holds a provider's credential.
 */
export function endpointStatus(
  provider: Pick<Provider, 'credentialVariables'> | undefined,
  figures: EndpointFigures,
  hasCredential: (variable: string) => boolean,
): EndpointStatus {
  const variables = provider?.credentialVariables ?? []
  if (variables.length > 0 && !variables.some(hasCredential)) return 'unconfigured'
  const uptime = figures.uptime5m ?? figures.uptime30m ?? 100
  return uptime < downBelow ? 'down' : uptime < degradedBelow ? 'degraded' : 'healthy'
}
