import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** An address that can be moved to another port of this host. Open connections stay where they are, as with a floating IP. */
type MovableAddress = AsyncDisposable & { port: number; move: (port: number) => void }

export async function startMovableAddress(firstPort: number): Promise<MovableAddress> {
  let target = firstPort
  const sockets = new Set<Socket>()
  const server = createServer((clientSocket) => {
    const serverSocket = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [clientSocket, serverSocket],
      [serverSocket, clientSocket],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    move(port) {
      target = port
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
