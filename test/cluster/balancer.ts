import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** haproxy before servers, which it asks for their health twice a second. */
/** @param checkMs how long a server may take to answer a health check. */
export async function startBalancer(
  host: string,
  port: number,
  servers: string[],
  checkMs = 2000,
): Promise<AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-balancer-'))
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configuration(`${host}:${port}`, servers, checkMs))
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let message = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    message += text
  })
  const ended = once(child, 'close')
  while (!(await isResponding(host, port))) {
    if (child.exitCode !== null) throw new Error(`haproxy did not start: ${message}`)
    await sleep(50)
  }
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const configuration = (address: string, servers: string[], checkMs: number) => `
global
  maxconn 4000
defaults
  mode http
  timeout connect 2s
  timeout client 90s
  timeout server 90s
  timeout check ${checkMs}ms
  retries 3
  option redispatch 1
  retry-on conn-failure
frontend clients
  bind ${address}
  default_backend servers
backend servers
  balance roundrobin
  option httpchk GET /api/v1/health/ready
  http-check expect status 200
  http-response set-header x-served-by %s
  default-server inter 500ms fall 2 rise 1 check
${servers.map((server, at) => `  server s${at} ${server}`).join('\n')}
`

function isResponding(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(port, host, () => {
    socket.destroy()
    resolve(true)
  }).on('error', () => resolve(false))
  return promise
}
