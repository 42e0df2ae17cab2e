import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { killAfterTests } from '../harness/service/leftovers.ts'
import { startProcess } from '../harness/service/server-process.ts'
import { until } from '../harness/until.ts'

const apiKey = `sb-v1-${'b'.repeat(64)}`
const event = JSON.stringify({ type: 'work.noticed' })

const started = JSON.stringify({ type: 'turn.started', runId: 'run', sessionId: 'session', model: null })
const health = JSON.stringify({ contract: 1, startedAt: 1, agent: 'running', agentName: null, runs: 0, waiting: 0 })

/** Takes the place of the daemon: reports health, and floods clients of a turn. Prints how many bytes were accepted. */
const taker = `
  const { createServer } = require('node:http'), { rmSync } = require('node:fs')
  const [socket, line, bytes, started, health] = process.argv.slice(1)
  const lines = Buffer.from((line + '\\n').repeat(Math.ceil(65536 / line.length)))
  rmSync(socket)
  createServer((request, response) => {
    if (request.method === 'GET') return response.end(health)
    response.write(started + '\\n')
    let said = 0
    const flood = () => {
      while (said < bytes && !response.destroyed) if (said += lines.length, !response.write(lines)) return response.once('drain', flood)
      response.end()
    }
    response.on('close', () => console.log('taken', said))
    flood()
  }).listen(socket, () => console.log('listening'))`

/** A real server with an intern whose socket another process has replaced. */
async function startTaken(line: string, bytes: number) {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'signalbox-flood-'))
  const server = startProcess({ DATA_DIR, BOOTSTRAP_API_KEY: apiKey, INTERN_USERS_FROM: '0', LOG_FORMAT: 'json' })
  const url = await server.url
  const ask = (method: string, path: string, body?: object, signal?: AbortSignal) =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  const { id } = (await (await ask('POST', '/interns', { name: 'ada', provision: true })).json()) as { id: string }
  await until(async () => ((await (await ask('GET', `/interns/${id}`)).json()) as any).status === 'running', 300_000)
  const socket = join(DATA_DIR, 'interns', id, 'door', 's')
  const child = spawn(process.execPath, ['-e', taker, '--', socket, line, String(bytes), started, health], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  killAfterTests(child)
  let message = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (message += text))
  await until(() => message.includes('listening'), 300_000)
  return {
    url,
    /** A turn of the intern, read by a caller who is not slow. */
    async turn(signal?: AbortSignal) {
      const body = { messages: [{ role: 'user', content: 'Hi' }], stream: true, approval_mode: 'manual' }
      return (await ask('POST', `/interns/${id}/chat/completions`, body, signal)).text()
    },
    taken: () => until(() => /taken (\d+)/.exec(message)?.[1], 300_000).then(Number),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      // It ends its daemon, which a server that is killed leaves behind.
      server.signal('SIGTERM')
      await server.ended
      rmSync(DATA_DIR, { recursive: true, force: true })
    },
  }
}

/** Asks for nothing in particular, again and again, on one connection. */
async function askOften(url: string, times: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const once = () =>
    new Promise((resolve, reject) => {
      get(`${url}/health`, { agent }, (response) => response.resume().on('end', resolve)).on('error', reject)
    })
  for (let count = 0; count < times; count++) await once()
  agent.destroy()
}

test('a daemon that sends invalid events is disconnected at the first one', { timeout: 900_000 }, async () => {
  await using service = await startTaken('{}', 180_000_000)
  assert.match(await service.turn(), /"reason":"turn_failed"/)
  assert.ok((await service.taken()) < 60_000_000)
})

test('while a daemon floods with events, other requests are served', { timeout: 900_000 }, async () => {
  await using service = await startTaken(event, 60_000_000)
  const leaving = new AbortController()
  const turn = service.turn(leaving.signal).catch(() => {})
  await askOften(service.url, 300)
  leaving.abort()
  await turn
  // Independent of the speed of the machine: a server that reads everything, or blocks, would do so before this many answers.
  const taken = await service.taken()
  assert.ok(taken < 15_000_000, `${taken} bytes of events were taken while 300 others were answered`)
})
