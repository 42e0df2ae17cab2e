import type { Vault } from '#identity/provider-keys/vault.ts'
import type { DaemonApi } from '../contract/daemon-api.ts'
import { Refusal } from '../contract/refusal.ts'
import { type Intern, isAsleep, isAwake } from '../registry/intern-store.ts'
import {
  connectRuns,
  connectStorage,
  type DaemonAddress,
  hostConnectionToken,
  readDaemonLog,
} from '../remote/connect-runs.ts'
import { type DaemonCertificates, logName, storageName } from '../remote/daemon-certificates.ts'
import { type InternLog, neverStartedNote } from '../remote/log.ts'
import { decryptAccess, type TcpAccess } from '../remote/tcp-access.ts'
import { connectTls } from '../remote/tls-connection.ts'
import { createUnknownHost, describeLoss, type InternHosts } from './hosts.ts'

export type RemoteInternDeps = {
  hosts: InternHosts
  vault: Vault
  certificates: Pick<DaemonCertificates, 'forServer'>
}

/**
 * The address of the daemon of an intern on another host. @throws Refusal `host_gone` if its host is lost,
 * `intern_unreachable` if other hosts cannot reach it.
 */
export async function remoteAddress(deps: RemoteInternDeps, intern: Intern): Promise<DaemonAddress> {
  const { hosts, certificates } = deps
  const name = intern.hostname ?? ''
  const { address, loss } = (await hosts.find(name)) ?? createUnknownHost(name)
  if (loss) throw new Refusal('host_gone', describeLoss(loss))
  if (!isAwake(intern)) throw new Refusal('intern_unreachable', `${notRunningMessage(intern)}: start it.`)
  const access = openAccess(deps.vault, intern)
  const host = access?.host ?? address
  if (host === null || !access) {
    const reason =
      host === null ? 'its server has no INTERN_ADDRESS' : 'the intern was started before its server had one'
    throw new Refusal(
      'intern_unreachable',
      `The intern is on the host ${name}, where servers on other hosts cannot reach it: ${reason}.`,
    )
  }
  return { host, port: access.port, token: access.token, tls: await certificates.forServer(intern.id) }
}

const notRunningMessage = (intern: Intern) =>
  `The intern is ${isAsleep(intern) ? 'asleep' : intern.status}, and its files are on the host ${intern.hostname}`

/** The files and transcripts of an intern on another host, through its daemon or a server of that host. */
export function remoteStorage(deps: RemoteInternDeps, intern: Intern): Pick<DaemonApi, 'files' | 'transcripts'> {
  if (isAwake(intern)) return connectRuns(() => remoteAddress(deps, intern))
  const noServer = () => `${notRunningMessage(intern)}: start it, or send the request to a server of that host.`
  return connectStorage(() => connectHost(deps, intern, storageName(intern.id), noServer))
}

/** The log of an intern on another host, through a server of that host. */
export async function remoteLog(deps: RemoteInternDeps, intern: Intern, bytes: number): Promise<InternLog> {
  if (intern.hostname === null) return { none: neverStartedNote }
  const noServer = () =>
    `The intern’s log is on the host ${intern.hostname}: send the request to a server of that host.`
  return readDaemonLog(() => connectHost(deps, intern, logName(intern.id), noServer), bytes)
}

/** Connects to a server of the intern's host. @param noServer the message if the host has no server. */
async function connectHost(deps: RemoteInternDeps, intern: Intern, servername: string, noServer: () => string) {
  const name = intern.hostname ?? ''
  const { address, storagePort, loss } = (await deps.hosts.find(name)) ?? createUnknownHost(name)
  if (loss) throw new Refusal('host_gone', describeLoss(loss))
  if (address === null || storagePort === null) throw new Refusal('intern_unreachable', noServer())
  const tls = await deps.certificates.forServer(intern.id, servername)
  return connectTls({ host: address, port: storagePort, token: hostConnectionToken, tls })
}

/** Decrypts the access data of an intern's daemon. @throws Refusal if a server with another encryption key encrypted them. */
export function openAccess(vault: Vault, intern: Intern): TcpAccess | undefined {
  try {
    return decryptAccess(vault, intern)
  } catch {
    throw new Refusal(
      'intern_unreachable',
      `The server of the host ${intern.hostname} has another encryption key than this one; all servers need the same.`,
    )
  }
}
