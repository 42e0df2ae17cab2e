import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import type { DaemonSettings } from '../settings/settings.ts'
import { createHttpServer } from './http-server.ts'
import { createTlsServer } from './tls-server.ts'

type ListenerDeps = Parameters<typeof createHttpServer>[0]

/** The listeners: a Unix socket for this host, a port for other hosts, or both. */
type Listeners = {
  /** The port for other hosts; undefined without one. */
  port: number | undefined
  /** Accepts no more connections. Resolves when the last one has closed. */
  close: () => Promise<void>
  closeConnections: () => void
  /** The number of open connections. */
  connections: () => Promise<number>
}

/** Opens the listeners of the settings. @throws Error if one of them cannot be opened. */
export async function openListeners(
  { socketPath, listen, limits }: Pick<DaemonSettings, 'socketPath' | 'listen' | 'limits'>,
  deps: ListenerDeps,
): Promise<Listeners> {
  const servers: Server[] = []
  let port: number | undefined
  if (socketPath !== undefined) {
    const server = createHttpServer(deps)
    servers.push(server)
    mkdirSync(dirname(socketPath), { recursive: true, mode: 0o700 })
    // An ended daemon can leave its socket file. No other daemon runs, because this one has the lock of the store.
    rmSync(socketPath, { force: true })
    await startListening(server, (done) => server.listen(socketPath, done))
    chmodSync(socketPath, 0o600)
  }
  if (listen) {
    const server = createTlsServer(listen.tls, deps, limits.certificateCheckMs)
    servers.push(server)
    await startListening(server, (done) => server.listen(listen.port, listen.host, done))
    port = (server.address() as AddressInfo).port
  }
  return {
    port,
    close: async () => {
      await Promise.all(servers.map((server) => new Promise<void>((resolve) => void server.close(() => resolve()))))
    },
    closeConnections: () => {
      for (const server of servers) server.closeAllConnections()
    },
    connections: async () => (await Promise.all(servers.map(countConnections))).reduce((sum, each) => sum + each, 0),
  }
}

const countConnections = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))

function startListening(server: Server, listen: (done: () => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    listen(resolve)
  })
}
