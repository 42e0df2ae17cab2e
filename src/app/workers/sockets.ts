import { lookup } from 'node:dns/promises'
import { BoundSocket } from 'node:net'
import { type Address, addressRefused } from '#api/access/address.ts'

/** One port, bound for several workers. It stays bound while no worker is running; clients then wait. */
export type Sockets = {
  port: number
  /** For each worker the descriptors of its sockets, one for each address of the host. */
  socketsByWorker: number[][]
  close: () => void
}

/**
 * Binds a port once for each worker, so that the kernel distributes connections. If the system does not support it, all
 * share one socket. Does not listen yet.
 * @throws StartupError if the address is not available.
 */
export async function bindSockets(at: Address, workers: number): Promise<Sockets> {
  const bound: BoundSocket[] = []
  const close = () => {
    for (const socket of bound.splice(0)) socket.close()
  }
  const bind = (host: string, port: number, reusePort: boolean) => {
    const socket = new BoundSocket({ host, port, reusePort })
    bound.push(socket)
    return socket
  }
  function bindAll(host: string, port: number): number[] {
    const first = bindShared(host, port, bind)
    const more = first.isSpread ? workers - 1 : 0
    const sockets = [first.socket, ...Array.from({ length: more }, () => bind(host, first.port, true))]
    return Array.from({ length: workers }, (_, worker) => (sockets[worker] ?? first.socket).fd())
  }
  try {
    const [first = at.host, ...others] = await addressesOf(at.host)
    const columns = [bindAll(first, at.port)]
    const { port } = bound[0]!.address()
    for (const host of others) columns.push(...ignoreAbsentAddress(() => bindAll(host, port)))
    return {
      port,
      socketsByWorker: Array.from({ length: workers }, (_, worker) => columns.map((column) => column[worker]!)),
      close,
    }
  } catch (error) {
    close()
    throw addressRefused(error as NodeJS.ErrnoException, at, 'PORT')
  }
}

/** Resolves the host. `localhost` has two addresses, as in a service with one process. */
async function addressesOf(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true })
  return found.map(({ address }) => address).slice(0, host === 'localhost' ? undefined : 1)
}

function bindShared(host: string, port: number, bind: (host: string, port: number, reusePort: boolean) => BoundSocket) {
  try {
    const socket = bind(host, port, true)
    return { socket, port: socket.address().port, isSpread: true }
  } catch (error) {
    // macOS has the option but does not distribute connections; Node reports it as not supported.
    if (!['ENOTSUP', 'EOPNOTSUPP', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    const socket = bind(host, port, false)
    return { socket, port: socket.address().port, isSpread: false }
  }
}

/** Skips an absent address: a machine without IPv6 can still resolve `localhost` to it. */
function ignoreAbsentAddress<T>(bind: () => T): T[] {
  try {
    return [bind()]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRNOTAVAIL') return []
    throw error
  }
}
