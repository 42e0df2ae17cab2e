import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

type State = 'open' | 'stalled' | 'cut'

/** A connection to a database that can be cut, stalled or slowed down, and can lose connections without a notice. */
type TcpProxy = AsyncDisposable & {
  url: string
  /** `open` forwards everything, `stalled` keeps connections and forwards nothing, `cut` closes and refuses them. */
  turn: (state: State) => void
  /**
   * Open connections are dead, and neither side is notified, as when a host or a firewall dies. New connections work.
   */
  strand: () => void
  /** The delay of each direction from now on, in milliseconds. */
  delay: (ms: number) => void
}

export async function startTcpProxy(databaseUrl: string): Promise<TcpProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const stranded = new Set<Socket>()
  let state: State = 'open'
  let delayMs = 0

  function forward(from: Socket, to: Socket): void {
    sockets.add(from)
    from.on('data', (bytes) => {
      if (delayMs === 0) to.write(bytes)
      else setTimeout(() => to.write(bytes), delayMs)
    })
    from.on('error', () => {})
    from.on('close', () => {
      if (stranded.has(from)) return
      sockets.delete(from)
      to.destroy()
    })
    if (state === 'open') from.resume()
  }

  const server = createServer({ pauseOnConnect: true }, (clientSocket) => {
    if (state === 'cut') return void clientSocket.destroy()
    const serverSocket = connect(Number(target.port), target.hostname)
    serverSocket.pause()
    forward(clientSocket, serverSocket)
    forward(serverSocket, clientSocket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    turn(newState) {
      state = newState
      for (const socket of sockets) {
        if (stranded.has(socket)) continue
        if (state === 'cut') socket.destroy()
        else if (state === 'open') socket.resume()
        else socket.pause()
      }
    },
    strand() {
      for (const socket of sockets) stranded.add(socket.pause())
    },
    delay(ms) {
      delayMs = ms
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
