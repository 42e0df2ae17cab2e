import type { EndpointFigures } from '../measurements/figures.ts'
import type { Provider } from './model.ts'

export type EndpointStatus = 'healthy' | 'degraded' | 'down' | 'unconfigured'

/** The percentages of successes below which an endpoint is degraded or down. */
const degradedBelow = 95
const downBelow = 50

/**
 * Returns the status of an endpoint by its uptime of the last 5 minutes. Without requests in them, the last 30 minutes
 * count. An endpoint without any requests is healthy.
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
