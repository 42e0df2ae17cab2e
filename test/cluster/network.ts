import { execFileSync } from 'node:child_process'

/**
 * Separate hosts on one machine. Each is a network namespace with two cables, as servers have them: one to clients
 * and providers, one to the database. The middle, `lan`, is where the tests run, with both networks' bridges.
 */
export const hostCount = 3

/** The addresses of the middle on the two networks. */
export const middle = { front: '10.91.0.1', database: '10.91.1.1' }
export const frontAddress = (host: number) => `10.91.0.${11 + host}`
const databaseAddress = (host: number) => `10.91.1.${11 + host}`

export const lanOf = (prefix: string) => `${prefix}lan`
export const hostOf = (prefix: string, host: number) => `${prefix}h${host}`
const cableOf = (host: number, network: 'f' | 'd') => `${network}${host}`

/** @returns how to take it all away again. */
export function buildNetwork(prefix: string): () => void {
  const lan = lanOf(prefix)
  const namespaces = [lan, ...hosts().map((host) => hostOf(prefix, host))]
  const remove = () => {
    for (const name of namespaces) tryTo('ip', 'netns', 'del', name)
  }
  try {
    for (const name of namespaces) {
      ip('netns', 'add', name)
      ip('-n', name, 'link', 'set', 'lo', 'up')
    }
    for (const [bridge, address] of [
      ['front', middle.front],
      ['database', middle.database],
    ] as const) {
      ip('-n', lan, 'link', 'add', bridge, 'type', 'bridge')
      ip('-n', lan, 'addr', 'add', `${address}/24`, 'dev', bridge)
      ip('-n', lan, 'link', 'set', bridge, 'up')
    }
    for (const host of hosts()) {
      connect(lan, hostOf(prefix, host), cableOf(host, 'f'), 'front', frontAddress(host))
      connect(lan, hostOf(prefix, host), cableOf(host, 'd'), 'database', databaseAddress(host))
    }
    return remove
  } catch (error) {
    remove()
    throw error
  }
}

/** Drops all packets between a host and the database from now on, so that neither side gets an error. */
export const cutFromDatabase = (host: number) => portState(host, 'd', 0)
export const rejoinDatabase = (host: number) => portState(host, 'd', 3)

/** The same for clients, providers and the balancer. */
export const cutFromClients = (host: number) => portState(host, 'f', 0)

export function rejoinAll(): void {
  for (const host of hosts()) for (const network of ['f', 'd'] as const) portState(host, network, 3)
}

function portState(host: number, network: 'f' | 'd', state: 0 | 3): void {
  execFileSync('bridge', ['link', 'set', 'dev', cableOf(host, network), 'state', String(state)])
}

function connect(lan: string, host: string, cable: string, bridge: string, address: string): void {
  ip('link', 'add', cable, 'netns', lan, 'type', 'veth', 'peer', 'name', cable, 'netns', host)
  ip('-n', lan, 'link', 'set', cable, 'master', bridge)
  ip('-n', lan, 'link', 'set', cable, 'up')
  ip('-n', host, 'addr', 'add', `${address}/24`, 'dev', cable)
  ip('-n', host, 'link', 'set', cable, 'up')
}

const hosts = () => Array.from({ length: hostCount }, (_, host) => host)

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] })

function tryTo(command: string, ...args: string[]): void {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
  } catch {
    // It was not there.
  }
}
