import { lookup } from 'node:dns/promises'
import { BoundSocket } from 'node:net'
import { type Address, listenError } from '#api/access/address.ts'

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
 * @throws UserFacingError if the address is not available.
 */
export async function bindSockets(address: Address, workers: number): Promise<Sockets> {
  const bound: BoundSocket[] = []
  const close = () => {
    for (const socket of bound.splice(0)) socket.close()
  }
  const bind: Bind = (options) => {
    const socket = new BoundSocket(options)
    bound.push(socket)
    return socket
  }
  /** Binds the sockets of all workers on one address. */
  function bindAll(host: string, requestedPort: number): { port: number; socketOf: (worker: number) => number } {
    const { socket, port, isSpread } = bindFirst(host, requestedPort, bind)
    const sockets = [socket]
    while (isSpread && sockets.length < workers) sockets.push(bind({ host, port, reusePort: true }))
    return { port, socketOf: (worker) => (sockets[worker] ?? socket).fd() }
  }
  try {
    const [firstHost = address.host, ...otherHosts] = await addressesOf(address.host)
    const first = bindAll(firstHost, address.port)
    const others = otherHosts.flatMap((host) => ignoreAbsentAddress(() => bindAll(host, first.port)))
    const socketsByWorker = Array.from({ length: workers }, (_, worker) =>
      [first, ...others].map(({ socketOf }) => socketOf(worker)),
    )
    return { port: first.port, socketsByWorker, close }
  } catch (error) {
    close()
    throw listenError(error as NodeJS.ErrnoException, address, 'PORT')
  }
}

/** Resolves the host. `localhost` has two addresses, as in a service with one process. */
async function addressesOf(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true })
  return found.map(({ address }) => address).slice(0, host === 'localhost' ? undefined : 1)
}

type Bind = (options: { host: string; port: number; reusePort: boolean }) => BoundSocket

/** @property isSpread whether the system distributes connections among several sockets of the port. */
type FirstSocket = { socket: BoundSocket; port: number; isSpread: boolean }

function bindFirst(host: string, port: number, bind: Bind): FirstSocket {
  try {
    const socket = bind({ host, port, reusePort: true })
    return { socket, port: socket.address().port, isSpread: true }
  } catch (error) {
    // macOS has the option but does not distribute connections; Node reports it as not supported.
    if (!['ENOTSUP', 'EOPNOTSUPP', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    const socket = bind({ host, port, reusePort: false })
    return { socket, port: socket.address().port, isSpread: false }
  }
}

/** An empty list if the machine lacks the address: without IPv6 it can still resolve `localhost` to one. */
function ignoreAbsentAddress<T>(bindAddress: () => T): T[] {
  try {
    return [bindAddress()]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRNOTAVAIL') return []
    throw error
  }
}
