import { maskCredentials } from '#gateway/attempt/secrets/mask-secrets.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import { findIntern, type Intern } from '#interns/registry/intern-store.ts'
import { readMcpServers } from '#interns/registry/mcp-servers.ts'
import { readRepositoryPassword } from '#interns/registry/repository.ts'
import type { InternLog } from '#interns/remote/log.ts'
import { findAgentSecrets, findServerSecrets, redactSecrets } from '#interns/remote/log-secrets.ts'
import type { ApiDeps } from '../access/deps.ts'
import { requireRegion } from './intern-region.ts'
import { translateDaemonErrors } from './intern-transcripts.ts'

type LogTail = { lines: string[]; has_more: boolean; message: string | null }

/** The maximum length of a secret, in bytes. */
const maxSecretLength = 8192
/**
 * Bytes that are read in addition, so that a secret that starts before the requested range is recognized. Twice the
 * length of a secret, because `lastLines` can drop up to one such length of the start.
 */
const marginBytes = 2 * maxSecretLength

/** Returns the end of the log of an intern that is visible to the caller, without its secrets. */
export async function internLog(
  deps: ApiDeps,
  { caller, host }: { caller: Caller; host: string | undefined },
  { internId, ...range }: { internId: string; lines: number; bytes: number },
): Promise<LogTail> {
  await requireRegion(deps, caller, host)
  const intern = await findIntern(deps, caller, internId)
  const log = await translateDaemonErrors(
    deps.provisioner.readLog(intern, { ...range, bytes: range.bytes + marginBytes }),
  )
  if ('none' in log) return { lines: [], has_more: false, message: log.none }
  return { ...lastLines({ ...log, text: await maskLog(deps, intern, log.text) }, range), message: null }
}

async function maskLog(deps: ApiDeps, intern: Intern, text: string): Promise<string> {
  const { agent } = intern
  const [servers, password, key] = await Promise.all([
    readMcpServers(deps, intern.id),
    readRepositoryPassword(deps, intern.id),
    deps.provisioner.secretOf(intern).catch(() => undefined),
  ])
  const secrets = [
    ...findServerSecrets(servers),
    ...findAgentSecrets(typeof agent === 'string' ? deps.config.agents[agent] : (agent ?? undefined)),
    ...[password, key].filter((secret) => secret !== undefined),
  ]
  return maskCredentials(redactSecrets(text, secrets))
}

/** Returns the last lines, whole. If the last line alone exceeds the limit, returns its end. */
function lastLines(
  { text, isCut }: Exclude<InternLog, { none: string }>,
  { lines: maxLines, bytes: maxBytes }: { lines: number; bytes: number },
): { lines: string[]; has_more: boolean } {
  // The cut can be in the middle of a line or a secret. In a text without a line end, it could be in any secret.
  const completeLines = isCut ? text.slice(text.indexOf('\n') + 1 || maxSecretLength) : text
  if (completeLines === '') return { lines: [], has_more: isCut }
  const allLines = completeLines.replace(/\n$/, '').split('\n')
  const lines: string[] = []
  let remainingBytes = maxBytes
  for (const line of allLines.toReversed()) {
    remainingBytes -= Buffer.byteLength(line) + 1
    if (lines.length === maxLines || remainingBytes < 0) break
    lines.unshift(line)
  }
  if (lines.length > 0) return { lines, has_more: isCut || lines.length < allLines.length }
  const end = Buffer.from(allLines.at(-1) ?? '')
    .subarray(-maxBytes)
    .toString('utf8')
  // The first character can be incomplete.
  return { lines: [end.replace(/^\ufffd+/, '')], has_more: true }
}
