import { randomBytes } from 'node:crypto'
import type { GitAuthor } from '#interns/registry/git-author.ts'
import type { Intern } from '#interns/registry/intern-store.ts'
import type { McpServer } from '#interns/registry/mcp-server-schema.ts'
import type { CertificateFiles } from '#interns/remote/daemon-certificates.ts'
import type { Config } from '#platform/config/settings.ts'
import { trustedCaCertificates } from '#platform/net/ca-certificates.ts'
import { createGitConfig } from '../host/git-config.ts'
import { createAgentCommand, createInstructions } from '../processes/agent-command.ts'
import { toDaemonLimits } from '../processes/daemon-limits.ts'
import type { KubernetesObject } from './client/object.ts'
import type { CloneRequest } from './clone-in-pod.ts'
import { daemonPort, type InternFiles, podPaths } from './objects.ts'

type FilesDeps = {
  config: Config
  intern: Intern
  /** The secrets of its key and of its daemon. */
  secret: string
  token: string
  /** The URL of the service for pods. */
  baseUrl: string
  servers: McpServer[]
  certificates: CertificateFiles
  gitAuthor: GitAuthor
  /** The password of its repository. */
  password: string | undefined
}

/** The files that the daemon of an intern reads in its pod, as data of its Secret. */
export function createInternFiles(deps: FilesDeps): InternFiles {
  const { config, intern, secret, token, baseUrl, servers, certificates, gitAuthor } = deps
  // The pod is the only sandbox.
  const sandbox = { SIGNALBOX_WITHOUT_SANDBOX: 'pod' }
  const trusted = trustedCaCertificates()
  const paths = { ...podPaths, caFile: trusted === undefined ? undefined : podPaths.caFile }
  const settings = {
    listen: {
      port: daemonPort,
      tls: { certificate: 'certificate.pem', key: 'certificate-key.pem', authorities: 'authorities.pem' },
    },
    token_file: 'token',
    workspace: podPaths.workspace,
    state: podPaths.daemonState,
    agent: createAgentCommand(intern, { config, paths, secret, baseUrl, sandbox }),
    limits: toDaemonLimits(config),
    ...(servers.length > 0 && { mcp_servers: servers }),
  }
  const lastingFiles = {
    'settings.json': JSON.stringify(settings, null, 2),
    'instructions.md': createInstructions(intern),
    gitconfig: createGitConfig(gitAuthor),
    token,
    key: secret,
    ...(trusted !== undefined && { 'trusted.pem': trusted }),
  }
  return {
    lasting: lastingFiles,
    rotated: { ...toRotatedFiles(certificates), 'service-url': baseUrl },
    repository: formatCloneRequest(deps),
  }
}

/**
 * Returns the input of the container that clones, as JSON; undefined without a repository. It has only the settings that a
 * clone needs, because all others, secrets included, would be in the file too.
 */
function formatCloneRequest({ config, intern: { repository }, password }: FilesDeps): string | undefined {
  if (!repository) return undefined
  const { repository_origins, repository_clone_ms, intern_users_from } = config
  const { intern_processes, intern_memory_bytes, intern_disk_bytes, intern_log_bytes } = config
  const { https_proxy, http_proxy, no_proxy } = config
  const rules = { repository_origins, repository_clone_ms, intern_users_from, https_proxy, http_proxy, no_proxy }
  const limits = { intern_processes, intern_memory_bytes, intern_disk_bytes, intern_log_bytes }
  return JSON.stringify({
    home: podPaths.home,
    repository,
    password,
    config: { ...rules, ...limits },
    authorities: trustedCaCertificates(),
  } satisfies CloneRequest)
}

export const toRotatedFiles = ({ certificate, key, caCertificates }: CertificateFiles): Record<string, string> => ({
  'certificate.pem': certificate,
  'certificate-key.pem': key,
  'authorities.pem': caCertificates,
})

/** The token and key in the Secret of an intern, which do not change; a new token without a Secret. */
export function readStoredSecrets(secret: KubernetesObject | undefined): { token: string; key: string | undefined } {
  const read = (name: string) => {
    const data = secret?.data?.[name]
    return data === undefined ? undefined : Buffer.from(data, 'base64').toString('utf8')
  }
  return { token: read('token') ?? randomBytes(32).toString('hex'), key: read('key') }
}
