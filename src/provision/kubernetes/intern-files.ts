import { randomBytes } from 'node:crypto'
import type { Config } from '#config/settings.ts'
import type { CertificateFiles } from '#interns/daemon-certificates.ts'
import type { McpServer } from '#interns/mcp-servers.ts'
import type { Intern } from '#interns/store.ts'
import { agentCommandOf } from '../agent-command.ts'
import { daemonLimits } from '../daemon-limits.ts'
import type { KubernetesObject } from './object.ts'
import { daemonPort, type InternFiles, inPod } from './objects.ts'

type FilesDeps = {
  config: Config
  intern: Intern
  /** The secret of its key, and that of its daemon. */
  secret: string
  token: string
  /** The service as pods reach it. */
  baseUrl: string
  servers: McpServer[]
  certificates: CertificateFiles
}

/** All that the daemon of an intern reads in its pod, as files of its Secret. */
export function filesOf({ config, intern, secret, token, baseUrl, servers, certificates }: FilesDeps): InternFiles {
  // What runs is held by the pod: there is no other sandbox in it.
  const sandbox = { SIGNALBOX_WITHOUT_SANDBOX: 'pod' }
  const settings = {
    listen: {
      port: daemonPort,
      tls: { certificate: 'certificate.pem', key: 'certificate-key.pem', authorities: 'authorities.pem' },
    },
    ...{ token_file: 'token', workspace: inPod.workspace, state: inPod.memory },
    agent: agentCommandOf(intern, { config, places: inPod, secret, baseUrl, sandbox }),
    limits: daemonLimits(config),
    ...(servers.length > 0 && { mcp_servers: servers }),
  }
  const lasting = {
    'settings.json': JSON.stringify(settings, null, 2),
    'instructions.md': intern.instructions ?? '',
    token,
    key: secret,
  }
  return { lasting, rotated: { ...rotatedOf(certificates), 'service-url': baseUrl } }
}

export const rotatedOf = ({ certificate, key, authorities }: CertificateFiles): Record<string, string> => ({
  ...{ 'certificate.pem': certificate, 'certificate-key.pem': key, 'authorities.pem': authorities },
})

/** What the Secret of an intern says that is to stay. */
export function knownOf(secret: KubernetesObject | undefined): { token: string; key: string | undefined } {
  const read = (name: string) => {
    const data = secret?.data?.[name]
    return data === undefined ? undefined : Buffer.from(data, 'base64').toString('utf8')
  }
  return { token: read('token') ?? randomBytes(32).toString('hex'), key: read('key') }
}
