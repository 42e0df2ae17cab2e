import { readFileSync } from 'node:fs'
import type { Config } from '#platform/config/settings.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import { withBrackets } from '#platform/net/addresses/host-name.ts'
import { createKubernetesClient, type KubernetesClient } from './client.ts'

/** The settings that interns in pods require. */
export type Cluster = { client: KubernetesClient; image: string; serviceUrl: string }

/**
 * The cluster that the settings name, or the one that this process is a pod of.
 * @throws UserFacingError that names the setting which is missing, or the file that cannot be read.
 */
export function readCluster(config: Config, variable: (name: string) => string | undefined): Cluster {
  const { kubernetes_image: image, kubernetes_service_url: serviceUrl, kubernetes_namespace: namespace } = config
  if (image === undefined)
    throw missingSetting('kubernetes_image', 'the image of this service, as the cluster pulls it')
  if (serviceUrl === undefined)
    throw missingSetting(
      'kubernetes_service_url',
      'this service as pods reach it, such as http://signalbox.signalbox.svc:8080',
    )
  const url = config.kubernetes_url ?? findOwnCluster(variable)
  if (url === undefined)
    throw missingSetting(
      'kubernetes_url',
      'the API server, such as https://10.0.0.1:6443; this process does not run in a pod',
    )
  const createFileReader = (setting: 'kubernetes_token_file' | 'kubernetes_ca_file') => () => {
    try {
      return readFileSync(config[setting], 'utf8').trim()
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new UserFacingError(`The file ${config[setting]} (setting ${setting}) cannot be read: ${code}.`)
    }
  }
  const token = createFileReader('kubernetes_token_file')
  const caCertificates = url.startsWith('https:') ? createFileReader('kubernetes_ca_file') : () => undefined
  // Report a missing file now, not with the first intern.
  token()
  caCertificates()
  return { client: createKubernetesClient({ url, caCertificates, token }, namespace), image, serviceUrl }
}

/** Returns the URL of the API server by the variables that every pod has; undefined outside of a pod. */
function findOwnCluster(variable: (name: string) => string | undefined): string | undefined {
  const host = variable('KUBERNETES_SERVICE_HOST')
  const port = variable('KUBERNETES_SERVICE_PORT')
  return host && port ? `https://${withBrackets(host)}:${port}` : undefined
}

const missingSetting = (setting: string, purpose: string) =>
  new UserFacingError(`The setting "provisioner: kubernetes" needs ${setting}: ${purpose}.`)
