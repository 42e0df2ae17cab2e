import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connectRuns, type DaemonAddress } from '#interns/remote/connect-runs.ts'
import { type Begin, streams, talkAtOnce } from './concurrent-turns.ts'
import { type Intern, now, quantile, takeTurn, type Word } from './intern-load.ts'
import { exitWithVerdict, median, report } from './report.ts'
import { apiKey, asNpmStarts, prepareFolder, residentMegabytes, start } from './servers.ts'

/** The number of measurements for each rate of chunks a second, without and with the server in turn. */
const pairs = { 2500: 1, 5000: 5, 7500: 1 }
const script = fileURLToPath(new URL('../bin/scripted-agent.ts', import.meta.url))
const fixture = prepareFolder()
const dataDir = join(fixture.folder, 'data')
const heldFile = join(fixture.folder, 'held')
const server = await start(['--import', './bench/collect-on-signal.ts', ...asNpmStarts()], {
  PORT: '0',
  HELD_FILE: heldFile,
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
  const interns = await makeInterns(20, { command: process.execPath, args: [script, 'load'] })
  reportIdle(interns)
  await benchFirstWords(interns[0]!)
  await benchStreams(interns)
  await benchEndurance(interns[0]!)
} finally {
  await server.stop()
  fixture.remove()
}
exitWithVerdict()

async function ask(method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return response.json()
}

async function makeIntern(name: string, agent?: object): Promise<Intern> {
  const { id } = await ask('POST', '/interns', { name, provision: true, ...(agent && { agent }) })
  while ((await ask('GET', `/interns/${id}`)).status !== 'running') await sleep(20)
  return { url: new URL(server.url), key: apiKey, id }
}

/** One after the other, so that each starts as it would alone. */
async function makeInterns(count: number, agent: object): Promise<Intern[]> {
  const created: Intern[] = []
  for (let number = 1; number <= count; number++) created.push(await makeIntern(`bench-${number}`, agent))
  return created
}

type Record = DaemonAddress & { process: { pid: number } }

function recordOf({ id }: Intern): Record {
  return JSON.parse(readFileSync(join(dataDir, 'interns', id, 'daemon.json'), 'utf8')) as Record
}

function reportIdle(interns: Intern[]): void {
  const megabytes = median(interns.map((intern) => residentMegabytes(recordOf(intern).process.pid)!))
  report('idle daemon, resident', `${megabytes.toFixed(0)} MB`, { text: '<= 70 MB', met: megabytes <= 70 })
}

async function benchFirstWords(warm: Intern): Promise<void> {
  const { sessionId } = await takeTurn(warm, { content: 'say hi' })
  const warmTimes: number[] = []
  for (let turn = 0; turn < 200; turn++) {
    warmTimes.push((await takeTurn(warm, { content: 'say hi', ...(sessionId && { sessionId }) })).toFirstWord)
  }
  const ms = median(warmTimes)
  report('first word, warm session (median)', `${ms.toFixed(1)} ms`, { text: '<= 15 ms', met: ms <= 15 })
  report('first word, warm session (p99)', `${quantile(warmTimes, 0.99).toFixed(1)} ms`)

  const coldTimes: number[] = []
  for (let number = 1; number <= 6; number++) {
    const cold = await makeIntern(`cold-${number}`)
    coldTimes.push((await takeTurn(cold, { content: 'think' })).toFirstWord)
    await ask('POST', `/interns/${cold.id}/suspend`)
  }
  // The first of all compiles.
  const cold = median(coldTimes.slice(1))
  report('first word, builtin agent not started yet (median)', `${cold.toFixed(0)} ms`, {
    text: '<= 600 ms',
    met: cold <= 600,
  })
}

/** The processor time that a process has used, in milliseconds, by the system's ticks of 10 ms. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** The memory of the server, in its heap and outside, after a garbage collection. */
async function heldMegabytes(): Promise<number> {
  process.kill(server.pid, 'SIGUSR2')
  await sleep(1000)
  return Number(readFileSync(heldFile, 'utf8'))
}

/** A thousand turns over all interns, and what they take of the server. */
async function round(interns: Intern[], chunksPerSecond: number, seconds: number) {
  const begin: Begin = async (stream, content, onWords, signal) =>
    (await takeTurn(interns[stream % interns.length]!, { content }, { onWords, signal })).words
  let [megabytes, used] = [0, 0]
  const atRest = async () => {
    megabytes = await heldMegabytes()
  }
  const atStart = () => {
    used = processorMs(server.pid)
  }
  const atEnd = () => {
    used = processorMs(server.pid) - used
  }
  const delays = await talkAtOnce(chunksPerSecond, seconds, begin, { atRest, atStart, atEnd })
  return { delays, megabytes, processorMicros: (used * 1000) / delays.length }
}

/** The same at the daemons' own sockets, without the server. */
function directRound(interns: Intern[], chunksPerSecond: number, seconds: number): Promise<number[]> {
  const daemons = interns.map((intern) => connectRuns(recordOf(intern)))
  const begin: Begin = async (stream, prompt, onWords, signal) => {
    const words: Word[] = []
    try {
      for await (const event of await daemons[stream % daemons.length]!.start({ prompt, mode: 'self-drive' }, signal)) {
        const arrivedAt = now()
        if (event.type !== 'text.added') continue
        for (const word of event.text.split(' ')) {
          if (word) words.push({ saidAt: Number(word), delay: arrivedAt - Number(word) })
        }
        onWords()
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
    return words
  }
  return talkAtOnce(chunksPerSecond, seconds, begin)
}

async function benchStreams(interns: Intern[]): Promise<void> {
  await round(interns, 2000, 1)
  const idle = await heldMegabytes()
  const p50 = (delays: number[]) => quantile(delays, 0.5)
  const p99 = (delays: number[]) => quantile(delays, 0.99)
  for (const [rate, times] of Object.entries(pairs)) {
    const direct: number[][] = []
    const through: Awaited<ReturnType<typeof round>>[] = []
    for (let time = 0; time < times; time++) {
      direct.push(await directRound(interns, Number(rate), 5))
      through.push(await round(interns, Number(rate), 5))
    }
    const delays = through.map((each) => each.delays)
    const p50AndP99 = (all: number[][]) => `${median(all.map(p50)).toFixed(1)} / ${median(all.map(p99)).toFixed(1)} ms`
    report(`${rate} chunks/s, agent to daemon's caller, p50 / p99`, p50AndP99(direct))
    report(`${rate} chunks/s, agent to client, p50 / p99`, p50AndP99(delays))
    const micros = median(through.map(({ processorMicros }) => processorMicros))
    report(`${rate} chunks/s, the server’s processor time a chunk`, `${micros.toFixed(0)} µs`)
    const differences = delays.map((each, time) => p99(each) - p99(direct[time]!))
    const spread = differences.length > 1 ? ` (${differences.map((each) => each.toFixed(0)).join(' ')})` : ''
    const added = median(differences)
    const target = rate === '5000' ? { text: '<= 10 ms', met: added <= 10 } : undefined
    report(`${rate} chunks/s, added by the server, p99`, `${added.toFixed(1)} ms${spread}`, target)
    if (rate !== '5000') continue
    const kilobytes = ((median(through.map(({ megabytes }) => megabytes)) - idle) * 1024) / streams
    report('memory of the server for a stream', `${kilobytes.toFixed(1)} kB`, {
      text: '<= 40 kB',
      met: kilobytes <= 40,
    })
  }
}

function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/**
 * Ten thousand turns of one intern, each a separate session, after as many for warm-up. For the daemon, which does not have to
 * collect garbage, reports the median memory in the second half.
 */
async function benchEndurance(intern: Intern): Promise<void> {
  const daemon = recordOf(intern).process.pid
  const turns = async (count: number) => {
    let remaining = count
    const one = async () => {
      while (remaining-- > 0) await takeTurn(intern, { content: 'say hi' })
    }
    await Promise.all(Array.from({ length: 8 }, one))
  }
  const tenThousand = async () => {
    const held: number[] = []
    await turns(5000)
    for (let tenth = 0; tenth < 10; tenth++) {
      await turns(500)
      held.push(residentMegabytes(daemon)!)
    }
    await sleep(3000)
    const files = { server: openFiles(server.pid), daemon: openFiles(daemon) }
    return { megabytes: { server: await heldMegabytes(), daemon: median(held) }, files }
  }
  const before = await tenThousand()
  const after = await tenThousand()
  for (const who of ['server', 'daemon'] as const) {
    const grown = after.megabytes[who] - before.megabytes[who]
    const files = after.files[who] - before.files[who]
    const megabytes = `${grown.toFixed(1)} MB (to ${after.megabytes[who].toFixed(0)})`
    report(`10,000 turns: growth of the ${who}’s memory`, megabytes, { text: '<= 10 MB', met: grown <= 10 })
    report(`10,000 turns: growth of the ${who}’s open files`, `${files}`, { text: '0', met: files <= 0 })
  }
}
