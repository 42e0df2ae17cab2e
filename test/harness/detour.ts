import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a database that can be cut and stalled. */
export type Detour = AsyncDisposable & {
  url: string
  /** `open` lets everything through, `stalled` keeps connections and moves nothing, `cut` ends and refuses them. */
  turn: (state: 'open' | 'stalled' | 'cut') => void
}

export async function startDetour(databaseUrl: string): Promise<Detour> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let state: 'open' | 'stalled' | 'cut' = 'open'
  const server = createServer({ pauseOnConnect: true }, (near) => {
    if (state === 'cut') return void near.destroy()
    const far = connect(Number(target.port), target.hostname)
    far.pause()
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => void to.write(bytes))
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      if (state === 'open') from.resume()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    turn(next) {
      state = next
      for (const socket of sockets) {
        if (state === 'cut') socket.destroy()
        else if (state === 'open') socket.resume()
        else socket.pause()
      }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
