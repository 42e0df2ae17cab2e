import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { createServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import type { IssuedCertificate } from '#platform/net/certificates.ts'
import { until } from '../../until.ts'
import { killAfterTests } from '../leftovers.ts'

/**
 * A proxy as a process. `await using` ends it.
 * @param routes the ports of this host by the host names that only the proxy resolves.
 * @param credentials `user:password`, if the proxy requires some.
 */
export async function startProxy(routes: Record<string, number>, credentials = '') {
  const script = fileURLToPath(new URL('./main.ts', import.meta.url))
  const child = spawn(process.execPath, [script, JSON.stringify(routes), credentials], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  killAfterTests(child)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const port = await until(() => /^port (\d+)$/m.exec(output)?.[1] ?? false)
  const login = credentials === '' ? '' : `${credentials}@`
  return {
    url: `http://${login}127.0.0.1:${port}`,
    /** The requests that it allowed: `CONNECT host:443`, or a method and a host. */
    requests: () => output.split('\n').slice(1, -1),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

/** Terminates TLS in front of a server of this host. */
export async function startTls(port: number, { certificate, key }: IssuedCertificate) {
  const server = createServer({ cert: certificate, key }, (socket) => {
    const upstream = connect(port, '127.0.0.1')
    socket.pipe(upstream).pipe(socket)
    socket.on('error', () => upstream.destroy())
    upstream.on('error', () => socket.destroy())
  })
  server.on('tlsClientError', () => {})
  const open = new Set<{ destroy: () => void }>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
