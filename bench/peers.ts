import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cannedEnvironment } from './canned-service.ts'
import { type CompletionTarget, connectTo, createCompletionTarget, saturate, sendRequest } from './completion-load.ts'
import { startFixedUpstream } from './fixed-upstream.ts'
import { median } from './report.ts'
import {
  apiKey,
  npmStartArguments,
  onFirstCore,
  type RunningServer,
  residentMegabytes,
  start,
  useSecondCore,
} from './servers.ts'

/**
 * Compares the service with Portkey's gateway and with a proxy that does no work: responses per second, latency and memory. Each
 * runs on one core in turn; the provider and the clients run on the other. Portkey gets neither keys nor limits to check and
 * records nothing, because its open-source gateway cannot. Installs it from npm into a temporary folder.
 */
const portkeyVersion = '1.15.2'
const rounds = 7
const roundMs = 3000
const connections = 16

const messages = [{ role: 'user', content: 'Write me a story of a signal box beside the line. '.repeat(5) }]
const requests = {
  json: { model: 'canned/model', messages },
  stream: { model: 'canned/model', messages, stream: true },
}

const folder = mkdtempSync(join(tmpdir(), 'signalbox-peers-'))
const upstream = await startFixedUpstream()
type Gateway = { name: string; server: RunningServer; targetOf: (body: object) => CompletionTarget }
const gateways: Gateway[] = []
try {
  gateways.push(ours('pass-through', await start(onFirstCore(['bench/pass-through.ts', upstream.url]), {})))
  gateways.push(ours('Signalbox', await startService()))
  const portkey = await startPortkey()
  if (portkey) gateways.push(portkey)
  else console.log(`Portkey ${portkeyVersion} could not be installed from npm, so it is not measured.`)
  useSecondCore()
  for (const [name, body] of Object.entries(requests)) await compare(name, body)
  for (const { name, server } of gateways) console.log(`${name}: ${residentMegabytes(server.pid)?.toFixed(0)} MB`)
} finally {
  await Promise.all(gateways.map(({ server }) => server.stop()))
  upstream.stop()
  rmSync(folder, { recursive: true, force: true })
}

function ours(name: string, server: RunningServer): Gateway {
  return { name, server, targetOf: (body) => createCompletionTarget(server.url, apiKey, body) }
}

function startService(): Promise<RunningServer> {
  const environment = cannedEnvironment(folder, upstream.url, { providers: ['canned'] })
  return start(onFirstCore(npmStartArguments()), environment, openSync(join(folder, 'log'), 'w'))
}

/** @returns undefined if it cannot be installed. */
async function startPortkey(): Promise<Gateway | undefined> {
  const install = ['install', `@portkey-ai/gateway@${portkeyVersion}`, '--ignore-scripts', '--no-audit', '--no-fund']
  if (spawnSync('npm', install, { cwd: folder }).status !== 0) return undefined
  const port = await freePort()
  const program = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js')
  const { command, args } = onFirstCore([program, `--port=${port}`, '--headless'])
  const child = spawn(command, args, { stdio: 'ignore', env: { PATH: process.env.PATH, NODE_ENV: 'production' } })
  const url = `http://127.0.0.1:${port}/v1`
  const headers = ['x-portkey-provider: openai', `x-portkey-custom-host: ${upstream.url}`]
  const stop = async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  const targetOf = (body: object) => createCompletionTarget(url, apiKey, body, headers)
  await waitUntilResponding(targetOf(requests.json))
  return { name: 'Portkey', server: { url, pid: child.pid!, msToListen: 0, stop }, targetOf }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

/** @throws Error after 30 s. */
async function waitUntilResponding(target: CompletionTarget): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      const socket = await connectTo(target)
      await sendRequest(socket, target)
      return void socket.destroy()
    } catch (error) {
      if (attempt === 300) throw error
      await sleep(100)
    }
  }
}

/** The gateways take turns, so that other load of the machine affects all equally. */
async function compare(name: string, body: object): Promise<void> {
  const targets = gateways.map(({ targetOf }) => targetOf(body))
  for (const target of targets) await saturate(target, { connections, ms: 3 * roundMs })
  const rates = gateways.map((): number[] => [])
  const times = gateways.map((): number[] => [])
  const refusedRequests = gateways.map(() => 0)
  for (let round = 0; round < rounds; round++)
    for (const [at, target] of targets.entries()) {
      const { rate, refused, wholeMs } = await saturate(target, { connections, ms: roundMs })
      refusedRequests[at]! += refused
      rates[at]!.push(rate)
      times[at]!.push(...wholeMs)
    }
  for (const [at, { name: gateway }] of gateways.entries()) {
    const sorted = times[at]!.toSorted((a, b) => a - b)
    if (sorted.length === 0) {
      console.log(`${name} ${gateway}: refused all ${refusedRequests[at]} requests`)
      continue
    }
    const percentile = (share: number) => sorted[Math.floor(sorted.length * share)]!.toFixed(1)
    const ratio = median(rates[at]!.map((rate, round) => rate / rates[0]![round]!)).toFixed(2)
    const latency = `p50 ${percentile(0.5)} ms, p99 ${percentile(0.99)} ms, ${refusedRequests[at]} refused`
    console.log(`${name} ${gateway}: ${median(rates[at]!).toFixed(0)}/s, ${ratio} of pass-through, ${latency}`)
  }
}
