import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connectRuns, type DaemonAddress } from '#interns/remote/connect-runs.ts'
import { runConcurrentTurns, type StartTurn, streamCount } from './concurrent-turns.ts'
import { createIntern, requestJson } from './intern-api.ts'
import { type Intern, now, quantile, takeTurn, type Word } from './intern-load.ts'
import { exitWithVerdict, median, report } from './report.ts'
import {
  apiKey,
  liveMegabytes,
  npmStartArguments,
  prepareFolder,
  processorMicroseconds,
  residentMegabytes,
  start,
} from './servers.ts'

/** The number of measurements for each rate of chunks a second, without and with the server in turn. */
const pairs = { 2500: 1, 5000: 5, 7500: 1 }
const script = fileURLToPath(new URL('../bin/scripted-agent.ts', import.meta.url))
const fixture = prepareFolder()
const dataDir = join(fixture.folder, 'data')
const liveMemoryFile = join(fixture.folder, 'live-memory')
const server = await start(['--import', './bench/collect-on-signal.ts', ...npmStartArguments()], {
  PORT: '0',
  LIVE_MEMORY_FILE: liveMemoryFile,
  HOST: '127.0.0.1',
  DATA_DIR: dataDir,
  BOOTSTRAP_API_KEY: apiKey,
  LOG_LEVEL: 'error',
  DEMO_INTERN: 'false',
  ALLOW_CUSTOM_AGENTS: 'true',
  // Agents of one user share their compiled code, as they do where the server is not root.
  INTERN_USERS_FROM: '0',
  TURNS_PER_MINUTE_USER: '1000000',
  TURNS_PER_MINUTE_ORGANIZATION: '1000000',
})
try {
  const interns = await createInterns(20, { command: process.execPath, args: [script, 'load'] })
  reportIdle(interns)
  await benchFirstWords(interns[0]!)
  await benchStreams(interns)
  await benchEndurance(interns[0]!)
} finally {
  await server.stop()
  fixture.remove()
}
exitWithVerdict()

/** Creates interns one after the other, so that their starts do not slow each other down. */
async function createInterns(count: number, agent: object): Promise<Intern[]> {
  const created: Intern[] = []
  for (let number = 1; number <= count; number++) created.push(await createIntern(server.url, `bench-${number}`, agent))
  return created
}

type DaemonRecord = DaemonAddress & { process: { pid: number } }

function readDaemonRecord({ id }: Intern): DaemonRecord {
  return JSON.parse(readFileSync(join(dataDir, 'interns', id, 'daemon.json'), 'utf8')) as DaemonRecord
}

function reportIdle(interns: Intern[]): void {
  const megabytes = median(interns.map((intern) => residentMegabytes(readDaemonRecord(intern).process.pid)!))
  report('idle daemon, resident', `${megabytes.toFixed(0)} MB`, { text: '<= 70 MB', isMet: megabytes <= 70 })
}

async function benchFirstWords(warm: Intern): Promise<void> {
  const { sessionId } = await takeTurn(warm, { content: 'say hi' })
  const warmTimes: number[] = []
  for (let turn = 0; turn < 200; turn++) {
    warmTimes.push((await takeTurn(warm, { content: 'say hi', ...(sessionId && { sessionId }) })).toFirstWord)
  }
  const ms = median(warmTimes)
  report('first word, warm session (median)', `${ms.toFixed(1)} ms`, { text: '<= 15 ms', isMet: ms <= 15 })
  report('first word, warm session (p99)', `${quantile(warmTimes, 0.99).toFixed(1)} ms`)

  const coldTimes: number[] = []
  for (let number = 1; number <= 6; number++) {
    const cold = await createIntern(server.url, `cold-${number}`)
    coldTimes.push((await takeTurn(cold, { content: 'think' })).toFirstWord)
    await requestJson(server.url, 'POST', `/interns/${cold.id}/suspend`)
  }
  // The first start is slower, because its code is not cached yet.
  const cold = median(coldTimes.slice(1))
  report('first word, builtin agent not started yet (median)', `${cold.toFixed(0)} ms`, {
    text: '<= 600 ms',
    isMet: cold <= 600,
  })
}

const serverMegabytes = () => liveMegabytes(server.pid, liveMemoryFile)

/** Runs a thousand turns on all interns, and measures delays, memory and processor time of the server. */
async function serverRound(interns: Intern[], chunksPerSecond: number, seconds: number) {
  const startTurn: StartTurn = async (stream, content, onWords, signal) =>
    (await takeTurn(interns[stream % interns.length]!, { content }, { onWords, signal })).words
  let megabytes = 0
  let usedMicros = 0
  const atRest = async () => {
    megabytes = await serverMegabytes()
  }
  const atStart = () => {
    usedMicros = processorMicroseconds(server.pid)
  }
  const atEnd = () => {
    usedMicros = processorMicroseconds(server.pid) - usedMicros
  }
  const delays = await runConcurrentTurns(chunksPerSecond, seconds, startTurn, { atRest, atStart, atEnd })
  return { delays, megabytes, processorMicros: usedMicros / delays.length }
}

/** Runs the same turns directly at the sockets of the daemons, without the server. */
function directRound(interns: Intern[], chunksPerSecond: number, seconds: number): Promise<number[]> {
  const daemons = interns.map((intern) => connectRuns(readDaemonRecord(intern)))
  const startTurn: StartTurn = async (stream, prompt, onWords, signal) => {
    const words: Word[] = []
    try {
      for await (const event of await daemons[stream % daemons.length]!.start({ prompt, mode: 'self-drive' }, signal)) {
        const arrivedAt = now()
        if (event.type !== 'text.added') continue
        for (const word of event.text.split(' ')) {
          if (word) words.push({ writtenAt: Number(word), delay: arrivedAt - Number(word) })
        }
        onWords()
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
    return words
  }
  return runConcurrentTurns(chunksPerSecond, seconds, startTurn)
}

async function benchStreams(interns: Intern[]): Promise<void> {
  await serverRound(interns, 2000, 1)
  const idle = await serverMegabytes()
  const p50 = (delays: number[]) => quantile(delays, 0.5)
  const p99 = (delays: number[]) => quantile(delays, 0.99)
  for (const [rate, times] of Object.entries(pairs)) {
    const direct: number[][] = []
    const withServer: Awaited<ReturnType<typeof serverRound>>[] = []
    for (let time = 0; time < times; time++) {
      direct.push(await directRound(interns, Number(rate), 5))
      withServer.push(await serverRound(interns, Number(rate), 5))
    }
    const delays = withServer.map((result) => result.delays)
    const p50AndP99 = (all: number[][]) => `${median(all.map(p50)).toFixed(1)} / ${median(all.map(p99)).toFixed(1)} ms`
    report(`${rate} chunks/s, agent to a client of the daemon, p50 / p99`, p50AndP99(direct))
    report(`${rate} chunks/s, agent to client, p50 / p99`, p50AndP99(delays))
    const micros = median(withServer.map(({ processorMicros }) => processorMicros))
    report(`${rate} chunks/s, processor time of the server per chunk`, `${micros.toFixed(0)} µs`)
    const differences = delays.map((delaysOfRound, time) => p99(delaysOfRound) - p99(direct[time]!))
    const spread = differences.length > 1 ? ` (${differences.map((ms) => ms.toFixed(0)).join(' ')})` : ''
    const added = median(differences)
    const target = rate === '5000' ? { text: '<= 10 ms', isMet: added <= 10 } : undefined
    report(`${rate} chunks/s, added by the server, p99`, `${added.toFixed(1)} ms${spread}`, target)
    if (rate !== '5000') continue
    const kilobytes = ((median(withServer.map(({ megabytes }) => megabytes)) - idle) * 1024) / streamCount
    report('memory of the server per stream', `${kilobytes.toFixed(1)} kB`, {
      text: '<= 40 kB',
      isMet: kilobytes <= 40,
    })
  }
}

function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/**
 * Runs ten thousand turns of one intern, each in a separate session, twice: the first time warms up. For the daemon, which
 * cannot be asked to collect garbage, reports the median memory in the second half.
 */
async function benchEndurance(intern: Intern): Promise<void> {
  const daemon = readDaemonRecord(intern).process.pid
  const runTurns = async (count: number) => {
    let remaining = count
    const runUntilDone = async () => {
      while (remaining-- > 0) await takeTurn(intern, { content: 'say hi' })
    }
    await Promise.all(Array.from({ length: 8 }, runUntilDone))
  }
  const runTenThousand = async () => {
    const megabytes: number[] = []
    await runTurns(5000)
    for (let tenth = 0; tenth < 10; tenth++) {
      await runTurns(500)
      megabytes.push(residentMegabytes(daemon)!)
    }
    await sleep(3000)
    const files = { server: openFiles(server.pid), daemon: openFiles(daemon) }
    return { megabytes: { server: await serverMegabytes(), daemon: median(megabytes) }, files }
  }
  const before = await runTenThousand()
  const after = await runTenThousand()
  for (const program of ['server', 'daemon'] as const) {
    const growth = after.megabytes[program] - before.megabytes[program]
    const files = after.files[program] - before.files[program]
    const megabytes = `${growth.toFixed(1)} MB (to ${after.megabytes[program].toFixed(0)})`
    report(`10,000 turns: growth of the ${program}’s memory`, megabytes, { text: '<= 10 MB', isMet: growth <= 10 })
    report(`10,000 turns: growth of the ${program}’s open files`, `${files}`, { text: '0', isMet: files <= 0 })
  }
}
